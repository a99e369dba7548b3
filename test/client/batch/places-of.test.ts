/** The caps of lists and trees, within those of their client. */
import { expect, test } from 'vitest'
import { capsOf, capsOfTree } from '../../../packages/fetchers/src/client/batch/places-of.ts'
import type { ClientParts } from '../../../packages/fetchers/src/client/parts.ts'

const withOptions = (options: object): ClientParts => ({ options }) as unknown as ClientParts

test('a list has the narrower ones of its client and its own, and the rates of both', () => {
  expect(capsOf(withOptions({}), {})).toEqual({ concurrency: 16, perHost: 4, rates: [], givesUp: true })
  const client = withOptions({ concurrency: 5, perHost: 3, interval: 10, giveUpHosts: false })
  expect(capsOf(client, { concurrency: 2, perHost: 9, interval: 20, intervalCap: 7, giveUpHosts: true })).toEqual({
    concurrency: 2,
    perHost: 3,
    rates: [
      { interval: 10, cap: 1 },
      { interval: 20, cap: 7 },
    ],
    givesUp: true,
  })
  expect(capsOf(client, { concurrency: 9, perHost: 1 })).toMatchObject({ concurrency: 5, perHost: 1, givesUp: false })
})

test('a tree has its own, within those that the client gives', () => {
  expect(capsOfTree(withOptions({}), 9)).toEqual({ concurrency: 9, perHost: 9, rates: [], givesUp: true })
  expect(capsOfTree(withOptions({}), 99)).toMatchObject({ concurrency: 16, perHost: 99 })
  const client = withOptions({ concurrency: 5, perHost: 3, interval: 10, intervalCap: 2, giveUpHosts: false })
  expect(capsOfTree(client, 9)).toEqual({
    concurrency: 5,
    perHost: 3,
    rates: [{ interval: 10, cap: 2 }],
    givesUp: false,
  })
  expect(capsOfTree(client, 2)).toMatchObject({ concurrency: 2, perHost: 2 })
})
