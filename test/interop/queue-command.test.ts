/** `retrieve queue` as people run it, with a Redis of its own. */
import { on, once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect } from '../../packages/queue/src/redis/connection.ts'
import { type Outcome, retrieveApart, start, useBundle } from '../support/cli/run.ts'
import { hasTmux } from '../support/cli/tmux.ts'
import { onScreen } from '../support/cli/tmux-session.ts'
import { bodyOf, type QueueSite, queueSite } from './queue-site.ts'
import { suite } from './suite.ts'

useBundle()

/** The status of the answer to a request with this Host. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const [response] = await once(get(url, { headers: { host } }), 'response')
  response.resume()
  return response.statusCode
}

suite('redis', (server) => {
  let folder = ''
  let number = 0
  const sites: QueueSite[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'queue-command-'))
    number++
  })
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close()
    rmSync(folder, { recursive: true })
  })

  const env = (): Record<string, string> => ({ RETRIEVE_REDIS: server.url('redis', ''), HOME: folder })
  const line = (words: readonly string[]): string[] => ['queue', ...words, '--name', `command-${number}`]
  const queue = (...words: string[]): Promise<Outcome> => retrieveApart(line(words), { cwd: folder, env: env() })
  const work = (...words: string[]): Promise<Outcome> =>
    queue('work', '--store', 'files', '--until-done', '--allow', 'foreign-port', ...words)
  const status = async (): Promise<Record<string, unknown>> => JSON.parse((await queue('status', '--json')).stdout)

  async function newSite(...options: Parameters<typeof queueSite>): Promise<QueueSite> {
    const site = await queueSite(...options)
    sites.push(site)
    return site
  }

  function listOf(...lines: string[]): string {
    writeFileSync(join(folder, 'urls.txt'), lines.map((each) => `${each}\n`).join(''))
    return 'urls.txt'
  }

  function stored(): string[] {
    const names = readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true })
    return names.filter((each) => each.isFile()).map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
  }

  test('a list is added, retrieved, and told of; what failed is tried again, and dropped', async () => {
    const site = await newSite(2, {
      answer: (host) => (host === 1 ? (_, response) => response.writeHead(404).end() : undefined),
    })
    const [a, b, missing] = [site.url(0, '/a'), site.url(0, '/b'), site.url(1, '/missing?token=hunter2')]
    const list = listOf('# pictures', a, '', b, missing, a.replace('//', '//me:hunter2@'), 'no url', a)
    const added = await queue('add', list)
    expect(added.status).toBe(2)
    expect(added.stderr).toContain('retrieve: Line 6: http://me:***@')
    expect(added.stderr).toContain('Line 7: ')
    expect(added.stderr).toContain(`3 URLs added to the queue command-${number}, 1 was there, 2 refused`)
    expect(await status()).toMatchObject({ added: 3, left: 3, hosts: 2, workers: 0 })

    const worked = await work()
    expect(worked).toMatchObject({ status: 0, stdout: '' })
    expect(worked.stderr).toContain('2 stored, 1 failed')
    expect(stored().sort()).toEqual([a, b].map(bodyOf).sort())
    expect((await queue('status')).stdout).toMatch(/^Queue command-\d+ at redis:.*\nadded +3\ndone +2\nfailed +1 /)
    const [failure = ''] = (await queue('failures', '--json')).stdout.split('\n')
    expect(JSON.parse(failure)).toMatchObject({ code: 'not-found', tries: 1 })
    expect((await queue('failures')).stdout).toMatch(/^not-found http:/)

    expect((await queue('retry')).stderr).toContain('1 URL of the queue')
    expect(await queue('cancel')).toMatchObject({ status: 2, stderr: expect.stringContaining('give --yes') })
    expect((await queue('cancel', '--yes', '--json')).stdout).toBe('{"cancelled":1}\n')
    expect(await status()).toMatchObject({ done: 2, failed: 0, cancelled: 1, left: 0 })
    const told = [added, worked, await queue('failures'), await queue('failures', '--json')]
    expect(JSON.stringify(told)).not.toContain('hunter2')
  })

  test('a name that no queue has, a list that is not there, and one without URLs', async () => {
    const unknown = await queue('work', '--store', 'files')
    expect(unknown.status).toBe(78)
    expect(unknown.stderr).toMatch(/^retrieve: There is no queue command-\d+ at redis:.*retrieve queue add LIST --name/)
    const missing = await queue('add', 'missing.txt')
    expect(missing).toMatchObject({
      status: 37,
      stderr: 'retrieve: missing.txt cannot be read: there is no such file.\n',
    })
    const empty = await queue('add', listOf('# nothing', ''))
    expect(empty).toMatchObject({ status: 0, stderr: expect.stringContaining('warning: urls.txt has no URLs.') })
    expect(await work()).toMatchObject({ status: 0 })
  })

  test('standard input is a list, too', async () => {
    const site = await newSite(1)
    const child = start(line(['add', '-', '--json']), { cwd: folder, env: env(), input: 'pipe' })
    child.stdin?.end(`${site.url(0, '/a')}\n\n${site.url(0, '/b')}`)
    const [said] = await once(createInterface({ input: child.stdout ?? expect.fail() }), 'line')
    expect(JSON.parse(said)).toEqual({ added: 2, duplicates: 0, refused: 0 })
  })

  test('--follow: two workers bring a site to a given depth, each URL once', async () => {
    const robots = 'User-agent: *\nDisallow: /01\n'
    const site = await newSite(2, {
      answer: (host) => (request, response) => {
        const path = `${request.url}`
        const links = [`${path}0`, `${path}1`, '/', '/%zz', site.url(1 - host, '/elsewhere')]
        response.setHeader('content-type', path === '/robots.txt' ? 'text/plain' : 'text/html')
        response.end(path === '/robots.txt' ? robots : links.map((link) => `<a href="${link}">x</a>`).join(''))
      },
    })
    await queue('add', listOf(site.url(0, '/'), site.url(1, '/')))
    const worked = await Promise.all([work('--follow', '--depth', '3'), work('--follow', '--depth', '3')])
    expect(worked.map((each) => each.status)).toEqual([0, 0])
    const paths = ['/robots.txt', '/', '/0', '/1', '/00', '/10', '/11']
    const wanted = [0, 1].flatMap((host) => paths.map((path) => site.url(host, path)))
    expect([...site.asked].sort()).toEqual(wanted.map((url) => [url, 1]).sort())
    expect(await status()).toMatchObject({ added: 14, done: 12, failed: 2, left: 0 })
    expect((await queue('failures')).stdout).toMatch(/^refused .*\/01: robots.txt forbids it/)
    await queue('retry')
    await work('--follow', '--no-robots', '--depth', '3')
    expect(await status()).toMatchObject({ added: 14, done: 14 })
  })

  test('--shards, --bloom, --expects and --turns: what cannot be changed is refused', async () => {
    const list = listOf(...Array.from({ length: 30 }, (_, at) => `http://127.0.0.1/${at}`))
    expect(await queue('add', list, '--shards', '2', '--turns', '3')).toMatchObject({ status: 0 })
    expect(await status()).toMatchObject({ added: 30, hosts: 3 })
    expect(await queue('add', list, '--shards', '3')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('This queue has 2 shards, which cannot be changed: leave --shards out'),
    })
    expect(await queue('add', list, '--bloom')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('This queue has no Bloom filter, which cannot be changed: leave --bloom out'),
    })
    expect(await queue('add', list, '--expects', '500')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        'This queue has room for 10000000 URLs, which cannot be changed: leave --expects',
      ),
    })
    expect((await queue('add', list, '--shards', '2', '--expects', '10000000')).stderr).toContain('0 URLs added')
    const again = await queue('add', list, '--turns', '2')
    expect(again.stderr).toContain('warning: --turns is for new URLs alone; 30 URLs of the lists were there.')
  })

  test('Ctrl-C ends with the URLs under way: none is lost, and none is asked for twice', async () => {
    const site = await newSite(4, { delay: 30 })
    const urls = site.hosts.flatMap((_, host) => Array.from({ length: 40 }, (_, at) => site.url(host, `/${at}`)))
    await queue('add', listOf(...urls))
    const words = ['work', '--store', 'files', '--until-done', '--allow', 'foreign-port', '--json']
    const child = start(line(words), { cwd: folder, env: env() })
    const outcomes = createInterface({ input: child.stdout ?? expect.fail() })
    await once(outcomes, 'line')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    const first = await status()
    expect(first).toMatchObject({ added: 160, failed: 0, turns: { active: 0 }, workers: 0 })
    expect(first.done).toBe(site.asked.size)
    expect(Number(first.left)).toBeGreaterThan(0)
    expect(await work()).toMatchObject({ status: 0 })
    expect(await status()).toMatchObject({ done: 160, left: 0 })
    expect([...site.asked.values()].filter((count) => count !== 1)).toEqual([])
    expect(stored().sort()).toEqual(urls.map(bodyOf).sort())
  })

  test('a second Ctrl-C aborts what is under way, and others go on with it at once', async () => {
    let isStuck = true
    const site = await newSite(1, {
      answer: () => (_, response) => void (isStuck ? response.writeHead(200).write('x') : response.end('whole')),
    })
    await queue('add', listOf(site.url(0, '/a')))
    const words = ['work', '--store', 'files', '--allow', 'foreign-port', '-v']
    const child = start(line(words), { cwd: folder, env: env() })
    const lines = createInterface({ input: child.stderr ?? expect.fail() })
    const said = async (wanted: string): Promise<void> => {
      for await (const [text] of on(lines, 'line')) if (text.includes(wanted)) return
      expect.fail(`no line has ${wanted}`)
    }
    await said('200')
    child.kill('SIGINT')
    await said('Ctrl-C again')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
    isStuck = false
    expect(await work()).toMatchObject({ status: 0 })
    expect(stored()).toEqual(['whole'])
  })

  test('a paused queue gives nothing, and --metrics tells Prometheus so', async () => {
    const site = await newSite(1)
    await queue('add', listOf(site.url(0, '/a')))
    expect((await queue('pause')).status).toBe(0)
    const words = ['work', '--store', 'files', '--until-done', '--allow', 'foreign-port', '--metrics', '0']
    const child = start(line(words), { cwd: folder, env: env() })
    let url: string | undefined
    for await (const text of createInterface({ input: child.stderr ?? expect.fail() })) {
      url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(text)?.[0]
      if (url !== undefined) break
    }
    const figures = async (): Promise<string> => (await fetch(url ?? '')).text()
    const response = await fetch(url ?? '')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    // A web page whose name leads to loopback says that name.
    expect(await statusFor(url ?? '', 'evil.example')).toBe(421)
    const labels = `queue="command-${number}"`
    await expect.poll(figures).toContain(`retriever_queue_workers{${labels}} 1\n`)
    expect(await figures()).toMatch(/^(# (HELP|TYPE) \w+ .+\n|\w+\{[^}]*\} \d+\n)+$/)
    expect(await figures()).toContain(`retriever_queue_urls{${labels},state="left"} 1\n`)
    expect(await figures()).toContain(`retriever_queue_paused{${labels}} 1\n`)
    expect(site.asked.size).toBe(0)
    expect((await queue('resume')).status).toBe(0)
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(stored()).toHaveLength(1)
  })

  test.skipIf(!hasTmux)('status --watch draws one table over the other on a narrow screen, too', async () => {
    await queue('add', listOf('http://127.0.0.1/a'))
    const place = env().RETRIEVE_REDIS
    using screen = onScreen(folder, `queue status --watch --name command-${number} --redis ${place}`, 40)
    await screen.shows(/a second/)
    await queue('pause')
    const shown = await screen.shows(/paused/)
    expect(shown.match(/^(Queue|added|workers)/gm)).toEqual(['Queue', 'added', 'workers'])
  })

  test('a queue that Redis has lost is an error, not the end of the work', async () => {
    const site = await newSite(1)
    await queue('add', listOf(site.url(0, '/a')))
    await queue('pause')
    const working = work()
    await expect.poll(async () => (await status()).workers).toBe(1)
    const redis = await connect(server.url('redis', ''))
    await redis.flushall()
    redis.disconnect()
    expect(await working).toMatchObject({ status: 78, stderr: expect.stringContaining('is gone from Redis') })
    expect(site.asked.size).toBe(0)
  })

  test('within TLS and with a login, which no message shows', async () => {
    const place = server.url('rediss', '', { user: 'alice:secret', offset: 1 })
    const there = ['--redis', place, '--redis-cacert', server.path('cert.pem')]
    expect(await queue('add', listOf('http://127.0.0.1/'), ...there)).toMatchObject({ status: 0 })
    const { status, stdout } = await queue('status', ...there)
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/ at rediss:\/\/[\w.]+:\d+\n/),
    })
    expect(await queue('remove', '--yes', ...there)).toMatchObject({ status: 0 })

    const untrusted = await queue('status', '--redis', place)
    expect(untrusted).toMatchObject({
      status: 60,
      stderr: expect.stringContaining('Give its CA by --redis-cacert FILE.'),
    })
    const wrong = await queue('status', ...there, '--redis', place.replace('secret', 'hunter2'))
    expect(wrong).toMatchObject({ status: 67, stderr: expect.stringContaining('refuses the login: WRONGPASS') })
    expect(stdout + untrusted.stderr + wrong.stderr).not.toMatch(/secret|hunter2/)
  })

  test('a queue that is removed is unknown, and what is stored stays', async () => {
    const site = await newSite(1)
    await queue('add', listOf(site.url(0, '/a')))
    await work()
    expect(await queue('remove')).toMatchObject({ status: 2, stderr: expect.stringContaining('give --yes') })
    expect((await queue('remove', '--yes', '--json')).stdout).toBe('{"removed":true}\n')
    expect((await queue('status')).status).toBe(78)
    expect(stored()).toHaveLength(1)
  })

  test('a login that a list names is that of the worker, for the host of the URL alone', async () => {
    const sent: unknown[] = []
    const site = await newSite(2, {
      answer: (host) => (request, response) => {
        sent.push([host, request.headers.authorization])
        response.end()
      },
    })
    await queue(
      'add',
      listOf(
        `${site.url(0, '/a')} @alice`,
        `${site.url(1, '/b')} @alice`,
        `${site.url(0, '/c')} @bob`,
        'telnet://127.0.0.1/',
      ),
    )
    writeFileSync(
      join(folder, '.netrc'),
      `machine ${site.hosts[0]} login alice password hunter2\ndefault login bob password x\n`,
      { mode: 0o600 },
    )
    expect(await work('-n')).toMatchObject({ status: 0 })
    expect(sent).toEqual([[0, `Basic ${Buffer.from('alice:hunter2').toString('base64')}`]])
    const { stdout } = await queue('failures')
    const unknown =
      /^auth-required http:.*\/[bc]: the \.netrc of the worker has no login (alice|bob) for this host: add it/gm
    expect(stdout.match(unknown)).toHaveLength(2)
    await queue('retry')
    await work()
    expect((await queue('failures')).stdout).toMatch(/: its login @bob needs a \.netrc of the worker: give it -n or /)
    expect(stdout).toMatch(/^handoff telnet:\/\/127\.0\.0\.1\/ names a service/m)
  })
})
