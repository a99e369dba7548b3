import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestModule } from 'vitest/node'
import { RetriedReporter } from './retried-reporter.ts'

let before: typeof process.exitCode
beforeEach(() => {
  before = process.exitCode
  process.exitCode = undefined
})
afterEach(() => {
  process.exitCode = before
})

/** What the reporter tells of a run with one test, and the exit status that it sets. */
function told(outcome: { ok?: boolean; retryCount: number }, reasons: Record<string, string> = {}) {
  const result = { errors: [{ message: 'expected 1 to be 2\nand so on' }] }
  const one = { fullName: 'waits', ok: () => outcome.ok ?? true, diagnostic: () => outcome, result: () => result }
  const module = { relativeModuleId: 'test/a.test.ts', children: { allTests: () => [one] } }
  const lines: string[] = []
  new RetriedReporter(reasons, (line) => void lines.push(line)).onTestRunEnd([module as unknown as TestModule])
  return { lines, exitCode: process.exitCode }
}

test('a test that passed only the second time fails the run', () => {
  const line =
    'Retried: test/a.test.ts > waits (no reason in test/support/may-retry.ts: the run fails); at first: expected 1 to be 2\n'
  expect(told({ retryCount: 1 })).toEqual({ lines: [line], exitCode: 1 })
})

test('one with a reason is only named', () => {
  const reasons = { 'test/a.test.ts > waits': 'the real server drops datagrams' }
  const line = 'Retried: test/a.test.ts > waits (the real server drops datagrams); at first: expected 1 to be 2\n'
  expect(told({ retryCount: 1 }, reasons)).toEqual({ lines: [line], exitCode: undefined })
})

test('one that passed at once, or failed twice, is not retried', () => {
  expect(told({ retryCount: 0 })).toEqual({ lines: [], exitCode: undefined })
  expect(told({ ok: false, retryCount: 1 })).toEqual({ lines: [], exitCode: undefined })
})
