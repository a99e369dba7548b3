import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { explain, findScheme, type Resolution, type Scheme } from '@retriever/core'
import { createClient, type Fetcher, type RetrievalEvent } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { ownMechanism, ownScheme } from '../support/own-scheme.ts'

/** http with a count of its resolutions. */
function countedHttp(): { scheme: Scheme; count: () => number } {
  const http = findScheme('http')
  if (http === undefined) throw new Error('core has no http')
  let count = 0
  const scheme: Scheme = {
    ...http,
    resolve: (locator, place) => {
      count++
      return http.resolve(locator, place)
    },
  }
  return { scheme, count: () => count }
}

test('a retrieval resolves its URL once, listeners included', async () => {
  const { scheme, count } = countedHttp()
  const events: RetrievalEvent[] = []
  await using client = createClient({
    schemes: [scheme],
    fetchers: [fakeHttp(() => retrieved(chunks('x')))],
    onEvent: (event) => events.push(event),
  })
  await (await client.retrieve('http://h/a')).bytes()
  expect(count()).toBe(1)
  await (await client.fetch('http://h/b')).text()
  expect(count()).toBe(2)
  for await (const { representation } of client.retrieveAll(['http://h/c'])) await representation?.bytes()
  expect(count()).toBe(3)
  expect(events[0]).toMatchObject({ type: 'resolved', explanation: explain('http://h/a') })
})

test('a resolution of the client’s own is taken as it is, and one of somebody else’s is made anew', async () => {
  const { scheme, count } = countedHttp()
  await using client = createClient({ schemes: [scheme], fetchers: [fakeHttp(() => retrieved(chunks('x')))] })
  const own = client.resolve('http://h/')
  expect(await (await client.retrieve(own)).text()).toBe('x')
  expect(count()).toBe(1)
  // Without its findings, it would get past the policy.
  const forged: Resolution = { ...client.resolve('http://h:25/'), findings: [] }
  expect(await failure(client.retrieve(forged))).toMatchObject({ code: 'refused' })
})

test('the explanation in an event has no secret', async () => {
  const events: RetrievalEvent[] = []
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(chunks('x')))],
    onEvent: (event) => events.push(event),
  })
  await (await client.retrieve('http://u:s3cr3t@localhost/?access_token=s3cr3t2')).bytes()
  expect(events[0]).toHaveProperty('explanation.plan.mechanism', 'http')
  expect(JSON.stringify(events)).not.toContain('s3cr3t')
})

test('defaults.localHosts reaches the built-in file fetcher', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-'))
  try {
    await writeFile(join(folder, 'a'), 'here')
    await using client = createClient({ defaults: { localHosts: ['Me.example'] } })
    const url = `file://me.example${folder}/a`
    expect(client.resolve(url).findings).toEqual([])
    expect(await (await client.retrieve(url)).text()).toBe('here')
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('findings know the fetchers that a client was given', async () => {
  const own: Fetcher = {
    mechanism: ownMechanism,
    retrieve: async () => ({ ...retrieved(chunks('a word')), metadata: {} }),
  }
  const url = 'own://h/x'
  await using without = createClient({ schemes: [ownScheme] })
  await using with_ = createClient({ schemes: [ownScheme], fetchers: [own] })
  expect(without.resolve(url).findings.map(({ code }) => code)).toContain('no-fetcher')
  expect(with_.resolve(url).findings.map(({ code }) => code)).not.toContain('no-fetcher')
  const representation = await with_.retrieve(url)
  expect(representation.findings.map(({ code }) => code)).not.toContain('no-fetcher')
  expect(await representation.text()).toBe('a word')
})

test('what is no URL and no function is told, also to JavaScript', async () => {
  await using client = createClient()
  const nothing: unknown = null
  const error = await failure(client.retrieve(nothing as string))
  expect(error).toMatchObject({ code: 'malformed-url', message: expect.stringContaining('null is no valid URL') })
  expect(() => client.mapAll(['http://h/'], nothing as () => 1)).toThrow('Expected `use` to be a function')
})
