/** What a command with many URLs tells while it runs, if standard error is no terminal. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'

const outer = temporaryFolder()
let held: (() => void)[] = []
const server = listServer(({ url = '' }, response) => {
  if (url === '/gone') return void response.writeHead(404).end()
  if (url === '/slow') held.push(() => response.end('slow'))
  else response.end(url)
})
let base = ''
beforeAll(() => {
  base = server()
})
beforeEach(() => {
  held = []
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => void vi.useRealTimers())

/** Retrieves URLs, of which the last one is held for so many milliseconds. */
async function run(time: number, ...more: string[]): Promise<string[]> {
  const cwd = mkdtempSync(join(outer(), 'minute-'))
  const urls = ['/a', '/gone', '/slow'].map((path) => base + path)
  const running = retrieve(['-j', '1', '--remote-name-all', ...more, ...urls], { cwd })
  while (held.length === 0) await new Promise(setImmediate)
  vi.advanceTimersByTime(time)
  for (const answer of held) answer()
  return (await running).stderr.split('\n').filter((line) => /\/s(,|$)/.test(line))
}

test('one line a minute: done, failures with their hosts, rate, time left', async () => {
  const lines = await run(125_000)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^retrieve: \[2\/3\] 1 failed \(1 at 127\.0\.0\.1\), [\d.]+ K?B\/s, \d:\d\d left$/)
})

test.each([[59_000], [125_000, '-s'], [125_000, '--json']])('none after %i ms %s', async (time, ...more) => {
  expect(await run(Number(time), ...more.map(String))).toEqual([])
})
