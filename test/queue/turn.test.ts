/** A turn asks its host for URLs, here without Redis. */
import { createClient } from '@retriever/fetchers'
import { functionStore } from '@retriever/queue'
import { expect, test } from 'vitest'
import { packBlock } from '../../packages/queue/src/frontier/block.ts'
import { leaveTurn, openTurn } from '../../packages/queue/src/scripts/frontier.ts'
import type { Lease } from '../../packages/queue/src/turns/lease.ts'
import { Turn } from '../../packages/queue/src/turns/turn.ts'
import { readWorkOptions } from '../../packages/queue/src/turns/work-options.ts'
import { ok } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'

type Place = ConstructorParameters<typeof Turn>[0]

test('fields that may be secrets go to servers of added URLs, and not to those that a page has named', async () => {
  await using server = await scriptedHttp(() => ok('x'))
  await using client = createClient()
  const added = new URL('/added', server.url).href
  const linked = new URL('/linked', server.url).href
  const block = packBlock({ tries: 0, urls: [{ url: added }, { url: linked, from: 'http://127.0.0.2:1/page' }] })
  const opened = [Buffer.from('0'), Buffer.from('0'), Buffer.from('1'), block, Buffer.alloc(1)]
  const { signal } = new AbortController()
  const run = async (script: unknown): Promise<unknown> =>
    script === openTurn ? opened : script === leaveTurn ? 0 : []
  const lease = { signal, isLost: false, look() {}, run } as unknown as Lease
  const store = functionStore({ has: () => false, put: (_, representation) => representation.text() })
  const request = {
    headers: { Authorization: 'Bearer pl4nted', Accept: 'text/plain' },
    http: { virtualHost: 'v.example' },
  }
  const options = readWorkOptions({ store, request, robots: true })
  const redis = { get: async () => null, set: async () => 'OK' }
  const place = {
    shard: { redis, keys: { queue: 'q', base: 'b:' } },
    client,
    options,
    follower: null,
    signal,
    stopping: signal,
  }
  const outcomes: unknown[] = []
  const told = {
    onOutcome: (outcome: unknown) => outcomes.push(outcome),
    onFailed: (error: unknown) => outcomes.push(error),
  }
  expect(await new Turn({ ...place, ...told } as unknown as Place, lease).run()).toEqual({ next: null })
  expect(outcomes).toMatchObject([{ state: 'stored' }, { state: 'stored' }])
  const got = server.asked.map(({ target, fields: { host, authorization, accept } }) => [
    target,
    host,
    authorization,
    accept,
  ])
  expect(got).toEqual([
    ['/robots.txt', 'v.example', 'Bearer pl4nted', 'text/plain'],
    ['/added', 'v.example', 'Bearer pl4nted', 'text/plain'],
    ['/linked', `127.0.0.1:${server.port}`, undefined, 'text/plain'],
  ])
})
