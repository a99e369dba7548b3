/** A queue in a Redis Cluster, whose nodes have its shards. */
import { functionStore, openQueue, type Queue } from '@retriever/queue'
import { expect, test } from 'vitest'
import { queueSite } from './queue-site.ts'
import { suite } from './suite.ts'

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
})
