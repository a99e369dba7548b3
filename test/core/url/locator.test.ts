import { RetrievalError } from '@retriever/core'
import { schemeOf } from '@retriever/core/internal'
import { describe, expect, test } from 'vitest'
import { formatLocator, type Locator } from '../../../packages/core/src/url/locator.ts'
import { maxUrlLength, spanOf, splitUrl } from '../../../packages/core/src/url/split.ts'

const nothing = {
  user: null,
  password: null,
  host: null,
  port: null,
  urlPath: null,
  query: null,
  fragment: null,
} satisfies Omit<Locator, 'scheme'>

function errorOf(text: string): RetrievalError {
  try {
    splitUrl(text)
  } catch (error) {
    if (RetrievalError.is(error)) return error
  }
  throw new Error(`${text} splits without an error`)
}

describe('absent is not empty (RFC 1738 3.1)', () => {
  test.each<[string, Partial<Locator>]>([
    ['ftp://@h/', { user: '', host: 'h', urlPath: '' }],
    ['ftp://h/', { host: 'h', urlPath: '' }],
    ['ftp://h', { host: 'h' }],
    ['ftp://u@h/', { user: 'u', host: 'h', urlPath: '' }],
    ['ftp://u:@h/', { user: 'u', password: '', host: 'h', urlPath: '' }],
    ['ftp://u:p@h/', { user: 'u', password: 'p', host: 'h', urlPath: '' }],
    ['ftp://h?', { host: 'h', query: '' }],
    ['ftp://h/?', { host: 'h', urlPath: '', query: '' }],
    ['ftp://h#', { host: 'h', fragment: '' }],
    ['ftp://h?#', { host: 'h', query: '', fragment: '' }],
    ['ftp:///', { host: '', urlPath: '' }],
    ['ftp://', { host: '' }],
    ['ftp:', { urlPath: '' }],
    ['ftp://h:21/', { host: 'h', port: 21, urlPath: '' }],
    ['ftp://h:0/', { host: 'h', port: 0, urlPath: '' }],
    ['ftp://u:p:q@h/', { user: 'u', password: 'p:q', host: 'h', urlPath: '' }],
  ])('%s', (url, parts) => {
    expect(splitUrl(url).locator).toEqual({ scheme: 'ftp', ...nothing, ...parts })
  })
})

test('the / after the host is no part of the urlPath, a second one is', () => {
  expect(splitUrl('ftp://h//etc').locator.urlPath).toBe('/etc')
  expect(splitUrl('file:/etc').locator.urlPath).toBe('/etc')
})

test('nothing is decoded', () => {
  expect(splitUrl('ftp://a%40b@h/%2Fc?%3F#%23').locator).toMatchObject({
    user: 'a%40b',
    urlPath: '%2Fc',
    query: '%3F',
    fragment: '%23',
  })
})

test('a scheme without a query has ? in its path', () => {
  const { locator } = splitUrl('x://h/a?b#c', () => ({ query: false }))
  expect(locator).toMatchObject({ urlPath: 'a?b', query: null, fragment: 'c' })
})

test('an @ or a : after the authority is an ordinary character', () => {
  expect(splitUrl('http://h/a@b:c').locator).toMatchObject({ user: null, host: 'h', urlPath: 'a@b:c' })
})

test('an IPv6 address keeps its brackets', () => {
  expect(splitUrl('http://u@[::1]:8080/').locator).toMatchObject({ user: 'u', host: '[::1]', port: 8080 })
})

describe('spans say where a part stands in the text as given', () => {
  const text = 'http://user:pass@host:81/path?query#frag'

  test.each(['scheme', 'user', 'password', 'host', 'port', 'urlPath', 'query', 'fragment'] as const)('%s', (part) => {
    const split = splitUrl(text)
    const { locator } = split
    const span = spanOf(split, part)
    expect(span).toBeDefined()
    expect(text.slice(...(span ?? [0, 0]))).toBe(String(locator[part]))
  })

  test('an absent part has none', () => {
    const split = splitUrl('http://h')
    const parts = ['scheme', 'user', 'password', 'host', 'port', 'urlPath', 'query', 'fragment'] as const
    expect(parts.filter((part) => spanOf(split, part) !== undefined)).toEqual(['scheme', 'host'])
  })
})

