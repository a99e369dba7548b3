/** A client that does everything at once, from servers with faults: `one-process SECONDS SEED`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RetrievalError } from '@retriever/core'
import { createClient, type Representation } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { Random } from '../fuzz/random.ts'
import { Growth, mega } from './growth.ts'

const [seconds, seed] = process.argv.slice(2).map(Number) as [number, number]
const random = new Random(seed)
const sites = fork(fileURLToPath(new URL('sites.mjs', import.meta.url)), [String(seed)])
const [{ urls, tree }] = (await once(sites, 'message')) as [{ urls: string[]; tree: string }]
const folder = await mkdtemp(join(tmpdir(), 'soak-'))
const client = createClient({
  tls: { ca: testCa },
  limits: { totalTimeout: 4000, idleTimeout: 600, connectTimeout: 600, maxRetries: 1, retryDelay: 50 },
  giveUpHosts: false,
  perHost: 6,
})

const counts = new Map<string, number>()
const wrong: string[] = []
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)

/** The octets or the error code of each URL, without faults. */
const right = new Map<string, Buffer | string>()
for (const url of urls) right.set(url, await contentOf(url))
await say('play')

const doings = [one, one, aborted, forgotten, batch, saved, mirrored]
const growth = new Growth()
const end = performance.now() + 1000 * seconds
const lanes = Array.from({ length: 12 }, async () => {
  while (performance.now() < end) await random.pick(doings)()
})
const watching = (async () => {
  while (performance.now() < end) {
    await setTimeout(Math.min(5000, 20 * seconds))
    const { heap, rss, files } = growth.sample()
    const outcomes = [...counts.values()].reduce((sum, each) => sum + each, 0)
    print(`${outcomes} outcomes, heap ${mega(heap)} MB, RSS ${mega(rss)} MB, ${files} files, ${wrong.length} wrong`)
  }
})()
await Promise.all([...lanes, watching])

await say('rest')
for (const url of urls) {
  const now = await contentOf(url)
  if (!same(now, right.get(url))) wrong.push(`${url} differs after the faults`)
}
await client.close()
const open = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP') || name === 'Timeout')
if (open.length > 0) wrong.push(`After close() there are ${open.join(', ')}.`)
sites.disconnect()
await rm(folder, { recursive: true })
print(
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([what, times]) => `${times} ${what}`)
    .join(', '),
)
for (const text of [...wrong, ...growth.grown()]) print(`WRONG: ${text}`)
process.exitCode = wrong.length + growth.grown().length > 0 ? 1 : 0

// The operations of the lanes.

async function one(): Promise<void> {
  const url = random.pick(urls)
  await account(url, client.retrieve(url))
}

async function aborted(): Promise<void> {
  const url = random.pick(urls)
  await account(url, client.retrieve(url, { signal: AbortSignal.timeout(random.below(60)) }))
}

/** A body that is cancelled after some octets. */
async function forgotten(): Promise<void> {
  try {
    const representation = await client.retrieve(random.pick(urls))
    for await (const chunk of representation.body) if (chunk.length > random.below(9)) break
    count('cancelled')
  } catch (error) {
    failed(error)
  }
}

async function batch(): Promise<void> {
  const list = Array.from({ length: 30 }, () => random.pick(urls))
  let outcomes = 0
  for await (const { url, representation, error } of client.retrieveAll(list)) {
    outcomes++
    if (error === null) await account(url, representation)
    else failed(error)
  }
  if (outcomes !== list.length) wrong.push(`${outcomes} outcomes for ${list.length} URLs`)
}

async function saved(): Promise<void> {
  const url = random.pick(urls)
  const file = join(folder, String(random.below(1_000_000)))
  try {
    await client.save(url, file)
    if (!same(await readFile(file), right.get(url)) && !isUnframed(url)) wrong.push(`${url}: the file differs`)
    count('saved')
  } catch (error) {
    failed(error)
  }
  await Promise.all([file, `${file}.part`, `${file}.part.json`].map((name) => rm(name, { force: true })))
}

async function mirrored(): Promise<void> {
  const target = join(folder, `tree${random.below(1_000_000)}`)
  try {
    await client.mirror(tree, target)
    count('mirrored')
  } catch (error) {
    failed(error)
  }
  await rm(target, { recursive: true, force: true })
}

/** Counts an outcome, and compares its octets. */
async function account(url: string, retrieval: Promise<Representation> | Representation): Promise<void> {
  try {
    const representation = await retrieval
    const content = Buffer.from(await representation.bytes())
    count('right')
    const expected = right.get(url)
    if (same(content, expected) || typeof expected === 'string') return
    const isPart = isUnframed(url) && expected?.subarray(0, content.length).equals(content)
    if (isPart !== true) wrong.push(`${url}: ${content.length} octets, not ${expected?.length}`)
  } catch (error) {
    failed(error)
  }
}

function failed(error: unknown): void {
  if (RetrievalError.is(error)) count(error.code)
  else wrong.push(`not a RetrievalError: ${error instanceof Error ? error.stack : error}`)
}

/** The octets, or the code of the error. */
async function contentOf(url: string): Promise<Buffer | string> {
  try {
    return Buffer.from(await (await client.retrieve(url)).bytes())
  } catch (error) {
    if (RetrievalError.is(error)) return error.code
    throw error
  }
}

function same(a: Buffer | string | undefined, b: Buffer | string | undefined): boolean {
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b
}

/**
 * Without a length, a body that ends early looks as if it had ended, also at the proper end of TLS, and if the FTP
 * server says 226. MQTT's length is that of what comes.
 */
function isUnframed(url: string): boolean {
  return /^(gopher|finger|gemini|mqtt):|^ftp:.*\/$/.test(url)
}

async function say(word: string): Promise<void> {
  sites.send(word)
  await once(sites, 'message')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
