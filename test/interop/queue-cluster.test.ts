/** A queue in a Redis Cluster, whose nodes have its shards. */
import { functionStore, openQueue, type Queue } from '@retriever/queue'
import { expect, test } from 'vitest'
import { retrieveApart, useBundle } from '../support/cli/run.ts'
import { queueSite } from './queue-site.ts'
import { suite } from './suite.ts'

useBundle()

suite('redis-cluster', (server) => {
  const open = (): Promise<Queue> => {
    return openQueue({ connection: { nodes: [{ host: '127.0.0.1', port: server.port() }] }, name: 'urls' })
  }

  test('two workers retrieve a list, and failures are tried again', async () => {
    const site = await queueSite(20, {
      answer: (host) => (host === 1 ? (_, response) => response.writeHead(404).end() : undefined),
    })
    await using queue = await open()
    await using other = await open()
    const urls = site.hosts.flatMap((_, host) => [1, 2, 3].map((at) => site.url(host, `/${at}`)))
    expect(await queue.add([...urls, site.url(0, '/%31')])).toEqual({ added: 60, duplicates: 1, refused: 0 })
    expect(await other.progress()).toMatchObject({ added: 60, left: 60, hosts: 20, turns: { waiting: 20 } })
    const got: string[] = []
    const store = functionStore({ has: () => false, put: ({ url }) => got.push(url) })
    await Promise.all([queue, other].map((each) => each.work({ store, untilDone: true })))
    expect(got.sort()).toEqual(urls.filter((url) => !url.startsWith(site.url(1, '/'))).sort())
    expect(await queue.progress()).toMatchObject({ done: 57, failed: 3, left: 0, hosts: 0 })
    const failed: string[] = []
    for await (const { code } of queue.failures()) failed.push(code)
    expect(failed).toEqual(['not-found', 'not-found', 'not-found'])
    expect(await other.retry()).toBe(3)
    expect(await queue.progress()).toMatchObject({ failed: 0, left: 3, hosts: 1 })
    expect(await queue.cancel()).toBe(3)
    await queue.remove()
    await site.close()
  })

  test('the command takes one node or several, within TLS and with a login', async () => {
    const name = ['--name', 'command']
    const run = (redis: string, ...words: string[]) =>
      retrieveApart(['queue', ...words, ...name], { env: { RETRIEVE_REDIS: redis } })
    const login = { user: 'alice:secret' }
    const tls = [3, 4, 5].map((offset) => server.url('rediss', '', { ...login, offset }))
    const ca = ['--redis-cacert', server.path('cert.pem')]
    // One node leads to all of them.
    await using queue = await openQueue({ connection: server.url('redis', '', login), name: 'command' })
    await queue.add(['http://127.0.0.1/'])
    // The first is down, as a port that nobody has.
    const down = server.url('rediss', '', { ...login, offset: 7 })
    for (const place of [tls[1], tls.join(','), [down, ...tls].join(',')]) {
      const { status, stdout, stderr } = await run(place ?? '', 'status', ...ca)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toMatch(/^Queue command at rediss:\/\/127\.0\.0\.1:\d+.*\nadded +1\n/)
    }
    const wrong = tls.join(',').replaceAll('secret', 'hunter2')
    const told = [
      [wrong, 67, /^retrieve: Redis at 127\.0\.0\.1:\d+ refuses the login: WRONGPASS/],
      [tls.join(','), 60, /^retrieve: Redis at 127\.0\.0\.1:\d+ has no certificate that is trusted/],
      [`${down},${down}`, 7, /^retrieve: Redis at 127\.0\.0\.1:\d+ cannot be reached: connect ECONNREFUSED/],
      [
        server.url('redis', '/1'),
        2,
        /^retrieve: Redis at .* is of a Cluster, which has no database 1: leave it out of --re/,
      ],
    ] as const
    for (const [place, status, message] of told) {
      const outcome = await run(place, 'status', ...(status === 60 ? [] : ca))
      expect(outcome).toMatchObject({ status, stderr: expect.stringMatching(message) })
      expect(outcome.stderr).not.toMatch(/secret|hunter2/)
    }
  })
})
