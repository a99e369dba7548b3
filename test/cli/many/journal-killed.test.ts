/** A list with a journal whose command is killed again and again. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { listServer } from '../../support/cli/list-server.ts'
import { start, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { random } from '../../support/random.ts'

useBundle()
const outer = temporaryFolder()

/** How often each path was asked for. */
const asked = new Map<string, number>()
let requests = 0
/** Called at each request with the number of all so far. */
let onRequest = (_count: number): void => {}

/** Most bodies are saved in memory; each 50th is longer, and is written through a part with a record. */
function bodyOf(path: string): Buffer {
  const number = Number(/\d+$/.exec(path)?.[0])
  return Buffer.from(`${path}\n`.repeat(number % 50 === 0 ? 10_000 : 1 + (number % 9)))
}

const server = listServer(({ url = '', headers: { range = '' } }, response) => {
  asked.set(url, (asked.get(url) ?? 0) + 1)
  onRequest(++requests)
  if (url.includes('gone')) return void response.writeHead(404).end('gone')
  const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0)
  const body = bodyOf(url)
  const rest = body.subarray(from)
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': rest.length,
    etag: `"${url}"`,
    ...(from > 0 && { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` }),
  })
  response.end(rest)
})
let base = ''
beforeAll(() => {
  base = server()
})

const kills = 20
const count = 2400
const jobs = 8

test('each URL is saved once, no octet is wrong, and only what was in flight is asked for again', {
  timeout: 600_000,
}, async () => {
  // An attempt that failed has asked, too.
  asked.clear()
  const cwd = mkdtempSync(join(outer(), 'killed-'))
  // Eight URLs have each base name.
  const paths = Array.from({ length: count }, (_, n) => `/${n % 8}/${n % 100 === 99 ? 'gone' : 'f'}${n >> 3}`)
  writeFileSync(join(cwd, 'list'), [...paths, ...paths.slice(0, 20)].map((path) => `${base}${path}\n`).join(''))
  const args = ['--from', 'list', '-j', String(jobs), '--parallel-max-host', String(jobs)]
  const command = [...args, '--output-dir', 'out', '--create-dirs', '--journal', 'journal', '-s']
  const next = random(25)

  for (let kill = 0; kill < kills; kill++) {
    const child = start(command, { cwd })
    const ended = once(child, 'exit')
    const last = requests + 1 + Math.floor(next() * ((2 * count) / (kills + 5)))
    await Promise.race([new Promise<void>((resolve) => (onRequest = (n) => void (n >= last && resolve()))), ended])
    child.kill('SIGKILL')
    await ended
  }
  onRequest = () => {}
  const [status] = await once(start(command, { cwd }), 'exit')

  expect(status).toBe(22)
  expect([...asked.keys()].toSorted()).toEqual(paths.toSorted())
  const again = [...asked.values()].reduce((sum, times) => sum + times - 1, 0)
  expect(again).toBeLessThanOrEqual(kills * jobs)
  const good = paths.filter((path) => !path.includes('gone'))
  const files = readdirSync(join(cwd, 'out'))
  const saved = files.map((name) => readFileSync(join(cwd, 'out', name)))
  const path = (body: Buffer): string => body.subarray(0, body.indexOf('\n')).toString()
  expect(saved.map(path).toSorted()).toEqual(good.toSorted())
  expect(saved.filter((body) => !body.equals(bodyOf(path(body))))).toEqual([])

  const before = requests
  const [unchanged] = await once(start(command, { cwd }), 'exit')
  expect([unchanged, requests - before]).toEqual([22, 0])
})
