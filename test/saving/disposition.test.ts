import { expect, test } from 'vitest'
import { dispositionName } from '../../packages/fetchers/src/saving/disposition.ts'

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

test.each([
  // RFC 6266 5.
  ['Attachment; filename=example.html', 'example.html'],
  ['INLINE; FILENAME= "an example.html"', 'an example.html'],
  ["attachment; filename*= UTF-8''%e2%82%ac%20rates", '€ rates'],
  [`attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates`, '€ rates'],
  [`attachment; filename*=utf-8'en'%e2%82%ac%20rates; filename="EURO rates"`, '€ rates'],
  ["attachment; filename*=iso-8859-1''gr%FC%DFe", 'grüße'],
  ["attachment; filename*=ISO-8859-1'de'caf%E9.txt", 'café.txt'],
  [String.raw`attachment; filename="a\"b\\c"`, String.raw`a"b\c`],
  ['attachment; filename="a;b=c, d"', 'a;b=c, d'],
  ['attachment; x="filename=evil"; filename=a', 'a'],
  ['attachment; filename="a%20b"', 'a%20b'],
  [`attachment; filename="${utf8('grüße')}"`, 'grüße'],
  ['attachment; filename="gr\xFC\xDFe"', 'grüße'],
  ['attachment;filename=a;', 'a'],
  [' attachment ; ; filename = a ; ', 'a'],
  // Outside the grammar, as many servers send it and browsers read it.
  ['filename=a', 'a'],
  [' filename = "a b"; size=3', 'a b'],
  ["filename*=UTF-8''a%20b", 'a b'],
  ['attachment; filename=a b.txt', 'a b.txt'],
  ['attachment; filename=a  b (1), c.txt ; size=3', 'a  b (1), c.txt'],
  [`attachment; filename=${utf8('grüße')}.txt`, 'grüße.txt'],
  // The last octet of à is A0, a blank of Latin-1.
  [`attachment; filename=${utf8('voilà')}`, 'voilà'],
  ['attachment; filename="a b.txt', 'a b.txt'],
  [String.raw`attachment; filename="a\"b`, 'a"b'],
  // filename* cannot be read, so filename is used.
  ["attachment; filename=a; filename*=koi8-r''%C1", 'a'],
  ["attachment; filename=a; filename*=UTF-8''%FF", 'a'],
  ...['iso-8859-15', 'x-iso-8859-1', 'utf-8x', 'xutf-8', "x'utf-8", 'utf-8 '].map((charset): [string, string] => [
    `attachment; filename=a; filename*=${charset}''b`,
    'a',
  ]),
  ["attachment; filename*=UTF-8''%EF%BB%BFa", '\uFEFFa'],
  ["attachment; filename=a; filename*=UTF-8''%2", 'a'],
  ['attachment; filename=a; filename*="UTF-8"', 'a'],
  // Not yet harmless: safeFileName does that.
  ["attachment; filename*=UTF-8''..%2f..%2f.bashrc", '../../.bashrc'],
  ['attachment; filename="../../.bashrc"', '../../.bashrc'],
  ['attachment; filename=""', ''],
])('case 28, %s names %j', (field, name) => {
  expect(dispositionName(field)).toBe(name)
})

test.each([
  '',
  'attachment',
  'inline; size=3',
  '"attachment"; filename=a',
  'attachment, filename=a',
  'attachment; filename=a/b',
  'attachment; filename',
  'attachment; filename=a"b"',
  'attachment; filename=a; filename=b',
  'attachment; filename=a; FileName=a',
  "attachment; filename*=UTF-8''a; filename*=UTF-8''b; filename=c",
  "attachment; filename=c; filename=d; filename*=UTF-8''a",
  'attachment; filename=a, attachment; filename=b',
  "attachment; filename*=koi8-r''%C1",
  'attachment; filename==',
])('case 28, %j names nothing', (field) => {
  expect(dispositionName(field)).toBeNull()
})

test.each([
  `attachment${'; '.repeat(1_000_000)}=`,
  `attachment${' '.repeat(1_000_000)}x`,
  'attachment'.concat('; filename=a'.repeat(200_000)),
  `attachment; filename="${'\\a'.repeat(1_000_000)}\\`,
  `attachment; filename=${'a '.repeat(500_000)}"`,
])('case 44, a megabyte of nothing takes a moment', (field) => {
  expect(dispositionName(field)).toBeNull()
})

test('a megabyte of a name whose quote stays open, too', () => {
  expect(dispositionName(`attachment; filename="${'\\a'.repeat(1_000_000)}`)).toHaveLength(1_000_000)
})