describe('unsafe characters are escaped, and said so', () => {
  test('in the locator, with their place in the text', () => {
    const text = 'http://h/a b<c?d|e'
    const { locator, repaired } = splitUrl(text)
    expect(locator).toMatchObject({ urlPath: 'a%20b%3Cc', query: 'd%7Ce' })
    expect(repaired.map((span) => text[span[0]]).sort()).toEqual([' ', '|'])
  })

  test('characters beyond ASCII become their UTF-8 octets', () => {
    expect(splitUrl('http://h/grüße/😀').locator.urlPath).toBe('gr%C3%BC%C3%9Fe/%F0%9F%98%80')
  })

  test('after an astral character the place is still right', () => {
    const text = 'http://h/😀'
    expect(splitUrl(text).repaired).toEqual([[9, text.length]])
  })

  test('a URL without any is left alone', () => {
    expect(splitUrl("http://h/~!$&'()*+,;=:@-._").repaired).toEqual([])
  })
})

describe('errors point at what is wrong', () => {
  test.each([
    ['http://h/%zz', '%zz'],
    ['http://h/a%4', '%4'],
    ['http://h/%', '%'],
    ['http://h:8o/', '8o'],
    ['http://h:99999/', '99999'],
    ['http://a@b@c/', '@'],
    ['http://a b/', ' '],
    ['http://h/a\tb', '\t'],
    ['http://[::1/', '[::1'],
    ['http://[::1]x/', 'x'],
    ['http://::1/', '::1'],
  ])('%j', (text, culprit) => {
    const error = errorOf(text)
    expect(error).toMatchObject({ code: 'malformed-url', phase: 'resolve' })
    expect(text.slice(...(error.span ?? [0, 0]))).toBe(culprit)
  })

  test('a lone surrogate is no character', () => {
    expect(errorOf('http://h/\uD800').code).toBe('malformed-url')
  })

  test('a text without a scheme is a relative reference', () => {
    expect(errorOf('a/b').message).toMatch(/base URL/)
    expect(errorOf('').code).toBe('malformed-url')
    expect(errorOf('1http://h/').code).toBe('malformed-url')
  })

  test('the URL in the message is short, printable, and without its password', () => {
    const { message, url } = errorOf(`http://u:s3cr3t@h/\x1B[2J${'x'.repeat(1000)}`)
    expect(message.length).toBeLessThan(400)
    expect(message).not.toMatch(/s3cr3t|\x1B/)
    expect(url).not.toMatch(/s3cr3t/)
  })
})

test('a password is hidden before the message is cut', () => {
  const error = errorOf(`ftp://u:${'s3cr3t'.repeat(100)}@h/%zz`)
  expect(`${error.message} ${error.url}`).not.toMatch(/s3c/)
})

describe('64 KiB are the limit (threats.md case 79)', () => {
  test('at the limit', () => {
    const head = 'http://h/'
    expect(splitUrl(head + 'a'.repeat(maxUrlLength - head.length)).locator.urlPath).toHaveLength(65_527)
  })

  test.each([maxUrlLength + 1, 1_000_000])('%i characters are too many', (length) => {
    expect(errorOf('http://h/'.padEnd(length, 'a'))).toMatchObject({ code: 'limit-exceeded' })
  })

  test('and its password is not shown then either', () => {
    const error = errorOf(`ftp://u:${'s3cr3t'.repeat(20_000)}@h/`)
    expect(`${error.message} ${error.url}`).not.toMatch(/s3cr3t/)
  })
})

test.each([
  ['HTTP://h/', 'http'],
  ['z39.50r://h/', 'z39.50r'],
  ['a+b-c.d:x', 'a+b-c.d'],
  ['//h/', undefined],
  ['a/b:c', undefined],
  ['1a:b', undefined],
])('schemeOf(%j) is %j', (text, scheme) => {
  expect(schemeOf(text)).toBe(scheme)
})

test.each(['ftp://@h', 'ftp://u:@h:21/a;type=a', 'news:a@b', 'file:/x', 'file:///x', 'http://h?#', 'http://[::1]/?'])(
  'formatLocator gives %s back',
  (url) => {
    expect(formatLocator(splitUrl(url).locator)).toBe(url)
  },
)
