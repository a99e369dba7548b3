/** Where the workers of `retrieve queue work` keep what comes. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Queue } from '@retriever/queue'
import { expect, test } from 'vitest'
import { type Outcome, retrieveApart, useBundle } from '../support/cli/run.ts'
import { bodyOf } from './queue-site.ts'
import { filesIn, queueSuite } from './queue-suite.ts'

useBundle()

queueSuite(({ connection, newQueue, newSite, folder }) => {
  const run = (...words: string[]): Promise<Outcome> =>
    retrieveApart(words, { cwd: folder(), env: { RETRIEVE_REDIS: connection(), HOME: folder() } })
  const work = ({ name }: Queue, ...words: string[]): Promise<Outcome> =>
    run('queue', 'work', '--name', name, '--until-done', '--allow', 'foreign-port', ...words)

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
