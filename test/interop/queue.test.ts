/** A queue in Redis, with workers in processes of their own that are killed and stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { folderStore, functionStore, openQueue, type Queue, type WorkCounts, type WorkOutcome } from '@retriever/queue'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bodyOf, type QueueSite, queueSite, type SeenHost } from './queue-site.ts'
import { type ServerUnderTest, suite } from './suite.ts'

const program = fileURLToPath(new URL('queue-worker.mjs', import.meta.url))

suite('redis', (server) => {
  const connection = (): string => server.url('redis', '')
  let folder = ''
  let number = 0
  const opened: { close(): Promise<void> }[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'queue-'))
  })
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close()
    rmSync(folder, { recursive: true })
  })

  async function newQueue(name = `queue-${++number}`): Promise<Queue> {
    const queue = await openQueue({ connection: connection(), name })
    opened.push(queue)
    return queue
  }

  async function newSite(...options: Parameters<typeof queueSite>): Promise<QueueSite> {
    const site = await queueSite(...options)
    opened.push(site)
    return site
  }

  test('a list is retrieved into a folder, each URL once, and failures say why', async () => {
    const site = await newSite(2, {
      answer: (host) => (host === 1 ? (_, response) => response.writeHead(404).end() : undefined),
    })
    const queue = await newQueue()
    const urls = [site.url(0, '/a.txt'), site.url(0, '/b'), site.url(1, '/missing?token=secret')]
    expect(await queue.add([...urls, site.url(0, '/%61.txt')])).toEqual({ added: 3, duplicates: 1, refused: 0 })
    expect(await queue.add(urls)).toEqual({ added: 0, duplicates: 3, refused: 0 })
    expect(await queue.progress()).toMatchObject({ added: 3, left: 3, hosts: 2, turns: { waiting: 2 } })

    const outcomes: WorkOutcome[] = []
    const onOutcome = (outcome: WorkOutcome): void => void outcomes.push(outcome)
    const counts = await queue.work({ store: folderStore(folder), untilDone: true, onOutcome })
    expect(counts).toMatchObject({ stored: 2, there: 0, failed: 1, lost: 0 })
    expect(outcomes.map(({ state }) => state).sort()).toEqual(['failed', 'stored', 'stored'])
    expect(filesIn(folder).sort()).toEqual(urls.slice(0, 2).map(bodyOf).sort())
    expect(await queue.progress()).toMatchObject({ added: 3, done: 2, failed: 1, left: 0, hosts: 0 })
    const failures = []
    for await (const failure of queue.failures()) failures.push(failure)
    expect(failures).toMatchObject([{ code: 'not-found', tries: 1 }])

    expect(await queue.retry()).toBe(1)
    expect(await queue.progress()).toMatchObject({ done: 2, failed: 0, left: 1 })
    expect(await queue.cancel()).toBe(1)
    expect(await queue.progress()).toMatchObject({ done: 2, cancelled: 1, left: 0, hosts: 0 })
  })

  test('what a store has is not retrieved again', async () => {
    const site = await newSite(1)
    const store = functionStore({ has: ({ url }) => url.endsWith('/there'), put: (_, body) => body.bytes() })
    const queue = await newQueue()
    await queue.add([site.url(0, '/there'), site.url(0, '/new')])
    expect(await queue.work({ store, untilDone: true })).toMatchObject({ stored: 1, there: 1 })
    expect([...site.asked.keys()]).toEqual([site.url(0, '/new')])
  })

  test('no password gets into Redis, and a worker resolves the name of a login', async () => {
    const sent: unknown[] = []
    const site = await newSite(1, {
      answer: () => (request, response) => {
        sent.push(request.headers.authorization)
        response.end()
      },
    })
    const queue = await newQueue()
    const url = site.url(0, '/private')
    await expect(queue.add([url, url.replace('//', '//me:hunter2@')])).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringMatching(/^Line 2: http:\/\/me:\*\*\*@/),
    })
    await queue.add([{ url: site.url(0, '/with'), login: 'me' }])
    const logins = (name: string) => (name === 'me' ? { user: 'alice', password: 'hunter2' } : null)
    await queue.work({ store: folderStore(folder), logins, untilDone: true })
    expect(sent).toContain(`Basic ${Buffer.from('alice:hunter2').toString('base64')}`)
    const data = readdirSync(server.path('appendonlydir')).map((name) =>
      readFileSync(server.path(`appendonlydir/${name}`)),
    )
    expect(Buffer.concat(data).includes('hunter2')).toBe(false)
  })

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
      store: folderStore(folder),
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

  test('links are followed by all workers: within their scope, as robots.txt allows, which is asked for once', async () => {
    const pages: Readonly<Record<string, string>> = {
      '/robots.txt': 'User-agent: *\nDisallow: /private/\nCrawl-delay: 0.2\n',
      '/': '<a href="a.html#x">a</a> <a href="/private/x.html">p</a> <a href="b.html" rel="nofollow">b</a> <img src="i.png">',
      '/a.html':
        '<base href="/sub/"><a href="c.html">c</a> <a href="http://127.1.0.1:1/">elsewhere</a> <a href="/a.html">a</a>',
      '/sub/c.html': '<a href="/too-deep.html">d</a>',
      '/i.png': '<a href="/no-page.html">',
    }
    const site = await newSite(2, {
      answer: () => (request, response) => {
        const page = pages[request.url ?? '']
        response.writeHead(page === undefined ? 404 : 200, {
          'content-type': request.url?.endsWith('.png') ? 'image/png' : 'text/html; charset=utf-8',
        })
        response.end(page)
      },
    })
    const queue = await newQueue()
    const other = await newQueue(`queue-${number}`)
    await queue.add([site.url(0, '/'), site.url(1, '/')])
    const work = { store: folderStore(folder), follow: { depth: 2 }, perHost: 1, untilDone: true }
    const all = await Promise.all([queue.work(work), other.work(work)])
    expect(all.reduce((total, { stored }) => total + stored, 0)).toBe(8)
    const paths = ['/robots.txt', '/', '/a.html', '/i.png', '/sub/c.html']
    const urls = [0, 1].flatMap((host) => paths.map((path) => site.url(host, path)))
    expect([...site.asked].sort()).toEqual(urls.map((url) => [url, 1]).sort())
    const failures = []
    for await (const { code, url } of queue.failures()) failures.push([code, new URL(url).pathname])
    expect(failures).toEqual([0, 1].map(() => ['refused', '/private/x.html']))
    for (const { times } of site.seen.values()) {
      // Five requests, and four delays between them.
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500)
    }
  })

  test('a queue that is paused gives nothing out, and drain waits', async () => {
    const site = await newSite(3)
    const queue = await newQueue()
    await queue.pause()
    await queue.add([site.url(0, '/'), site.url(1, '/'), site.url(2, '/')])
    const ended = new AbortController()
    const working = queue.work({ store: folderStore(folder), signal: ended.signal })
    await expect(queue.drain({ signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(site.asked.size).toBe(0)
    await queue.resume()
    await queue.drain()
    ended.abort()
    expect(await working).toMatchObject({ stored: 3 })
  })

  test('Redis that is not there, and a store that fails, are clear errors', async () => {
    const other = `redis://user:hunter2@127.0.0.1:${server.port() + 7}`
    await expect(openQueue({ connection: other })).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED/),
    })
    const site = await newSite(1)
    const queue = await newQueue()
    await queue.add([site.url(0, '/a')])
    const full = new Error('the disk is full')
    const put = async (): Promise<never> => {
      throw full
    }
    const store = functionStore({ has: () => false, put })
    await expect(queue.work({ store, untilDone: true })).rejects.toBe(full)
    expect(await queue.work({ store: folderStore(folder), untilDone: true })).toMatchObject({ stored: 1 })
  })

  /** All at once: three kills, one stop beyond the lease, a restart of Redis. */
  test('killed, stopped and restarted: each URL has one record, and no host more than its cap', {
    timeout: 900_000,
  }, async () => {
    const size = process.env.RETRIEVER_TEST_RUNS === 'full' ? { hosts: 500, each: 40 } : { hosts: 60, each: 40 }
    const perHost = 2
    const site = await newSite(size.hosts, { delay: 30 })
    const name = `queue-${++number}`
    const queue = await newQueue(name)
    const urls = site.hosts.flatMap((_, host) =>
      Array.from({ length: size.each }, (_, at) => site.url(host, `/${at}.txt`)),
    )
    expect(await queue.add(urls)).toMatchObject({ added: urls.length })
    const options = { connection: connection(), name, folder, perHost, hosts: 16, lease: 2500 }
    const workers = await Promise.all([1, 2, 3, 4].map(() => startWorker(options)))
    const doneOver = async (share: number): Promise<void> => {
      while ((await queue.progress()).done < urls.length * share) await setTimeout(20)
    }
    // Each is under way with some hosts when it ends.
    for (const share of [0.1, 0.2, 0.3]) {
      await doneOver(share)
      workers.shift()?.kill('SIGKILL')
      workers.push(await startWorker(options))
    }
    await doneOver(0.4)
    const [zombie] = workers
    const said = zombie === undefined ? null : countsOf(zombie)
    zombie?.kill('SIGSTOP')
    await doneOver(0.5)
    await restartRedis(server)
    // Longer than the lease: others have its hosts when it goes on.
    await setTimeout(2 * options.lease)
    zombie?.kill('SIGCONT')
    await queue.drain()
    await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')))

    // It had hosts when it was stopped, which others had when it went on.
    expect((await said)?.lost).toBeGreaterThan(0)
    expect(await queue.progress()).toMatchObject({
      added: urls.length,
      done: urls.length,
      failed: 0,
      left: 0,
      hosts: 0,
    })
    expect(filesIn(folder).sort()).toEqual(urls.map(bodyOf).sort())
    expect(readdirSync(join(folder, '.unfinished')).length).toBeLessThanOrEqual(3 * 16 * perHost)
    // A process can be stopped between its last look at the clock and its write.
    expect(overCap(site.seen, perHost).length).toBeLessThanOrEqual(1)
    const repeated = [...site.asked.values()].filter((count) => count > 1).length
    // Only those that were under way or not yet recorded at a kill or at the stop.
    expect(repeated).toBeLessThan(4 * 16 * (perHost + 64))
  })
})

/** Hosts that had more requests at a time than they may. */
function overCap(seen: ReadonlyMap<string, SeenHost>, cap: number): string[] {
  return [...seen].filter(([, { most }]) => most > cap).map(([host, { most }]) => `${host}: ${most}`)
}

/** What the files of a folder hold, but for those that are not finished. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.unfinished'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}

async function startWorker(options: object): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(worker.stdout, 'data')
  return worker
}

/** What a worker prints when it ends. */
async function countsOf({ stdout }: ChildProcess): Promise<WorkCounts> {
  let text = ''
  for await (const chunk of stdout ?? []) text += chunk
  return JSON.parse(text)
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
