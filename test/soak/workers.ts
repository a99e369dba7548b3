/**
 * Three workers of one queue in Redis, of which two are killed now and then, while URLs are added and servers
 * misbehave: `workers SECONDS SEED`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openQueue } from '@retriever/queue'
import { Random } from '../fuzz/random.ts'
import { bodyOf, queueSite } from '../interop/queue-site.ts'
import { Growth } from './growth.ts'

const [seconds, seed] = process.argv.slice(2).map(Number) as [number, number]
const random = new Random(seed)
const folder = await mkdtemp(join(tmpdir(), 'soak-queue-'))
const port = await freePort()
const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
})
for await (const said of redis.stdout) if (String(said).includes('Ready to accept')) break

const misbehaviours: readonly ((response: ServerResponse, body: string) => void)[] = [
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
  (response) => response.destroy(),
  (response, body) => response.writeHead(200, { 'content-length': body.length + 9 }).write(body),
  (response, body) => response.writeHead(200, { 'content-length': body.length }).end(body.slice(0, 5)),
]

let isPlaying = true
const site = await queueSite(40, { answer: (host) => (host % 4 === 0 ? misbehaving : undefined) })
const connection = `redis://127.0.0.1:${port}`
const queue = await openQueue({ connection, name: 'soak' })
const urls = new Set<string>()
await add()
const options = {
  ...{ connection, name: 'soak', folder: join(folder, 'files') },
  ...{ perHost: 4, lease: 3000, pause: 50, tries: 20, hostTries: 1000, request: { limits: { idleTimeout: 500 } } },
}
const workers = [work(), work(), work()]
const growth = new Growth(workers[0]?.pid)
process.on('exit', () => {
  for (const each of [...workers, redis]) each.kill('SIGKILL')
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))

let kills = 0
const end = performance.now() + 1000 * seconds
while (performance.now() < end) {
  await setTimeout(Math.min(1000, 20 * seconds))
  if ((await queue.progress()).left < 3000) await add()
  if (random.chance(10)) {
    const at = 1 + random.below(2)
    workers[at]?.kill('SIGKILL')
    workers[at] = work()
    kills++
  }
  const { rss, files } = growth.sample()
  const { done, failed, left } = await queue.progress()
  if (random.chance(10))
    print(
      `${done} done, ${failed} failed, ${left} left, ${kills} kills, RSS ${(rss / 1e6).toFixed(0)} MB, ${files} files`,
    )
}
isPlaying = false
// A worker that has nothing to do ends.
await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')))

const wrong: string[] = growth.grown()
const { added, done, failed, left } = await queue.progress()
print(`${added} added, ${done} done, ${failed} failed, ${left} left, ${kills} kills`)
if (added !== urls.size || done + failed !== added) wrong.push(`${urls.size} URLs have other counts`)
const files = readdirSync(options.folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.includes('.unfinished'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
const bodies = new Set([...urls].map(bodyOf))
if (files.length !== done) wrong.push(`${files.length} files for ${done} URLs`)
if (new Set(files).size !== files.length) wrong.push('two files are the same')
if (files.some((file) => !bodies.has(file))) wrong.push('a file differs from its body')
await queue.close()
await site.close()
redis.kill()
await once(redis, 'exit')
await rm(folder, { recursive: true })
for (const text of wrong) print(`WRONG: ${text}`)
process.exitCode = wrong.length > 0 ? 1 : 0

function work(): ChildProcess {
  const program = fileURLToPath(new URL('../../interop/queue-worker.mjs', import.meta.url))
  return spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] })
}

async function add(): Promise<void> {
  const more = Array.from({ length: 2000 }, () => site.url(random.below(site.hosts.length), `/${urls.size}`))
  for (const [at, url] of more.entries()) urls.add(`${url}-${at}`)
  await queue.add([...urls].slice(-more.length))
}

/** Three of ten answers are wrong, while the servers of every fourth host play. */
function misbehaving(...[request, response]: Parameters<RequestListener>): void {
  const body = bodyOf(`http://${request.headers.host}${request.url}`)
  if (isPlaying && random.chance(30)) random.pick(misbehaviours)(response, body)
  else response.end(body)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
