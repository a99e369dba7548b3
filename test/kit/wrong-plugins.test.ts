import { type ClientOptions, createClient, explainUrl, retrieve } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const fetcher = fakeHttp(() => retrieved(chunks('a')))
const scheme = { name: 'quote', mechanism: 'http', resolve() {} }

test.each([
  ['honours', { fetchers: [{ ...fetcher, honours: ['rnge'] }] }, /`http\.honours` to be a list of range, .*got "rnge"/],
  ['honours', { fetchers: [{ ...fetcher, honours: 'range' }] }, /`http\.honours` to be a list of range, .*got "range"/],
  [
    'honours',
    { fetchers: [{ ...fetcher, honours: { range: 'files' } }] },
    /`http\.honours` .* or an object that gives 'all', 'objects' or 'listings' for each, got "range: files"/,
  ],
  ['title', { fetchers: [{ ...fetcher, title: 5 }] }, /`http\.title` to be a string, got 5/],
  [
    'schemes',
    { schemes: [null] },
    /`schemes` to be a list of objects with `name`, `mechanism` and `resolve`, got null/,
  ],
  ['schemes', { schemes: [{ ...scheme, resolve: 5 }] }, /`schemes` to be a list of objects/],
  ['options', null, /`options` to be an object of options, got null/],
  ['options', [], /`options` to be an object of options/],
])('wrong options of a plug-in are named: %s', (_name, options, message) => {
  expect(() => createClient(options as ClientOptions)).toThrow(message)
})

test.each([null, []])('options of a single call that are %j are an error, and no crash', async (options) => {
  const expected = { code: 'invalid-option', message: expect.stringMatching(/`options` to be an object of options/) }
  expect(await failure(retrieve('data:,x', options as never))).toMatchObject(expected)
  expect(await failure(explainUrl('data:,x', options as never))).toMatchObject(expected)
})

test('a signal in place of { signal } is an error, and not ignored', async () => {
  await using client = createClient({ fetchers: [fetcher] })
  const signal = Object(new AbortController().signal)
  expect(await failure(client.retrieve('http://h/', signal))).toMatchObject({ code: 'invalid-option' })
})

test.each([
  ['no outcome', {}, /expected retrieved, redirect or handoff as the outcome of the fetcher "http"/],
  ['a list as its body', retrieved([Buffer.from('a')] as never), /as the body, got a list/],
  ['a text as its body', retrieved('a' as never), /as the body, got string/],
  ['no body', retrieved(undefined as never), /as the body, got undefined/],
])('a fetcher that gives %s is told so', async (_what, outcome, message) => {
  await using client = createClient({ fetchers: [fakeHttp(() => outcome as never)], limits: { maxRetries: 0 } })
  const error = await failure(client.retrieve('http://h/'))
  expect(error).toMatchObject({ code: 'receive-failed', message: expect.stringMatching(message) })
})

test('a fetcher whose body has texts is told so, and its generator ends', async () => {
  let isOver = false
  const texts = async function* (): AsyncGenerator<unknown> {
    try {
      yield 'abc'
    } finally {
      isOver = true
    }
  }
  await using client = createClient({
    fetchers: [fakeHttp(() => retrieved(texts() as never))],
    limits: { maxRetries: 0 },
  })
  const error = await failure(client.retrieve('http://h/').then((representation) => representation.text()))
  expect(error).toMatchObject({ code: 'receive-failed' })
  expect(String(error.cause)).toMatch(/expected octets \(Uint8Array\) as a chunk of the body, got string/)
  expect(isOver).toBe(true)
})
