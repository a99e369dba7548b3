/** What the owner of a turn knows of its lock, without Redis. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ShardKeys } from '../../packages/queue/src/redis/keys.ts'
import type { Shard } from '../../packages/queue/src/redis/shard.ts'
import { holdTurn } from '../../packages/queue/src/scripts/frontier.ts'
import { Lease } from '../../packages/queue/src/turns/lease.ts'

/** Gives the answers one after the other, and then 1. */
function leaseOf(...answers: readonly unknown[]): { readonly lease: Lease; readonly asked: unknown[][] } {
  const asked: unknown[][] = []
  const left = [...answers]
  const runWith = async (...args: unknown[]): Promise<unknown> => {
    asked.push(args)
    return left.length === 0 ? 1 : left.shift()
  }
  const shard = { keys: new ShardKeys('p', 'q', 0), runWith } as unknown as Shard
  return { lease: new Lease(shard, 'a.example', 'token', 1000), asked }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

test('each script names lock, token and duration, and makes the lock last', async () => {
  const { lease, asked } = leaseOf([], 'answer')
  expect(await lease.run(holdTurn)).toEqual([])
  const keys = ['{p:q:0}:q-0:a.example:lock', '{p:q:0}:']
  expect(asked).toEqual([[holdTurn, keys, 'token', 1000, 'a.example']])
  lease.end()
  vi.advanceTimersByTime(699)
  lease.look()
  expect(lease.isLost).toBe(false)
})

test("a lock may be another one's before its time is over", async () => {
  const { lease, asked } = leaseOf()
  await lease.run(holdTurn)
  lease.end()
  vi.advanceTimersByTime(700)
  lease.look()
  expect(lease.signal.reason).toMatchObject({
    code: 'aborted',
    transient: true,
    message: 'The turn of a.example was lost: another worker may have it.',
  })
  // Redis is asked no more.
  expect(await lease.run(holdTurn)).toBeNull()
  expect(asked).toHaveLength(1)
})

test('a lock lasts from the time when it was asked for, however late the answer comes', async () => {
  let answer = (_: number): void => {}
  const { lease } = leaseOf(new Promise((resolve) => (answer = resolve)))
  const held = lease.run(holdTurn)
  lease.end()
  vi.advanceTimersByTime(600)
  answer(1)
  expect(await held).toBe(1)
  vi.advanceTimersByTime(100)
  lease.look()
  expect(lease.isLost).toBe(true)
})

test('a turn ends before its lock does if Redis is silent', async () => {
  const { lease } = leaseOf(1, new Promise(() => {}), new Promise(() => {}), new Promise(() => {}))
  await lease.run(holdTurn)
  await vi.advanceTimersByTimeAsync(999)
  expect(lease.signal.aborted).toBe(true)
})

test('an answer that says the lock has another owner aborts the turn', async () => {
  const { lease } = leaseOf(-1)
  expect(await lease.run(holdTurn)).toBeNull()
  expect(lease.signal.reason).toMatchObject({ code: 'aborted' })
})

test('the lock is kept while nothing else is asked', async () => {
  const { lease, asked } = leaseOf()
  await vi.advanceTimersByTimeAsync(1500)
  expect(asked).toHaveLength(6)
  lease.look()
  expect(lease.isLost).toBe(false)
  lease.end()
  await vi.advanceTimersByTimeAsync(1500)
  expect(asked).toHaveLength(6)
})
