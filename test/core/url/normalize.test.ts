import { normalizeUrl, type Resolution, RetrievalError, resolve, type Scheme } from '@retriever/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { tableUrls } from '../../support/url-tables.ts'

describe('RFC 3986 6.2.2 and 6.2.3', () => {
  test.each([
    ['HTTP://www.EXAMPLE.com/', 'http://www.example.com/'],
    ['http://h/%3a%7b', 'http://h/%3A%7B'],
    ['http://h/%63%7E%2d', 'http://h/c~-'],
    ['http://example.com', 'http://example.com/'],
    ['http://example.com/', 'http://example.com/'],
    ['http://example.com:/', 'http://example.com/'],
    ['http://example.com:80/', 'http://example.com/'],
    // "cannot be assumed to be equivalent".
    ['http://example.com/?', 'http://example.com/?'],
    ['http://example.com/#', 'http://example.com/#'],
    ['http://@h/', 'http://@h/'],
    ['http://u:@h/', 'http://u:@h/'],
    ['https://h:80/', 'https://h:80/'],
    // Case within a mail address is left: RFC 3986 gives a licence, no duty.
    ['mailto:Joe@Example.COM', 'mailto:Joe@Example.COM'],
  ])('%s', (url, expected) => {
    expect(normalizeUrl(url)).toBe(expected)
  })

  test('eXAMPLE://a/./b/../b/%63/%7bfoo%7d: dot-segments go where the scheme is known to have them', () => {
    const { scheme: http } = resolve('http://h/')
    const example: Scheme = { ...http, name: 'example' }
    expect(normalizeUrl('eXAMPLE://a/./b/../b/%63/%7bfoo%7d', [example])).toBe('example://a/b/c/%7Bfoo%7D')
    expect(normalizeUrl('eXAMPLE://a/./b/../b/%63/%7bfoo%7d')).toBe('example://a/./b/../b/c/%7Bfoo%7D')
  })
})

test.each([
  ['http://h/a/%2e%2E/b', 'http://h/b'],
  ['http://h/a/%2e/b/.', 'http://h/a/b/'],
  ['http://h/../..', 'http://h/'],
  ['http://h//../x', 'http://h/x'],
  ['http://h?a/../b', 'http://h/?a/../b'],
  ['http://h/a%2F..%2Fb', 'http://h/a%2F..%2Fb'],
  ['gemini://H:1965/a/../b', 'gemini://h/b'],
  ['ftp://H:21/a/../b/./%2e%2e', 'ftp://h/a/../b/./..'],
  ['gopher://h:70/0/../x', 'gopher://h/0/../x'],
  ['file:///a/../b', 'file:///a/../b'],
  ['nfs://h/a/../b', 'nfs://h/a/../b'],
  // RFC 1738 3.2.2: an empty path, and a slash, are two things.
  ['ftp://h', 'ftp://h'],
  ['ftp://h/%2fetc', 'ftp://h/%2Fetc'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
  ['http://%65xample.ORG/', 'http://example.org/'],
  ['http://[0:0:0:0:0:0:0:1]:80/', 'http://[::1]/'],
  ['http://[FE80::1%25eth0]/', 'http://[fe80::1%25eth0]/'],
  ['http://bücher.EXAMPLE/', 'http://bücher.example/'],
  ['foo://%c3%A9.X/', 'foo://%C3%A9.x/'],
  ['foo://X:/%7e', 'foo://x/~'],
])('%s', (url, expected) => {
  expect(normalizeUrl(url)).toBe(expected)
})

describe('what is decoded never becomes a word of the scheme', () => {
  test.each([
    ['ftp://h/%7ex;%74ype=a', 'ftp://h/%7Ex;%74ype=a'],
    ['data:text/plain;%62ase64,AAAA', 'data:text/plain;%62ase64,AAAA'],
    ['irc://h/c?%6bey=x', 'irc://h/c?%6Bey=x'],
    ['z39.50s://h/db;%65sn=f', 'z39.50s://h/db;%65sn=f'],
    // RFC 8141 3.1: percent-encoded characters are not decoded for a comparison.
    ['urn:example:%66oo%2c', 'urn:example:%66oo%2C'],
    // A path of a socket has letters in both cases.
    ['ldapi://%2fVar%2Frun/', 'ldapi://%2FVar%2Frun/'],
    ['ldapi://%2Fa%252fb/', 'ldapi://%2Fa%252fb/'],
  ])('%s', (url, expected) => {
    expect(normalizeUrl(url)).toBe(expected)
    expect(resolve(expected).plan).toEqual({ ...resolve(url).plan, ...(url.startsWith('urn') && { nss: '%66oo%2C' }) })
  })
})

test.each(['http://h:x/', 'x', 'http://h/%zz'])('%s is no URL', (url) => {
  expect(() => normalizeUrl(url)).toThrow(expect.objectContaining({ code: 'malformed-url' }))
})

const examples = tableUrls
  .filter((url) => /^(ftps?|gophers?|s?news|nntps?|file|telnet|mailto|wais|ldap|dict|man|info):/i.test(url))
  .filter((url) => url.length < 400)

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16)}`
const piece = fc.constantFrom(
  ...'/ ; ;type=a .. . %2e %2E ~ %7e %2f %41 : @ ? # %25 %09 * a , = %74ype ( é'.split(' '),
  ' ',
)

/** A URL of a table with characters of it escaped, or something put into it. */
const url = fc
  .tuple(fc.constantFrom(...examples), fc.array(fc.tuple(fc.nat(), fc.option(piece)), { maxLength: 4 }))
  .map(([example, changes]) =>
    changes.reduce((text, [where, inserted]) => {
      const start = text.indexOf(':') + 1
      const at = start + (where % Math.max(1, text.length - start))
      const character = text[at] ?? ''
      if (inserted !== null) return text.slice(0, at) + inserted + text.slice(at)
      return /[A-Za-z0-9._~-]/.test(character) ? text.slice(0, at) + hex(character) + text.slice(at + 1) : text
    }, example),
  )

test('what is normalised means the same, and is its own normal form', () => {
  let meant = 0
  fc.assert(
    fc.property(url, (text) => {
      const before: Resolution | undefined = attempt(() => resolve(text))
      const normalized = attempt(() => normalizeUrl(text))
      if (normalized === undefined) {
        expect(before).toBeUndefined()
        return
      }
      expect(normalizeUrl(normalized)).toBe(normalized)
      if (before === undefined) return
      meant++
      expect(resolve(normalized).plan).toEqual(before.plan)
    }),
    { numRuns: runs(10_000) },
  )
  expect(meant).toBeGreaterThan(runs(2000))
})
