import { completeUrl, resolve } from '@retriever/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'

const label = (name: string): string => `, since the name begins with "${name}."`
const nothing = ''

test.each([
  // uri(7) "Writing a URI".
  ['www.w3.org/Addressing', 'http://www.w3.org/Addressing', label('www')],
  ['WWW.w3.org', 'http://WWW.w3.org', label('www')],
  ['ftp.gnu.org', 'ftp://ftp.gnu.org', label('ftp')],
  ['ftp.gnu.org/gnu/a b', 'ftp://ftp.gnu.org/gnu/a b', label('ftp')],
  ['gopher.example.org/1/x', 'gopher://gopher.example.org/1/x', label('gopher')],
  ['news.example.org/comp.lang.c', 'nntp://news.example.org/comp.lang.c', label('news')],
  ['telnet.example.org:2323', 'telnet://telnet.example.org:2323', label('telnet')],
  ['example.org', 'http://example.org', nothing],
  ['example.org?q', 'http://example.org?q', nothing],
  ['ftpx.example.org/', 'http://ftpx.example.org/', nothing],
  ['constructor.example.org', 'http://constructor.example.org', nothing],
  ['host/path', 'http://host/path', nothing],
  ['ftp/path', 'http://ftp/path', nothing],
  ['localhost', 'http://localhost', nothing],
  ['localhost:8080', 'http://localhost:8080', nothing],
  ['localhost:8080/x?y#z', 'http://localhost:8080/x?y#z', nothing],
  ['myhost:8080', 'http://myhost:8080', nothing],
  ['127.0.0.1', 'http://127.0.0.1', nothing],
  ['127.0.0.1:81/x', 'http://127.0.0.1:81/x', nothing],
  ['[::1]', 'http://[::1]', nothing],
  ['[::1]:8080/x', 'http://[::1]:8080/x', nothing],
  ['alice@ftp.example.org/x', 'ftp://alice@ftp.example.org/x', label('ftp')],
  ['alice@host:8021/x', 'http://alice@host:8021/x', nothing],
  ['//www.w3.org/x', 'http://www.w3.org/x', label('www')],
  ['//ftp.gnu.org', 'ftp://ftp.gnu.org', label('ftp')],
  ['//host', 'http://host', nothing],
  ['www.bücher.example/grüße', 'http://www.bücher.example/grüße', label('www')],
])('%s is completed to %s', (text, url, why) => {
  expect(completeUrl(text)).toEqual({ url, reason: `No scheme given; assuming ${url}${why}.` })
})

test('a mail address is one', () => {
  expect(completeUrl('joe%x@example.com')).toEqual({
    url: 'mailto:joe%25x@example.com',
    reason: 'No scheme given; assuming mailto:joe%25x@example.com, since it has the form of a mail address.',
  })
})

test.each([
  ['http://h/', 'has a scheme'],
  ['news:119', 'has a scheme, whatever follows'],
  ['foo:bar', 'has a scheme that is not known'],
  ['sip:joe@example.com:5060', 'has a scheme that is not known, and no password'],
  ['mailto:joe@example.com', 'has a scheme'],
  ['', 'is empty'],
  ['.', 'is relative'],
  ['..', 'is relative'],
  ['./x', 'is relative'],
  ['../x.y/z', 'is relative'],
  ['/x', 'is relative'],
  ['?x', 'is relative'],
  ['#x', 'is relative'],
  ['word', 'is one word'],
  ['///x', 'names no host'],
  ['//', 'names no host'],
  ['two words', 'is no host'],
  ['two words/x', 'is no host'],
  ['a..b/x', 'is no host'],
  ['1.5', 'is a number'],
  ['0x7f.1/x', 'is a number'],
  ['2130706433/x', 'is a number'],
  ['256.1.1.1', 'is no address'],
  ['[::1', 'is no address'],
  ['[x]/y', 'is no address'],
  ['::1', 'has no brackets'],
  ['h:99999999/', 'has no port'],
  ['<www.w3.org>', 'is wrapped'],
  ['a\n.b/c', 'is no host'],
])('%j is left alone: it %s', (text) => {
  expect(completeUrl(text)).toBeUndefined()
})

test('a scheme of the caller is one', () => {
  expect(completeUrl('custom:80')?.url).toBe('http://custom:80')
  const { scheme } = resolve('urn:example:a')
  expect(completeUrl('custom:80', [{ ...scheme, name: 'custom' }])).toBeUndefined()
})

test.each(['www.w3.org/x', 'ftp.gnu.org', 'host/path', 'localhost', 'joe@example.com', '//h/x'])(
  'resolve() completes nothing: %s',
  (text) => {
    expect(() => resolve(text)).toThrow(expect.objectContaining({ code: 'malformed-url' }))
    // uri(7): "abbreviated URI references cannot be used where relative URIs are permitted".
    expect(resolve(text, { base: 'http://b/a/' }).plan).toMatchObject({ host: text === '//h/x' ? 'h' : 'b' })
  },
)

test('any text: a completed URL has a scheme, ends in the text, and is not completed again', () => {
  const piece = fc.constantFrom(
    'www.',
    'ftp.',
    'a',
    '.',
    ':',
    '80',
    '/',
    '@',
    '[::1]',
    '?',
    '#',
    '//',
    ' ',
    'é',
    '%',
    '-',
  )
  const typed = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  )
  fc.assert(
    fc.property(typed, (text) => {
      const completion = completeUrl(text)
      if (completion === undefined) return
      const { url, reason } = completion
      expect(reason.startsWith(`No scheme given; assuming ${url}`)).toBe(true)
      expect(url.endsWith(text.replace(/%/g, url.startsWith('mailto:') ? '%25' : '%'))).toBe(true)
      expect(completeUrl(url)).toBeUndefined()
    }),
    { numRuns: runs(5000) },
  )
})
