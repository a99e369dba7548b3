/**
 * Events about redirects: the one that is not followed, the fragment, cookies, and fields that are left
 * behind.
 */
import { type ClientOptions, createClient, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../support/events.ts'
import { failure } from '../../support/failure.ts'
import { ok, redirectTo } from './support/http-answers.ts'
import { scriptedHttp } from './support/scripted-http.ts'

async function retrieved(url: string, request: RetrieveOptions = {}, options: ClientOptions = {}) {
  const events: RetrievalEvent[] = []
  await using client = createClient({ ...options, onEvent: (event) => events.push(event) })
  const representation = await client.retrieve(url, request)
  const text = await representation.text()
  return { text, url: representation.url, metadata: representation.metadata, remarks: remarks(events) }
}

describe('a redirect can be seen: fail: false, and no redirects allowed', () => {
  const moved = 'HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 5\r\n\r\nmoved'

  test('its status, its fields and its page come', async () => {
    await using server = await scriptedHttp(() => moved)
    const request = { http: { fail: false } }
    const result = await retrieved(server.url, request, { limits: { maxRedirects: 0 } })
    expect(result).toMatchObject({
      text: 'moved',
      url: server.url,
      metadata: { status: 302, headers: { location: '/there' } },
    })
    expect(server.lines).toEqual(['GET / HTTP/1.1'])
  })

  test.each<RetrieveOptions>([
    { range: [0, 3] },
    { resumeFrom: 3 },
    { http: { split: 4 } },
    { http: { ifNoneMatch: '"a"' } },
    { head: true },
  ])('with %j', async (request) => {
    await using server = await scriptedHttp(({ line }) => (line.startsWith('HEAD') ? moved.slice(0, -5) : moved))
    const result = await retrieved(server.url, { ...request, http: { fail: false } }, { limits: { maxRedirects: 0 } })
    expect(result).toMatchObject({ text: request.head === true ? '' : 'moved', metadata: { status: 302 } })
  })

  test('otherwise it is an error', async () => {
    await using server = await scriptedHttp(() => moved)
    await using client = createClient({ limits: { maxRedirects: 0 } })
    expect(await failure(client.retrieve(server.url))).toMatchObject({ code: 'too-many-redirects', status: 302 })
  })
})

describe('a redirect that names no place', () => {
  const nowhere = ['', 'Location: \r\n'].map((field) => `HTTP/1.1 302 Found\r\n${field}Content-Length: 4\r\n\r\nnote`)

  test.each(nowhere)('is an error, since its content is not what was asked for: %j', async (answer) => {
    await using server = await scriptedHttp(() => answer)
    await using client = createClient({ limits: { maxRetries: 0 } })
    expect(await failure(client.retrieve(server.url))).toMatchObject({ code: 'protocol-violation', status: 302 })
    expect(await retrieved(server.url, { http: { fail: false } })).toMatchObject({ text: 'note' })
  })
})

describe('the fragment of the first URL goes on (RFC 9110 10.2.2)', () => {
  test.each([
    ['/there', 'there#part'],
    ['/there#own', 'there#own'],
    ['/there#', 'there#'],
  ])('%s', async (location, expected) => {
    await using server = await scriptedHttp(({ index }) => (index === 0 ? redirectTo(location) : ok('x')))
    const { url } = await retrieved(`${server.url}here#part`)
    expect(url).toBe(server.url + expected)
    expect(server.lines).toEqual(['GET /here HTTP/1.1', 'GET /there HTTP/1.1'])
  })

  test('over several, to another origin', async () => {
    await using second = await scriptedHttp(({ index }) => (index === 0 ? redirectTo('/z') : ok('x')))
    await using first = await scriptedHttp(() => redirectTo(`${second.url}y`))
    expect((await retrieved(`${first.url}#part`)).url).toBe(`${second.url}z#part`)
  })
})

describe('case 61, a redirect that never ends', () => {
  test('because of cookies ends in a sentence that says so', async () => {
    await using server = await scriptedHttp(
      () => 'HTTP/1.1 302 F\r\nLocation: /\r\nSet-Cookie: seen=s3cr3t\r\nContent-Length: 0\r\n\r\n',
    )
    await using client = createClient({ limits: { maxRedirects: 3 } })
    const error = await failure(client.retrieve(server.url))
    expect(error).toMatchObject({ code: 'too-many-redirects', status: 302, advice: { option: 'cookies' } })
    expect(error.message).toMatch(/They set cookies.*Keep cookies by `cookies`\.$/i)
    expect(error.message).not.toContain('s3cr3t')
    expect(server.asked).toHaveLength(4)
  })

  test('without cookies has no word of them', async () => {
    await using server = await scriptedHttp(() => redirectTo('/'))
    await using client = createClient({ limits: { maxRedirects: 3 } })
    expect((await failure(client.retrieve(server.url))).message).not.toMatch(/cookie/i)
  })
})

describe('fields that do not go to another origin', () => {
  const headers = { Authorization: 'Bearer s3cr3t', 'X-Own': 's3cr3t', 'Accept-Language': 'de' }

  test('are remarked by name, once (case 15)', async () => {
    await using second = await scriptedHttp(({ index }) => (index === 0 ? redirectTo('/again') : ok('x')))
    await using first = await scriptedHttp(() => redirectTo(second.url))
    const result = await retrieved(first.url, { headers })
    expect(result.remarks).toEqual([expect.stringMatching(/^Authorization and X-Own .* another origin/)])
    expect(result.remarks.join()).not.toContain('s3cr3t')
  })

  test('nothing is remarked where none is dropped', async () => {
    await using second = await scriptedHttp(() => ok('x'))
    await using first = await scriptedHttp(({ target }) => redirectTo(target === '/' ? '/again' : second.url))
    expect((await retrieved(first.url, { headers: { 'Accept-Language': 'de' } })).remarks).toEqual([])
    expect((await retrieved(`${second.url}`, { headers })).remarks).toEqual([])
  })
})
