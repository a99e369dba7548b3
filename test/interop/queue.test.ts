/** A queue in Redis: what becomes of its URLs. */
import { readdirSync, readFileSync } from 'node:fs'
import { folderStore, functionStore, openQueue, type WorkOutcome } from '@retriever/queue'
import { expect, test, vi } from 'vitest'
import { shardOf } from '../../packages/queue/src/frontier/host.ts'
import { connect } from '../../packages/queue/src/redis/connection.ts'
import { bodyOf } from './queue-site.ts'
import { filesIn, queueSuite } from './queue-suite.ts'

queueSuite(({ newQueue, newSite, folder, server, connection }) => {
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
    const counts = await queue.work({ store: folderStore(folder()), untilDone: true, onOutcome })
    expect(counts).toMatchObject({ stored: 2, there: 0, failed: 1, lost: 0 })
    expect(outcomes.map(({ state }) => state).sort()).toEqual(['failed', 'stored', 'stored'])
    expect(filesIn(folder()).sort()).toEqual(urls.slice(0, 2).map(bodyOf).sort())
    expect(await queue.progress()).toMatchObject({ added: 3, done: 2, failed: 1, left: 0, hosts: 0 })
    const failures = []
    for await (const failure of queue.failures()) failures.push(failure)
    expect(failures).toMatchObject([{ code: 'not-found', tries: 1 }])

    expect(await queue.retry()).toBe(1)
    expect(await queue.progress()).toMatchObject({ done: 2, failed: 0, left: 1 })
    expect(await queue.cancel()).toBe(1)
    expect(await queue.progress()).toMatchObject({ done: 2, cancelled: 1, left: 0, hosts: 0 })

    await queue.remove()
    const anew = await newQueue(queue.name)
    expect(await anew.progress()).toMatchObject({ added: 0, failed: 0, hosts: 0, turns: { waiting: 0 } })
    expect(await anew.add(urls)).toMatchObject({ added: 3 })
  })

  test('a Bloom filter knows all URLs that were added, and takes few others for them', async () => {
    const queue = await newQueue(undefined, { bloom: true, shards: 1, expects: 8000 })
    const urls = Array.from({ length: 9000 }, (_, at) => `http://127.0.0.1/${at}`)
    const { added, duplicates } = await queue.add(urls.slice(0, 8000))
    expect(added + duplicates).toBe(8000)
    expect(duplicates).toBeLessThan(8)
    expect(await queue.progress()).toMatchObject({ added, left: added })
    // Those that are new share their blocks with others, which are taken out of them.
    const mixed = urls.filter((_, at) => at % 8 === 0)
    expect(await queue.add(mixed)).toMatchObject({ added: 125, duplicates: 1000 })
    expect(await queue.add(mixed)).toMatchObject({ added: 0, duplicates: 1125 })

    const open = { connection: connection(), name: queue.name }
    await expect(openQueue({ ...open, bloom: false })).rejects.toMatchObject({
      code: 'invalid-option',
      message: 'This queue has a Bloom filter, which cannot be changed: leave `bloom` out.',
    })
    expect(await (await newQueue(queue.name)).add(mixed)).toMatchObject({ added: 0 })
    await queue.remove()
    const redis = await connect(connection())
    expect((await redis.keys(`*${queue.name}*`)).filter((key) => !key.includes('}:a:'))).toEqual([])
    redis.disconnect()
  })

  test('what a store has is not retrieved again', async () => {
    const site = await newSite(1)
    const store = functionStore({ has: ({ url }) => url.endsWith('/there'), put: (_, body) => body.bytes() })
    const queue = await newQueue()
    await queue.add([site.url(0, '/there'), site.url(0, '/new')])
    expect(await queue.work({ store, untilDone: true })).toMatchObject({ stored: 1, there: 1 })
    expect([...site.asked.keys()]).toEqual([site.url(0, '/new')])
  })

  test('a turn leaves nothing at its worker', async () => {
    const hosts = 12
    const site = await newSite(hosts)
    const queue = await newQueue()
    await queue.add(Array.from({ length: hosts }, (_, host) => site.url(host, '/a')))
    // On Node 20, a signal keeps 1.3 kB of each one that AbortSignal.any() has made of it.
    const any = vi.spyOn(AbortSignal, 'any')
    const store = functionStore({ has: () => false, put: (_, body) => body.bytes() })
    const counts = await queue.work({ store, untilDone: true })
    expect(counts).toMatchObject({ stored: hosts, turns: hosts })
    expect(any.mock.calls.length).toBeLessThan(hosts)
    any.mockRestore()
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
    await queue.work({ store: folderStore(folder()), logins, untilDone: true })
    expect(sent).toContain(`Basic ${Buffer.from('alice:hunter2').toString('base64')}`)
    await queue.add([{ url: site.url(0, '/other'), login: 'bob' }])
    await queue.work({ store: folderStore(folder()), logins, untilDone: true })
    for await (const { code, message } of queue.failures()) {
      expect({ code, message }).toEqual({
        code: 'auth-required',
        message: `${site.url(0, '/other')}: \`logins\` gives no login @bob for it.`,
      })
    }
    expect(await queue.progress()).toMatchObject({ failed: 1 })
    const data = readdirSync(server.path('appendonlydir')).map((name) =>
      readFileSync(server.path(`appendonlydir/${name}`)),
    )
    expect(Buffer.concat(data).includes('hunter2')).toBe(false)
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
    const other = await newQueue(queue.name)
    await queue.add([site.url(0, '/'), site.url(1, '/')])
    const work = { store: folderStore(folder()), follow: { depth: 2 }, perHost: 1, untilDone: true }
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
    const working = queue.work({ store: folderStore(folder()), signal: ended.signal })
    await expect(queue.drain({ signal: AbortSignal.timeout(300) })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(site.asked.size).toBe(0)
    await queue.resume()
    await queue.drain()
    ended.abort()
    expect(await working).toMatchObject({ stored: 3 })
  })

  test.each([
    ['another version', Buffer.from('hello'), 'has version 104'],
    ['more URLs than it says', Buffer.from('\u0001\0\0\u0001http://127.0.0.1/a\nhttp://127.0.0.1/b'), 'has 2 URLs'],
    ['fewer', Buffer.from('\u0001\0\0\u0005http://127.0.0.1/a'), 'has 1 URLs, and says that it has 5'],
  ])('a block of others with %s ends each worker that takes it, with a message', async (_, block, message) => {
    const queue = await newQueue()
    await queue.pause()
    await queue.add(['http://127.0.0.1/x'])
    const redis = await connect(connection())
    const base = `{retriever:${queue.name}:${shardOf('127.0.0.1', 8)}}:`
    await redis.del(`${base}u:127.0.0.1`)
    await redis.rpush(`${base}u:127.0.0.1`, block)
    await queue.resume()
    const store = functionStore({ has: () => true, put: () => true })
    // The second one finds it among those that were taken.
    for (const _worker of [1, 2]) {
      await expect(queue.work({ store, untilDone: true })).rejects.toMatchObject({
        code: 'protocol-violation',
        message: expect.stringContaining(message),
      })
    }
    redis.disconnect()
  })

  test('several addresses of a Redis that is no Cluster are refused', async () => {
    const nodes = [1, 2].map(() => ({ host: '127.0.0.1', port: server.port() }))
    await expect(openQueue({ connection: { nodes } })).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ is no node of a Cluster: name it alone in /),
    })
    await expect(openQueue({ connection: { nodes: [] } })).rejects.toMatchObject({ code: 'invalid-option' })
  })

  test('keys of another program, and errors that Redis answers, are told of', async () => {
    const redis = await connect(connection())
    const queue = await newQueue()
    await redis.hset(`{retriever:${queue.name}}:settings`, 'shards', 'many')
    await expect(openQueue({ connection: connection(), name: queue.name })).rejects.toMatchObject({
      code: 'protocol-violation',
      message: expect.stringContaining('another program'),
    })
    await redis.hset(`{retriever:${queue.name}:0}:c`, 'done', 5)
    expect(await queue.progress()).toMatchObject({ done: 5, left: 0 })
    await redis.set(`{retriever:${queue.name}:0}:c`, 'no hash')
    await expect(queue.progress()).rejects.toMatchObject({
      code: 'server-refused',
      message: expect.stringMatching(/^Redis refuses a command of this queue: WRONGTYPE .*value\.$/),
    })
    redis.disconnect()
  })

  test('a Redis that is full takes no URLs, and tells how far a queue is', async () => {
    const redis = await connect(connection())
    const queue = await newQueue()
    const list = ['http://127.0.0.1/a']
    await redis.config('SET', 'maxmemory', '1')
    await expect(queue.add(list)).rejects.toMatchObject({
      code: 'server-refused',
      message: expect.stringContaining('OOM'),
    })
    const other = await newQueue(queue.name, { create: false })
    expect(await other.progress()).toMatchObject({ added: 0 })
    await redis.config('SET', 'maxmemory', '0')
    expect(await queue.add(list)).toMatchObject({ added: 1 })
    redis.disconnect()
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
    expect(await queue.work({ store: folderStore(folder()), untilDone: true })).toMatchObject({ stored: 1 })
  })
})
