import { decodeOctets, encodeOctets, octetsToText } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import { describe, expect, test } from 'vitest'
import { encodeUnsafe, findBadEscape } from '../../../packages/core/src/url/percent.ts'

describe('decodeOctets', () => {
  test.each([
    ['%41%62', 'Ab'],
    ['%2f%2F', '//'],
    ['%250d', '%0d'],
    ['%25%32%35', '%25'],
    ['a+b', 'a+b'],
    ['%00%FF', '\0\xFF'],
    ['%C3%BC', '\xC3\xBC'],
    ['ü', '\xC3\xBC'],
    ['😀', '\xF0\x9F\x98\x80'],
    ['', ''],
    ['%4@%4:%4/%4g%@4', '%4@%4:%4/%4g%@4'],
  ])('%j decodes once, to %j', (text, octets) => {
    expect(decodeOctets(text)).toBe(octets)
  })
})

test.each([
  ['a%4', 1],
  ['%', 0],
  ['ab%', 2],
  ['%4G', 0],
  ['%%41', 0],
  ['%41%zz', 3],
  ['% 1', 0],
  ['%u0041', 0],
  ['%41%fF', -1],
  ['', -1],
])('the first bad escape of %j is at %i', (text, offset) => {
  expect(findBadEscape(text)).toBe(offset)
})

describe('octetsToText', () => {
  test('UTF-8 where it is valid', () => expect(octetsToText('gr\xC3\xBC\xC3\x9Fe')).toBe('grüße'))
  test('else Latin-1', () => expect(octetsToText('gr\xFC\xDFe')).toBe('grüße'))
  test('a % is a character like any other', () => expect(octetsToText('100%41\xC3\xBC')).toBe('100%41ü'))
  test('an overlong form is no UTF-8', () => expect(octetsToText('\xC0\xAF')).toBe('À¯'))
})

test('encodeOctets leaves what RFC 1738 and RFC 3986 both leave, and what it is told to keep', () => {
  expect(encodeOctets("aZ09-_.~$!*'(),;/?:@=&+ %\xFF")).toBe(
    'aZ09-_.%7E%24%21%2A%27%28%29%2C%3B%2F%3F%3A%40%3D%26%2B%20%25%FF',
  )
  expect(encodeOctets('/a/b c', '/')).toBe('/a/b%20c')
})

test('encodeUnsafe leaves escapes alone', () => {
  expect(encodeUnsafe('a%20b c')).toBe('a%20b%20c')
})

test('utf8Octets replaces lone surrogates', () => {
  expect(utf8Octets('a\uD800b')).toBe('a\xEF\xBF\xBDb')
})

test('a long text is decoded as a short one', () => {
  for (const unit of ['%41', 'a%', '%4', '%25%', 'ü', '%C3%BC', '%zz', 'x41']) {
    const count = Math.ceil(20_000 / unit.length)
    const short = decodeOctets(`${unit}|`.repeat(10))
    expect(decodeOctets(`${unit}|`.repeat(10 * count)), unit).toBe(short.repeat(count))
  }
})
