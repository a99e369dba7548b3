/** Mirrors that are killed in the middle. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startHttpServer } from '@retriever/servers'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { alias } from '../../vitest.config.ts'
import { random } from '../support/random.ts'
import { isFull } from '../support/runs.ts'
import { SlowProxy } from '../support/tree/slow-proxy.ts'

const jail = mkdtempSync(join(tmpdir(), 'killed-'))
const child = join(jail, 'bundle/mirror-child.mjs')
const folder = join(jail, 'target')

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../support/tree/mirror-child.ts', import.meta.url))],
    outdir: join(jail, 'bundle'),
    bundle: true,
    splitting: true,
    format: 'esm',
    // Node 20.18 takes .js for CommonJS.
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node20.18',
    // Names only: the child imports none of the paths that an expression stands for.
    alias: Object.fromEntries(
      alias.filter(({ find }) => typeof find === 'string').map((each) => [each.find, each.replacement]),
    ),
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  })
})
afterAll(() => rmSync(jail, { recursive: true }))

const next = random(20)
const files: Record<string, Uint8Array> = Object.fromEntries(
  Array.from({ length: 24 }, (_, n) => {
    const content = Uint8Array.from({ length: Math.floor(next() * 1_600_000) }, () => next() * 256)
    return [`/t/${['', 'a/', 'a/b/'][n % 3]}${n}.bin`, content]
  }),
)
const whole = sum(Object.values(files).map(({ length }) => length))

function sum(lengths: Iterable<number>): number {
  let total = 0
  for (const length of lengths) total += length
  return total
}

function run(url: string): { process: ChildProcess; ended: Promise<unknown[]> } {
  const started = spawn(process.execPath, [child, url, folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return { process: started, ended: once(started, 'exit') }
}

/**
 * The complete files, and the lengths of the parts, by the path on the server. A part without a record does not count:
 * it is a small body, written in one call, and comes anew.
 */
function state(): { complete: Map<string, Uint8Array>; parts: Map<string, number> } {
  const complete = new Map<string, Uint8Array>()
  const parts = new Map<string, number>()
  for (const path of existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []) {
    const file = join(folder, path)
    if (statSync(file).isDirectory() || /\.json/.test(path)) continue
    if (path.endsWith('.part')) {
      if (existsSync(`${file}.json`)) parts.set(`/t/${path.slice(0, -5)}`, statSync(file).size)
    } else complete.set(`/t/${path}`, readFileSync(file))
  }
  return { complete, parts }
}

/** A child may get so many octets more than those at which it is killed: listings, heads, and what it has not read. */
const ahead = 64_000

/** Resolves once the child has received so many octets. */
function receipt(child: ChildProcess, octets: number): Promise<void> {
  return new Promise((resolve) => child.on('message', (received) => Number(received) >= octets && resolve()))
}

/** Five kills in `npm test`, forty in `npm run test:all`. */
const kills = isFull ? 40 : 5

test('R36, R44: after many kills at random moments no file is wrong, and none that was complete comes again', {
  timeout: 600_000,
}, async () => {
  // An attempt that failed may have left files.
  rmSync(folder, { recursive: true, force: true })
  await using server = await startHttpServer({ files })
  await using proxy = await SlowProxy.to(server.port)
  const url = `${proxy.url}t/`
  const wrong: string[] = []
  let resumed = 0

  for (let kill = 0; kill <= kills; kill++) {
    const before = state()
    const begin = proxy.passed.length
    const missing = whole - sum([...before.complete.values()].map(({ length }) => length)) - sum(before.parts.values())
    const octets = kill < kills ? (next() * 2 * missing) / (kills - kill + 5) : Number.POSITIVE_INFINITY
    proxy.allow(octets + ahead)
    const { process: mirroring, ended } = run(url)
    if (kill < kills) {
      await Promise.race([receipt(mirroring, octets), ended])
      mirroring.kill('SIGKILL')
    }
    expect(await ended).toEqual(kill < kills ? [null, 'SIGKILL'] : [0, null])

    for (const [path, octets] of state().complete) {
      if (Buffer.compare(octets, files[path] ?? new Uint8Array()) !== 0) wrong.push(path)
    }
    for (const { path, from, status } of proxy.passed.slice(begin)) {
      if (path.endsWith('/')) continue
      if (before.complete.has(path) && status !== 304 && status !== null) wrong.push(`${path} came again (${status})`)
      const part = before.parts.get(path) ?? 0
      if (part > 0 && from !== part) wrong.push(`${path} was asked from ${from} on, with a part of ${part}`)
      if (part > 0) resumed++
    }
  }

  expect(wrong).toEqual([])
  expect(resumed).toBeGreaterThan(kills / 4)
  const { complete, parts } = state()
  expect([...complete.keys()].sort()).toEqual(Object.keys(files).sort())
  expect([...parts]).toEqual([])
  const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('.part'))
  expect(left).toEqual([])
})
