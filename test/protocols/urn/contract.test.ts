import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'

/** A URN leads to a URL, and has no octets of its own, so of the contract only this is left. */
test('a URN of the table is retrieved from its place', async () => {
  const connectTo = { 'www.rfc-editor.org:443': '127.0.0.1:1' }
  await using client = createClient({ network: { connectTo } })
  const before = openHandles()
  const error = await failureOf(client.retrieve('urn:ietf:rfc:1738'))
  expect(error).toMatchObject({ code: 'connect-failed', url: 'https://www.rfc-editor.org/info/rfc1738' })
  expect(await handlesSince(before)).toEqual([])
})

test('the policy holds for the place', async () => {
  await using client = createClient({ policy: { schemes: ['urn', 'http'] } })
  expect(await failureOf(client.retrieve('urn:ietf:rfc:1738'))).toMatchObject({ code: 'refused', phase: 'policy' })
})

test('a name of another namespace has no place: no-fetcher, and nothing is contacted', async () => {
  await using client = createClient()
  const error = await failureOf(client.retrieve('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'))
  expect(error).toMatchObject({ code: 'no-fetcher', phase: 'resolve' })
  expect(error.message).toContain('"uuid"')
})

test('an aborted signal ends it', async () => {
  await using client = createClient()
  const signal = AbortSignal.abort()
  expect(await failureOf(client.retrieve('urn:ietf:rfc:1738', { signal }))).toMatchObject({ code: 'aborted' })
})
