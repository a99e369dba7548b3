import { type ClientOptions, createClient, type Fetcher } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** `http://a/` redirects to `http://b/`. */
const redirecting = fakeHttp(({ host }) =>
  host === 'a' ? { outcome: 'redirect', status: 302, location: 'http://b/' } : retrieved(chunks('b')),
)

const client = (policy: ClientOptions['policy']) => createClient({ fetchers: [redirecting], policy: policy ?? {} })

test('policy.redirectSchemes names the schemes that redirects may lead to, and no others', async () => {
  const error = await failure(client({ redirectSchemes: ['https'] }).retrieve('http://a/'))
  expect(error).toMatchObject({
    code: 'refused',
    message: expect.stringMatching(
      /to http:\/\/b was not followed: `policy\.redirectSchemes: \["http"\]` would follow it/,
    ),
    advice: { option: 'policy.redirectSchemes', value: 'http' },
  })
  for (const redirectSchemes of [['http'], null]) {
    expect(await (await client({ redirectSchemes }).retrieve('http://a/')).text()).toBe('b')
  }
  expect(await (await client({ redirectSchemes: [] }).retrieve('http://b/')).text()).toBe('b')
})

test('no option is named for a redirect that none permits', async () => {
  const toFtp = fakeHttp(() => ({ outcome: 'redirect', status: 302, location: 'ftp://b/' }))
  await using leading = createClient({ fetchers: [toFtp], policy: { redirectSchemes: ['https'] } })
  const { code, message, advice } = await failure(leading.retrieve('http://a/'))
  expect([code, advice]).toEqual(['refused', undefined])
  expect(message).toMatch(/was not followed: only http and https may be redirected to/)
})

test('a call may only leave more out', async () => {
  const given = client({ redirectSchemes: ['http', 'https'] })
  expect(await failure(given.retrieve('http://a/', { policy: { redirectSchemes: ['https'] } }))).toMatchObject({
    code: 'refused',
  })
  for (const redirectSchemes of [null, ['ftp']]) {
    expect(await failure(given.retrieve('http://a/', { policy: { redirectSchemes } }))).toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('a part of [http, https]'),
    })
  }
})

test('names are those of schemes', () => {
  expect(() => client({ redirectSchemes: ['htpps'] })).toThrow(/`policy\.redirectSchemes` to be an array of the names/)
})

test('only what has an answer to show is told how to show it in place of the redirect', async () => {
  const gemini: Fetcher<'gemini'> = {
    mechanism: 'gemini',
    retrieve: async () => ({ outcome: 'redirect', status: 31, location: 'gemini://b/' }),
  }
  const options = { fetchers: [redirecting, gemini], limits: { maxRedirects: 0 } }
  await using client = createClient(options)
  const advised = await Promise.all(['http://a/', 'gemini://a/'].map((url) => failure(client.retrieve(url))))
  expect(
    advised.map(({ code, advice, message }) => [code, advice?.option, /allowed; (.*)$/.exec(message)?.[1]]),
  ).toEqual([
    ['too-many-redirects', 'http.fail', '`http.fail: false` shows the answer.'],
    ['too-many-redirects', 'limits.maxRedirects', '`limits.maxRedirects` allows some.'],
  ])
})
