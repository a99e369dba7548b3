/** Where the workers of `retrieve queue work` keep what comes. */

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Queue } from '@retriever/queue'
import { expect, test } from 'vitest'
import { archivesIn, readArchive } from '../support/cli/archives.ts'
import { type Outcome, retrieveApart, start, useBundle } from '../support/cli/run.ts'
import { bodyOf } from './queue-site.ts'
import { filesIn, queueSuite } from './queue-suite.ts'

useBundle()

queueSuite(({ server, connection, newQueue, newSite, folder }) => {
  const place = () => ({ cwd: folder(), env: { RETRIEVE_REDIS: connection(), HOME: folder() } })
  const run = (...words: string[]): Promise<Outcome> => retrieveApart(words, place())
  /** For what may take long on a busy machine. */
  const runLong = async (...words: string[]): Promise<Outcome> => {
    const child = start(words, place())
    const [stdout, stderr, [status]] = await Promise.all([
      text(Readable.from(child.stdout ?? [])),
      text(Readable.from(child.stderr ?? [])),
      once(child, 'close'),
    ])
    return { status, stdout, stderr }
  }
  const workOf = ({ name }: Queue, ...words: string[]): string[] => {
    return ['queue', 'work', '--name', name, '--until-done', '--allow', 'foreign-port', ...words]
  }
  const work = (queue: Queue, ...words: string[]): Promise<Outcome> => run(...workOf(queue, ...words))

  test('--warc: workers write archives of their own, and ask for nothing that one of them has', async () => {
    const site = await newSite(10, { delay: 10 })
    const urls = site.hosts.flatMap((_, host) => Array.from({ length: 10 }, (_, at) => site.url(host, `/${at}`)))
    const queue = await newQueue()
    await queue.add(urls)
    const worked = await Promise.all([work(queue, '--warc', 'site'), work(queue, '--warc', 'site')])
    expect(worked.map(({ status }) => status)).toEqual([0, 0])

    const archives = readdirSync(folder()).filter((name) => name.endsWith('.warc.gz'))
    expect(archives).toHaveLength(2)
    const indexes = archives.map((name) => readFileSync(join(folder(), name.replace('.warc.gz', '.cdxj')), 'utf8'))
    const recorded = [...indexes.join('').matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url)
    expect(recorded.sort()).toEqual(urls.toSorted())
    const [url = ''] = urls
    const all = archives.flatMap((name) => ['--from-warc', name])
    expect(await run(...all, url)).toMatchObject({ status: 0, stdout: bodyOf(url) })

    const again = await newQueue()
    await again.add([...urls, site.url(0, '/new')])
    expect((await work(again, '--warc', 'site')).stderr).toContain('1 stored, 100 were there')
    expect([...site.asked.values()].filter((count) => count !== 1)).toEqual([])
  })

  test('--warc: a body that breaks off is not recorded, and asked for again', async () => {
    let isWhole = false
    const site = await newSite(1, {
      answer: () => (_, response) => {
        if (isWhole) response.end('whole')
        else response.writeHead(200, { 'content-length': 9 }).write('x', () => response.destroy())
        isWhole = true
      },
    })
    const queue = await newQueue()
    await queue.add([site.url(0, '/a')])
    const first = await work(queue, '--warc', 'site', '--retry', '0')
    expect(first.stderr).toContain('0 stored, 1 failed')
    expect(await queue.retry()).toBe(1)
    expect((await work(queue, '--warc', 'site')).stderr).toContain('1 stored')
  })

  test('--warc: the first of two workers that have one URL has recorded it', async () => {
    const recorded = (): string[] => {
      const names = readdirSync(join(folder(), 'site-recorded'), { recursive: true, encoding: 'utf8' })
      return names.filter((name) => name.length > 2).map((name) => join(folder(), 'other-recorded', name))
    }
    let isSecond = false
    const site = await newSite(1, {
      answer: () => (_, response) => {
        for (const path of isSecond ? recorded() : []) {
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, '')
        }
        response.end('x')
      },
    })
    for (const [prefix, counts] of [
      ['site', '1 stored'],
      ['other', '0 stored, 1 were there'],
    ] as const) {
      const queue = await newQueue()
      await queue.add([site.url(0, '/a')])
      expect((await work(queue, '--warc', prefix)).stderr).toContain(counts)
      isSecond = true
    }
  })

  test('--warc: workers that are killed leave each URL whole in an archive and the index', async () => {
    const octets = randomBytes(70_000).toString('base64')
    const bodies = new Map<string, string>()
    const site = await newSite(6, {
      // Longer than what is written at once.
      answer: () => (request, response) => response.end(bodies.get(`http://${request.headers.host}${request.url}`)),
    })
    const urls = site.hosts.flatMap((_, host) => Array.from({ length: 5 }, (_, at) => site.url(host, `/${at}`)))
    for (const [at, url] of urls.entries()) bodies.set(url, octets.slice(at * 100))
    const queue = await newQueue()
    await queue.add(urls)
    const words = workOf(queue, '--warc', 'site', '--parallel-max-host', '1')
    const workers = [1, 2].map(() => start(words, place()))
    const ends = workers.map((worker) => once(worker, 'exit'))
    let asked = 0
    site.arrivals.on('request', () => {
      if (++asked === 14) for (const worker of workers) worker.kill('SIGKILL')
    })
    await Promise.all(ends)
    const killed = archivesIn(folder())
    const indexed = killed.map((path) => readFileSync(path.replace('.warc.gz', '.cdxj'), 'utf8')).join('')
    expect(indexed).toContain('"url"')
    await forgetTurns(server.port())
    expect(await runLong(...words)).toMatchObject({ status: 0 })
    expect(await queue.progress()).toMatchObject({ done: urls.length, failed: 0, left: 0 })
    const [whole = ''] = archivesIn(folder()).filter((path) => !killed.includes(path))
    expect((await readArchive(whole)).length).toBeGreaterThan(1)
    // A kill in the middle of a record leaves a torn one.
    for (const path of killed) appendFileSync(path, readFileSync(whole).subarray(0, 300))

    const indexes = archivesIn(folder()).map((path) => path.replace('.warc.gz', '.cdxj'))
    const lines = spawnSync('sort', ['-u', ...indexes], { encoding: 'utf8', env: { LC_ALL: 'C' } }).stdout
    const found = new Set<string>()
    for (const line of lines.trimEnd().split('\n')) {
      const { url, filename, offset, length } = JSON.parse(line.slice(line.indexOf('{')))
      const record = readFileSync(join(folder(), filename)).subarray(Number(offset), Number(offset) + Number(length))
      const [head, , ...body] = gunzipSync(record).toString('latin1').split('\r\n\r\n')
      expect(head).toContain(`WARC-Target-URI: ${url}\r\n`)
      expect(body.join('') === bodies.get(url)).toBe(true)
      found.add(url)
    }
    expect([...found].sort()).toEqual(urls.toSorted())
    for (const path of killed) {
      const { status, stderr } = await runLong('ls', path)
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('is cut or damaged behind') })
    }
    const all = archivesIn(folder()).flatMap((path) => ['--from-warc', path])
    const { stdout } = await runLong(...all, ...urls)
    // Without the octets in the message.
    expect(stdout === urls.map((url) => bodies.get(url)).join('')).toBe(true)
  })

  test('a disk that is full ends its worker, and others go on with its hosts', async ({ skip }) => {
    const disk = join(folder(), 'disk')
    mkdirSync(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { encoding: 'utf8' })
    if (mounted.status !== 0) skip(`no small disk can be mounted: ${mounted.stderr?.trim() || mounted.error?.message}`)
    try {
      const largeOf = (path: string): string => `${path}\n`.padEnd(20_000, '.')
      const site = await newSite(10, { answer: () => (request, response) => response.end(largeOf(`${request.url}`)) })
      const paths = Array.from({ length: 160 }, (_, at) => `/${at}`)
      const queue = await newQueue()
      await queue.add(paths.map((path, at) => site.url(at % 10, path)))

      const full = await work(queue, '--store', disk)
      expect(full).toMatchObject({ status: 23, stderr: expect.stringContaining('cannot be written') })
      const { done, left, turns } = await queue.progress()
      expect(done).toBeGreaterThan(0)
      expect(done + left).toBe(paths.length)
      expect(turns.active).toBe(0)
      expect(filesIn(disk)).toHaveLength(done)

      expect(await work(queue, '--store', 'files')).toMatchObject({ status: 0 })
      expect(await queue.progress()).toMatchObject({ done: paths.length, failed: 0, left: 0 })
      const records = [...filesIn(disk), ...filesIn(join(folder(), 'files'))]
      expect(records.sort()).toEqual(paths.map(largeOf).sort())
    } finally {
      spawnSync('umount', [disk])
    }
  })
})

/** Does what workers do 30 seconds after others were killed: their hosts have no turn any more, and get new ones. */
async function forgetTurns(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `EVAL "for _, active in ipairs(redis.call('KEYS', '*:active')) do\
 for _, turn in ipairs(redis.call('LRANGE', active, 0, -1)) do\
 local job = string.sub(active, 1, -7) .. turn\
 redis.call('DEL', job, job .. ':lock') end\
 redis.call('DEL', active) end" 0\r\n`,
  )
  await once(socket, 'data')
  socket.destroy()
}
