import { domainToASCII } from 'node:url'
import { iriToUri, resolve } from '@retriever/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const uri = (iri: string): string => iriToUri(iri, domainToASCII)

describe('RFC 3987 3.1', () => {
  test.each([
    ['http://résumé.example.org', 'http://xn--rsum-bpad.example.org'],
    [
      'http://validator.w3.org/check?uri=http%3A%2F%2Frésumé.example.org',
      'http://validator.w3.org/check?uri=http%3A%2F%2Fr%C3%A9sum%C3%A9.example.org',
    ],
    ['http://www.example.org/red%09rosé#red', 'http://www.example.org/red%09ros%C3%A9#red'],
    ['http://example.com/\u{10300}\u{10301}\u{10302}', 'http://example.com/%F0%90%8C%80%F0%90%8C%81%F0%90%8C%82'],
    // Step 1c: no normalisation; ệ and ê with a dot below it stay what they are.
    ['http://h/Vi\u1EC7t Nam', 'http://h/Vi%E1%BB%87t%20Nam'],
    ['http://h/Vi\u00EA\u0323t', 'http://h/Vi%C3%AA%CC%A3t'],
    // "may also deal with" them.
    ['http://h/<">{|}\\^`', 'http://h/%3C%22%3E%7B%7C%7D%5C%5E%60'],
  ])('%s', (iri, expected) => {
    expect(uri(iri)).toBe(expected)
  })
})

test.each([
  ['ftp://ü:ß@bücher.example:2121/ü;type=a', 'ftp://%C3%BC:%C3%9F@xn--bcher-kva.example:2121/%C3%BC;type=a'],
  ['http://BÜCHER.example/', 'http://xn--bcher-kva.example/'],
  ['http://bücher。example/', 'http://xn--bcher-kva.example/'],
  ['news:é.b', 'news:%C3%A9.b'],
  ['mailto:é@h?subject=ü', 'mailto:%C3%A9@h?subject=%C3%BC'],
  // Every URI is an IRI: it stays, also where it could be spelled otherwise.
  ['http://r%C3%A9sum%C3%A9.example.org/%7e%c3', 'http://r%C3%A9sum%C3%A9.example.org/%7e%c3'],
  ['http://H:80/a/../b?#', 'http://H:80/a/../b?#'],
  ['http://[::1]/x', 'http://[::1]/x'],
])('%s', (iri, expected) => {
  expect(uri(iri)).toBe(expected)
})

test.each(['http://a\u200Bé b.example/', 'http://xn--ü.example/', 'http://-é\u0338.例\uFFFD/', 'é', 'http://h/\uD800'])(
  '%j cannot be resolved',
  (iri) => {
    expect(() => uri(iri)).toThrow(expect.objectContaining({ code: 'malformed-url' }))
  },
)

test('the span of a host without a form in ASCII is that of the host', () => {
  expect(() => uri('ftp://u@é\uFFFD.example:21/')).toThrow(expect.objectContaining({ span: [8, 18] }))
})

test('the mapping is ASCII, idempotent, and means the same', () => {
  const host = fc.constantFrom('h', 'bücher.example', 'r%C3%A9sum%C3%A9.example', '[::1]', '例え.jp')
  const text = fc.string({ unit: 'grapheme' }).map((part) => part.replace(/[%?#/\\]/g, '%25'))
  fc.assert(
    fc.property(host, text, text, (name, path, query) => {
      const iri = `http://${name}/${path}?${query}`
      const once = uri(iri)
      expect(once).toMatch(/^[!-~]*$/)
      expect(uri(once)).toBe(once)
      const options = { domainToAscii: domainToASCII }
      expect(resolve(once, options).plan).toEqual(resolve(iri, options).plan)
    }),
  )
})
