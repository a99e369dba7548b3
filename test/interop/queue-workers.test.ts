/** Workers of a queue in Redis: processes that are killed and stopped, connections that break, hosts in trouble. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { folderStore, functionStore, type WorkCounts, type WorkOutcome } from '@retriever/queue'
import { expect, test } from 'vitest'
import { bodyOf, type SeenHost } from './queue-site.ts'
import { filesIn, queueSuite } from './queue-suite.ts'
import type { ServerUnderTest } from './suite.ts'

const program = fileURLToPath(new URL('queue-worker.mjs', import.meta.url))

queueSuite(({ server, connection, newQueue, newSite, folder }) => {
  test('a host that asks to wait, and one that does not answer, hold up their own URLs alone', async () => {
    let refusals = 2
    const site = await newSite(12, {
      answer: (host) => {
        // One never answers, and one has had enough twice.
        if (host === 0) return () => {}
        if (host !== 1) return undefined
        return (_, response) => {
          if (refusals-- > 0) response.writeHead(429, { 'retry-after': '1' })
          response.end()
        }
      },
    })
    const queue = await newQueue()
    await queue.add(site.hosts.flatMap((_, host) => Array.from({ length: 30 }, (_, at) => site.url(host, `/${at}`))))
    const states = new Map<string, string[]>()
    const work = {
      store: folderStore(folder()),
      perHost: 2,
      pause: 100,
      tries: 2,
      hostTries: 2,
      request: { limits: { idleTimeout: 1500 } },
      untilDone: true,
      onOutcome: ({ url, state }: WorkOutcome) => {
        const { hostname } = new URL(url)
        states.set(hostname, [...(states.get(hostname) ?? []), state])
      },
    }
    await queue.work(work)
    expect(await queue.progress()).toMatchObject({ added: 360, done: 330, failed: 30, left: 0 })
    const [stalled = '', busy = ''] = site.hosts
    expect(states.get(busy)?.filter((state) => state === 'stored')).toHaveLength(30)
    const times = site.seen.get(busy)?.times ?? []
    expect(Math.max(...times.slice(1).map((time, at) => time - (times[at] ?? 0)))).toBeGreaterThan(950)
    // It had two turns, of two requests each.
    expect(site.seen.get(stalled)?.times.length).toBeLessThanOrEqual(4)
    let failed = 0
    for await (const { code } of queue.failures()) if (code === 'timeout') failed++
    expect(failed).toBe(30)
    expect(await queue.retry()).toBe(30)
    expect(await queue.progress()).toMatchObject({ failed: 0, left: 30 })
  })

  test('a host whose worker changes keeps its interval', async () => {
    const site = await newSite(4)
    const queue = await newQueue(undefined, { shards: 1 })
    const other = await newQueue(queue.name)
    await queue.add(site.hosts.flatMap((_, host) => [1, 2, 3].map((at) => site.url(host, `/${at}`))))
    const work = { store: folderStore(folder()), hosts: 1, turnTime: 1, interval: 100, untilDone: true }
    const counts = await Promise.all([queue.work(work), other.work(work)])
    // Each host had several turns.
    expect(counts.reduce((total, { turns }) => total + turns, 0)).toBeGreaterThan(4)
    for (const { times } of site.seen.values()) {
      expect(times).toHaveLength(3)
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150)
    }
  })

  test('a host that is split has several turns at a time', async () => {
    const site = await newSite(1, { delay: 20 })
    const queue = await newQueue(undefined, { shards: 1 })
    const urls = Array.from({ length: 30 }, (_, at) => site.url(0, `/${at}`))
    expect(await queue.add(urls, { turns: { '127.1.0.0': 3 } })).toMatchObject({ added: 30 })
    expect(await queue.add(urls, { turns: 3 })).toMatchObject({ duplicates: 30 })
    await expect(queue.add(urls, { turns: 0 })).rejects.toMatchObject({ code: 'invalid-option' })
    expect(await queue.progress()).toMatchObject({ hosts: 3 })
    const workers = [queue, await newQueue(queue.name), await newQueue(queue.name)]
    const work = { store: folderStore(folder()), hosts: 1, perHost: 1, untilDone: true }
    await Promise.all(workers.map((worker) => worker.work(work)))
    expect(site.seen.get('127.1.0.0')?.most).toBeGreaterThan(1)
    expect(overCap(site.seen, 3)).toEqual([])
  })

  test('a worker that is told to end gives its hosts back at once', async () => {
    let onAsked = (): void => {}
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    let isFirst = true
    const site = await newSite(1, {
      answer: () => (_, response) => {
        if (!isFirst) response.end()
        isFirst = false
        onAsked()
      },
    })
    const queue = await newQueue()
    await queue.add([site.url(0, '/a'), site.url(0, '/b')])
    const ended = new AbortController()
    const work = { store: folderStore(folder()), perHost: 1 }
    const working = queue.work({ ...work, signal: ended.signal })
    await asked
    ended.abort()
    expect(await working).toMatchObject({ stored: 0, failed: 0, lost: 0 })
    expect(await queue.progress()).toMatchObject({ left: 2, turns: { active: 0 } })
    // After the lease of 30 seconds, the test would have failed.
    expect(await queue.work({ ...work, untilDone: true })).toMatchObject({ stored: 2 })
  })

  test('cancel drops what waits, and takes its hosts from workers', async () => {
    let onAsked = (): void => {}
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const site = await newSite(1, { answer: () => () => onAsked() })
    const queue = await newQueue()
    await queue.add(Array.from({ length: 600 }, (_, at) => site.url(0, `/${at}`)))
    const ended = new AbortController()
    const working = queue.work({ store: folderStore(folder()), lease: 1000, signal: ended.signal })
    await asked
    expect(await queue.cancel()).toBe(600)
    await queue.drain()
    while ((await queue.progress()).turns.active > 0) await setTimeout(20)
    ended.abort()
    expect(await working).toMatchObject({ stored: 0, failed: 0, lost: 1 })
    expect(await queue.progress()).toMatchObject({ added: 600, cancelled: 600, left: 0, hosts: 0 })
  })

  test('connections to Redis that break change no count', async () => {
    const site = await newSite(10)
    const queue = await newQueue()
    const got: string[] = []
    const store = functionStore({ has: ({ url }) => got.includes(url), put: ({ url }) => void got.push(url) })
    const cut = (): void => {
      const socket = connect(server.port(), '127.0.0.1')
      // They also cut each other.
      socket.on('error', () => {}).end('CLIENT KILL TYPE normal\r\n')
    }
    const cutting = setInterval(cut, 30)
    const urls = site.hosts.flatMap((_, host) => Array.from({ length: 200 }, (_, at) => site.url(host, `/${at}`)))
    try {
      expect(await queue.add(urls)).toEqual({ added: 2000, duplicates: 0, refused: 0 })
      expect(await queue.progress()).toMatchObject({ added: 2000, left: 2000, hosts: 10 })
    } finally {
      clearInterval(cutting)
    }
    await queue.work({ store, untilDone: true })
    expect(await queue.progress()).toMatchObject({ added: 2000, done: 2000, left: 0 })
    expect(got.sort()).toEqual(urls.sort())
  })

  /** All at once: three kills, one stop beyond the lease, a restart of Redis, a full disk, and a login. */
  test('killed, stopped and restarted: each URL has one record, and no host more than its cap', {
    timeout: 900_000,
  }, async ({ onTestFinished }) => {
    const size = process.env.RETRIEVER_TEST_RUNS === 'full' ? { hosts: 500, each: 40 } : { hosts: 60, each: 40 }
    const [perHost, interval] = [2, 25]
    const site = await newSite(size.hosts, { delay: 30 })
    const loggedIn: unknown[] = []
    site.arrivals.on('request', ({ headers }) => headers.authorization && loggedIn.push(headers.host))
    const queue = await newQueue()
    const urls = site.hosts.flatMap((_, host) =>
      Array.from({ length: size.each }, (_, at) => site.url(host, `/${at}.txt`)),
    )
    const [first = ''] = site.hosts
    const items = urls.map((url) => (new URL(url).hostname === first ? { url, login: 'alice' } : url))
    expect(await queue.add(items)).toMatchObject({ added: urls.length })
    const shared = join(folder(), 'shared')
    const options = { connection: connection(), name: queue.name, perHost, interval, hosts: 16, lease: 2500 }
    const workers = new Map<string, ChildProcess>()
    let started = 0
    const start = async (): Promise<void> => {
      const number = `${++started}`
      const request = { headers: { 'X-Worker': number } }
      workers.set(number, await startWorker({ ...options, folder: shared, request }))
    }
    const doneOver = async (share: number): Promise<void> => {
      while ((await queue.progress()).done < urls.length * share) await setTimeout(20)
    }
    /** Sends a signal to the first worker of which a request like this comes, before the answer. */
    const signalOne = (signal: NodeJS.Signals, isWanted: (number: string, host: string) => boolean, to?: string) =>
      new Promise<{ number: string; host: string }>((resolve) => {
        site.arrivals.on('request', function look({ headers }) {
          const { 'x-worker': number = '', host = '' } = headers
          if (typeof number !== 'string' || !workers.has(number) || !isWanted(number, host)) return
          site.arrivals.off('request', look)
          workers.get(to ?? number)?.kill(signal)
          resolve({ number, host })
        })
      })
    // It begins first, so that there are hosts enough for it to fill its disk.
    const disk = mkdtempSync(join(tmpdir(), 'queue-disk-'))
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk]).status === 0
    onTestFinished(() => {
      if (isMounted) spawnSync('umount', [disk])
      rmSync(disk, { recursive: true })
    })
    const saidOnDisk = isMounted ? countsOf(await startWorker({ ...options, folder: disk })) : { code: 'write-failed' }
    await Promise.all([1, 2, 3, 4].map(start))
    for (const share of [0.1, 0.2, 0.3]) {
      await doneOver(share)
      await signalOne('SIGKILL', () => true)
      await start()
    }
    await doneOver(0.4)
    const { number: zombie, host } = await signalOne('SIGSTOP', () => true)
    const said = countsOf(workers.get(zombie))
    const others = signalOne('SIGCONT', (number, asked) => number !== zombie && asked === host, zombie)
    await restartRedis(server)
    // It goes on while another one asks its host.
    await others
    await queue.drain()
    await Promise.all([...workers.values()].map(ended))

    expect((await said).lost).toBeGreaterThan(0)
    expect(await saidOnDisk).toEqual({ code: 'write-failed' })
    expect(await queue.progress()).toMatchObject({
      added: urls.length,
      done: urls.length,
      failed: 0,
      left: 0,
      hosts: 0,
    })
    const [records, early] = [filesIn(shared), filesIn(disk)]
    expect([...new Set([...records, ...early])].sort()).toEqual(urls.map(bodyOf).sort())
    // Others found none of those that were under way at the full disk, since it is no store of theirs.
    expect(records.length + early.length - urls.length).toBeLessThan(16 * (perHost + 64))
    expect(readdirSync(join(shared, '.unfinished')).length).toBeLessThanOrEqual(3 * 16 * perHost)
    expect(overCap(site.seen, perHost)).toEqual([])
    // A busy machine may shorten one interval, and lengthens others.
    const spans = [...site.seen.values()].map(({ times }) => (times.at(-1) ?? 0) - (times[0] ?? 0))
    expect(Math.min(...spans)).toBeGreaterThan(0.8 * interval * (size.each - 1))
    expect(new Set(loggedIn)).toEqual(new Set([new URL(urls[0] ?? '').host]))
    const data = readdirSync(server.path('appendonlydir')).map((name) =>
      readFileSync(server.path(`appendonlydir/${name}`)),
    )
    expect(Buffer.concat(data).includes('127.1.0.0')).toBe(true)
    expect(Buffer.concat(data).includes('hunter2')).toBe(false)
    const repeated = [...site.asked.values()].filter((count) => count > 1).length
    // Only those that were under way or not yet recorded at a kill or at the stop.
    expect(repeated).toBeLessThan(4 * 16 * (perHost + 64))
    if (process.env.RETRIEVER_TEST_RUNS === 'full') {
      const most = Math.max(...[...site.seen.values()].map((seen) => seen.most))
      process.stdout.write(
        `${urls.length} URLs, ${size.hosts} hosts: ${repeated} asked for again, at most ${most} at a time\n`,
      )
    }
  })
})

/** Hosts that had more requests at a time than they may. */
function overCap(seen: ReadonlyMap<string, SeenHost>, cap: number): string[] {
  return [...seen].filter(([, { most }]) => most > cap).map(([host, { most }]) => `${host}: ${most}`)
}

async function startWorker(options: object): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(worker.stdout, 'data')
  return worker
}

/** What a worker prints when it ends. */
async function countsOf(worker: ChildProcess | undefined): Promise<WorkCounts> {
  let text = ''
  for await (const chunk of worker?.stdout ?? []) text += chunk
  return JSON.parse(text)
}

async function ended(worker: ChildProcess): Promise<void> {
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
}

async function restartRedis(server: ServerUnderTest): Promise<void> {
  const pids = server.path('redis.pid')
  const old = Number(readFileSync(pids, 'utf8').trim().split('\n').at(-1))
  process.kill(old, 'SIGTERM')
  while (isAlive(old)) await setTimeout(20)
  const redis = spawn(server.path('start'), [], { detached: true, stdio: 'ignore' })
  redis.unref()
  appendFileSync(pids, `${redis.pid}\n`)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
