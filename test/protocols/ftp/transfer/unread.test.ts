/** Unread bodies delay other retrievals for a limited time only. */
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { files, trial } from '../support/ftp-trial.ts'

const path = 'pub/data.bin'
const bigSize = 8 * 1024 * 1024
const limits = { idleTimeout: 2000 }

describe('five retrievals whose bodies stay unread', () => {
  test('do not hang: the fifth comes once the first has been unread for limits.idleTimeout', () =>
    trial(
      { files, bigSize },
      async ({ retrieve, events }) => {
        const bodies = []
        for (let each = 0; each < 5; each++) bodies.push(await retrieve('big'))
        expect(bodies).toHaveLength(5)
        expect(retries(events)).toEqual([])
        for (const body of bodies) await body.cancel()
      },
      { limits },
    ))

  test('and the one that gave up its session goes on where it was, once it is read', () =>
    trial(
      { files, bigSize },
      async ({ retrieve, get, events }) => {
        const first = await retrieve('big')
        const others = []
        for (let each = 0; each < 4; each++) others.push(await retrieve('big'))
        for (const body of others) await body.cancel()
        const whole = await get('big')
        expectSame(await first.bytes(), whole)
        expect(retries(events)[0]?.message).toContain('The body was left unread while other retrievals waited')
      },
      { limits },
    ))

  test('where it cannot go on, the error says what to do, and names its URL', () =>
    trial(
      { files, bigSize, faults: { replies: { MDTM: '502 no\r\n' } } },
      async ({ retrieve, url }) => {
        const first = await retrieve('big')
        const others = []
        for (let each = 0; each < 4; each++) others.push(await retrieve('big'))
        for (const body of others) await body.cancel()
        const error = await first.bytes().catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({
          code: 'partial',
          message: expect.stringContaining('Read or cancel each body soon'),
        })
        expect(String(error)).toContain(url('big'))
      },
      { limits },
    ))
})

test('a body that is read, if slowly, keeps its session', () =>
  trial(
    { files, bigSize },
    async ({ retrieve, get, events }) => {
      const slow = (await retrieve('big')).body.getReader()
      const others = [await retrieve('big'), await retrieve('big'), await retrieve('big')]
      const fifth = get(path)
      for (let chunk = 0; chunk < 5; chunk++) {
        expect((await slow.read()).done).toBe(false)
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
      expectSame(await fifth, octets)
      await slow.cancel()
      for (const body of others) await body.cancel()
      expect(retries(events)).toEqual([])
    },
    { limits },
  ))
