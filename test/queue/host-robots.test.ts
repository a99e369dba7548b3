/** A worker asks for robots.txt, here without Redis. */
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { HostRobots } from '../../packages/queue/src/turns/host-robots.ts'
import { ok } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'

test('a page of elsewhere does not make it ask this machine, and a URL that was added does', async () => {
  await using server = await scriptedHttp(() => ok('User-agent: *\nDisallow: /private\nCrawl-delay: 2'))
  await using client = createClient()
  const kept = new Map<string, string>()
  const redis = {
    get: async (key: string) => kept.get(key) ?? null,
    set: async (...[key, text]: [string, string]) => kept.set(key, text),
  }
  const shard = { redis, keys: { base: 'base:' } } as unknown as ConstructorParameters<typeof HostRobots>[0]
  const robots = new HostRobots(shard, client, { limits: { maxRetries: 0 } })
  const url = new URL('/private/x', server.url).href
  const linked = { url, from: 'http://outside.example/page' }
  await expect(robots.delayFor(linked)).rejects.toMatchObject({ code: 'refused' })
  await expect(robots.allows(linked)).rejects.toMatchObject({ code: 'refused' })
  expect(server.asked).toHaveLength(0)
  expect(await robots.allows({ url })).toBe(false)
  expect(await robots.delayFor({ url })).toBe(2000)
  expect(server.asked).toHaveLength(1)
})
