/** Hostile clients of a gateway, whose servers have faults: `gateway SECONDS SEED`. Nothing of the clients may stay. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@retriever/fetchers'
import { createGateway } from '@retriever/gateway'
import { testCa } from '@retriever/servers'
import { addressOf } from '../../packages/gateway/src/pages/address.ts'
import { Random } from '../fuzz/random.ts'
import { Growth, mega } from './growth.ts'

const [seconds, seed] = process.argv.slice(2).map(Number) as [number, number]
const random = new Random(seed)
const sites = fork(fileURLToPath(new URL('sites.mjs', import.meta.url)), [String(seed)])
const [{ urls }] = (await once(sites, 'message')) as [{ urls: string[] }]
/** Files of gigabytes, which no client reads to their end. */
const endless = ['http', 'ftp', 'gopher'].map((scheme) => {
  const origin = urls
    .find((url) => url.startsWith(`${scheme}:`))
    ?.split('/', 3)
    .join('/')
  return `${origin}/${scheme === 'gopher' ? '9/big' : 'big'}`
})

const places = 32
const client = createClient({
  tls: { ca: testCa },
  limits: { totalTimeout: 4000, idleTimeout: 600, connectTimeout: 600, maxRetries: 0 },
})
const limits = { requests: places, connections: 4 * places, headTimeout: 500, idleTimeout: 1000 }
const gateway = createGateway({ client, limits })
const [proxy, pages] = (await Promise.all(
  [gateway.proxy, gateway.pages].map(async ({ server }) => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }),
)) as [number, number]

const counts = new Map<string, number>()
const wrong: string[] = []
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)

/** How a client goes on: octets in pieces, how much it reads, and whether it waits before it reads. */
interface Manners {
  readonly pieces: readonly string[]
  readonly most: number
  readonly waits: boolean
}

/** One client. It resolves to what came, up to 4 KiB of it, once its connection is closed. */
async function visit(port: number, { pieces, most, waits }: Manners): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  // It leaves at last, whatever the gateway does.
  const leaving = globalThis.setTimeout(() => socket.destroy(), 3000)
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  let came = ''
  let read = 0
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length
    if (came.length < 4096) came += chunk.toString('latin1')
    if (read >= most) socket.destroy()
  })
  if (waits) socket.pause()
  for (const piece of pieces) {
    if (socket.destroyed) break
    socket.write(piece, 'latin1')
    if (random.chance(20)) await setTimeout(random.below(30))
  }
  if (waits) {
    await setTimeout(random.below(1500))
    socket.resume()
  }
  if (most === 0) socket.destroy()
  await closed
  clearTimeout(leaving)
  return came
}

const close = 'Connection: close\r\n'

/** A request to the proxy or the pages, and the port that it goes to. */
function request(): readonly [port: number, head: string] {
  const url = random.chance(30) ? random.pick(endless) : random.pick(urls)
  const field = random.pick(['', 'Range: bytes=5-\r\n', 'Accept: text/html\r\n', close, close, close])
  const method = random.pick(['GET', 'GET', 'GET', 'GET', 'HEAD'])
  if (random.chance(50)) return [proxy, `${method} ${url} HTTP/1.1\r\nHost: h\r\n${field}\r\n`]
  const own = random.pick(['', 'raw=1', 'raw=1', 'zip=1', 'part=2', 'sort=-size'])
  const address = addressOf(url, own || undefined)
  return [pages, `${method} ${address} HTTP/1.1\r\nHost: localhost:${pages}\r\n${field}\r\n`]
}

const doings: Readonly<Record<string, () => Promise<string>>> = {
  'read a while': async () => {
    const [port, head] = request()
    return visit(port, { pieces: [head], most: random.below(1 + random.below(2 ** 20)), waits: false })
  },
  'waited before reading': async () => {
    const [port, head] = request()
    return visit(port, { pieces: [head], most: 1 + random.below(2 ** 22), waits: true })
  },
  'sent several at once': async () => {
    const all = Array.from({ length: 1 + random.below(5) }, request)
    const [[port] = [proxy]] = all
    return visit(port, {
      pieces: all.map(([, head]) => head),
      most: 1 + random.below(2 ** 20),
      waits: random.chance(20),
    })
  },
  'sent a part of a head': async () => {
    const [port, head] = request()
    return visit(port, {
      pieces: [head.slice(0, random.below(head.length))],
      most: random.below(2) * 4096,
      waits: false,
    })
  },
  'sent odd octets': async () => {
    const octets = random.several(300, () => String.fromCharCode(random.below(256)))
    return visit(random.pick([proxy, pages]), { pieces: [octets], most: 4096, waits: false })
  },
  'sent less content than it said': async () => {
    const form = ['/login', '/accept', '/form', '/go'].map((path) => [pages, path, `localhost:${pages}`] as const)
    const web = [proxy, urls.find((url) => url.startsWith('http:')) ?? '', 'h'] as const
    const [port, target, host] = random.pick([...form, web])
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\n${type}\r\nContent-Length: 9999\r\n\r\nurl=`
    return visit(port, { pieces: [head, 'gopher://h/'], most: random.below(2) * 4096, waits: false })
  },
  'asked for a tunnel': () => {
    return visit(proxy, { pieces: ['CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n'], most: 4096, waits: false })
  },
}

await say('play')
const growth = new Growth()
const end = performance.now() + 1000 * seconds
const lanes = Array.from({ length: places + 8 }, async () => {
  while (performance.now() < end) {
    const [name, act] = random.pick(Object.entries(doings))
    const answer = await act()
    count(name)
    count(`answers ${/^HTTP\/1\.1 (\d)\d\d /.exec(answer)?.[1] ?? '-'}xx`)
    if (/^HTTP\/1\.1 500/.test(answer)) wrong.push(`${name}: ${answer.slice(0, 300)}`)
  }
})
const watching = (async () => {
  while (performance.now() < end) {
    await setTimeout(Math.min(5000, 20 * seconds))
    const { heap, rss, files } = growth.sample()
    print(`${visits()} visits, heap ${mega(heap)} MB, RSS ${mega(rss)} MB, ${files} files, ${wrong.length} wrong`)
  }
})()
await Promise.all([...lanes, watching])

await say('rest')
// All places can be taken again.
const wanted = urls.find((url) => url.startsWith('gopher:')) ?? ''
const head = `GET ${wanted} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`
const last = Array.from({ length: places }, () => visit(proxy, { pieces: [head], most: 2 ** 24, waits: false }))
const served = (await Promise.all(last)).filter((answer) => answer.startsWith('HTTP/1.1 200 ')).length
if (served !== places) wrong.push(`At the end, ${served} of ${places} places are left.`)
await gateway.close()
await client.close()
const open = process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket') || name === 'Timeout')
if (open.length > 0) wrong.push(`After close() there are ${open.join(', ')}.`)
sites.disconnect()
print([...counts].map(([what, times]) => `${times} ${what}`).join(', '))
print(`seed ${seed}: ${visits()} visits in ${seconds} s; ${growth.summary()}`)
for (const text of [...wrong.slice(0, 20), ...growth.grown()]) print(`WRONG: ${text}`)
process.exitCode = wrong.length + growth.grown().length > 0 ? 1 : 0

function visits(): number {
  return Object.keys(doings).reduce((sum, name) => sum + (counts.get(name) ?? 0), 0)
}

async function say(word: string): Promise<void> {
  sites.send(word)
  await once(sites, 'message')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
