/** Bodies that nobody asked for: how much of them is read, and what of them an error shows. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RetrievalContext } from '../../../../packages/fetchers/src/contract/fetcher.ts'
import { discard, readExcerpt } from '../../../../packages/fetchers/src/protocols/http/connection/discard.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A body of these chunks, which then ends, breaks off, or waits until it is cancelled. */
function bodyOf(chunks: readonly string[], end: 'ends' | 'breaks' | 'waits' = 'ends') {
  const left = [...chunks]
  let wake: () => void = () => {}
  const body = {
    cancelled: 0,
    left,
    async read() {
      const chunk = left.shift()
      if (chunk !== undefined) return Buffer.from(chunk)
      if (end === 'breaks') throw new Error('cut')
      if (end === 'waits') await new Promise<void>((resolve) => (wake = resolve))
      return null
    },
    async cancel() {
      body.cancelled++
      wake()
      throw new Error('a cancel may fail')
    },
  }
  return body
}

const context = { limits: { maxReply: 3000 } } as unknown as RetrievalContext
const asItIs = (octets: string): string => octets

test('a body is read up to limits.maxReply, and its connection is closed if there is more', async () => {
  const whole = bodyOf(['x'.repeat(1500), 'x'.repeat(1500)])
  await discard(whole, context)
  const long = bodyOf(['x'.repeat(1500), 'x'.repeat(1501), 'x'])
  await discard(long, context)
  expect([whole.cancelled, long.cancelled, long.left]).toEqual([0, 1, ['x']])
  expect(vi.getTimerCount()).toBe(0)
})

test('a body that takes longer than a second is given up', async () => {
  const body = bodyOf(['a'], 'waits')
  const excerpt = readExcerpt(body, asItIs, context)
  await vi.advanceTimersByTimeAsync(999)
  expect(body.cancelled).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect([await excerpt, body.cancelled]).toEqual(['a', 1])
})

test('an excerpt is the first KiB, in UTF-8 and without secrets, or what came before a break', async () => {
  const pieces = ['x'.repeat(1000), 'y'.repeat(100), 'z']
  expect(await readExcerpt(bodyOf(pieces), asItIs, context)).toBe(`${'x'.repeat(1000)}${'y'.repeat(24)}`)
  const hide = (octets: string): string => octets.replace('s3cr3t', '<password>')
  const broken = bodyOf(['ü s3cr3t http://u:p@h/'], 'breaks')
  expect(await readExcerpt(broken, hide, context)).toBe('ü <password> http://u:***@h/')
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ['Cookie: a=1; b', 'Cookie: <password>'],
  ['set-cookie:a', 'set-cookie:<password>'],
  ['authorization=Basic x\nnext', 'authorization=<password>\nnext'],
  ['{"Authorization": "Bearer x", "b": 1}', '{"Authorization": "<password>", "b": 1}'],
  ["{'cookie'    :    ['x'], y}", "{'cookie'    :    ['<password>'], y}"],
  ['<i>Cookie: a</i>', '<i>Cookie: <password></i>'],
  ['cookie:\r\na', 'cookie:\r\n<password>'],
  ['cookies are good: a', 'cookies are good: a'],
  ['cookie:', 'cookie:'],
])('of %j an excerpt shows %j', async (page, shown) => {
  expect(await readExcerpt(bodyOf([page]), asItIs, context)).toBe(shown)
})
