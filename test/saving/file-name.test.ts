import { posix, win32 } from 'node:path'
import { resolve } from '@retriever/core'
import { fileNameOf, safeFileName } from '@retriever/fetchers'
import { hashedPlace } from '@retriever/fetchers/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectLinear, filled } from '../support/growth.ts'
import { runs } from '../support/runs.ts'

test.each([
  ['http://h/a/b.tar.gz', 'b.tar.gz'],
  ['http://h/a/b.html?x=/y#z', 'b.html'],
  ['http://h/name%20with%20spaces', 'name with spaces'],
  ['http://h/gr%C3%BC%C3%9Fe.txt', 'grüße.txt'],
  ['http://h/%FF', 'ÿ'],
  // Decoded once.
  ['http://h/a%252Fb', 'a%2Fb'],
  // threats.md 29
  ['http://h/..%2f..%2f.bashrc', '_bashrc'],
  ['http://h/a%5c..%5cb', 'b'],
  ['http://h/', null],
  ['http://h', null],
  ['http://h/a/%2E%2E', null],
  ['http://h/...', null],
  ['ftp://h/pub/a.bin;type=i', 'a.bin'],
  ['ftp://h/pub/', 'pub'],
  ['http://h/a/docs/', 'docs'],
  ['http://h/docs//?x=/y', 'docs'],
  ['gopher://h/1/pub/', 'pub'],
  ['ftp://h/', null],
  ['http://h/.env', '.env'],
  ['http://h/~root', '_root'],
  ['ftp://h/%2Fetc%2Fmotd', 'motd'],
  ['gopher://h/0readme.txt', 'readme.txt'],
  ['gopher://h/9/pub/a.bin%09x', 'a.bin'],
  ['gopher://h/', null],
  ['nntp://h/g.a/12', '12'],
  ['news://h/g.a', 'g.a'],
  ['news:*', null],
  ['wais://h/db/TEXT/28/1=h%3A210;2=/idx/db;3=0%2028%20/docs/a%3Bb.txt;4=h%3A210;7=%00;', 'a;b.txt'],
  ['wais://h/db/GIF/opaque', 'opaque'],
  ['z39.50r://h/db?doc1;rs=usmarc', 'doc1'],
  ['z39.50s://h/db;query=water', 'db'],
  ['wais://h/db?ark', 'db'],
  ['prospero://h//docs/a.txt;OBJECT-VERSION=3', 'a.txt'],
  ['prospero://h//docs/a%3Bb.txt', 'a;b.txt'],
  ['news:a@b', 'a@b'],
  ['news:a%2Fb@c', 'b@c'],
  ['file:///etc/motd', 'motd'],
])('%s is saved as %s', (url, name) => {
  expect(fileNameOf(resolve(url))).toBe(name)
})

test.each([
  ['-rf', '_rf'],
  ['~root', '_root'],
  ['.profile', '_profile'],
  ['a\0b', 'a%00b'],
  ['gnp\u202Eexe.txt', 'gnp%E2%80%AEexe.txt'],
  ['a\x1b[2J', 'a%1B[2J'],
  ['a\x9b', 'a%C2%9B'],
  ['CON', 'CON_'],
  ['nul.txt', 'nul_.txt'],
  ['com¹.x', 'com¹_.x'],
  ['console', 'console'],
  ['a. ', 'a'],
  ['e\u0301', 'é'],
  [`${'a'.repeat(300)}.tar`, `${'a'.repeat(196)}.tar`],
  ['é'.repeat(150), 'é'.repeat(100)],
  // The record of a part would tell another retrieval where to go on.
  ['a.iso.part.json', 'a.iso.part.json_'],
  // Saving a.iso would replace it.
  ['a.iso.part', 'a.iso.part_'],
  ['a.part1.rar', 'a.part1.rar'],
  [`${'a'.repeat(195)}.part`, `${'a'.repeat(194)}.part_`],
  // The system would write the halves of surrogate pairs as one and the same character.
  ['a\ud800', 'a\ufffd'],
  ['a.PART.json\u200B. ', 'a.PART.json_'],
  // Invisible characters are dropped: they would make two names that look alike.
  ['a\u200Bb\u2060\uFEFF.txt', 'ab.txt'],
  ['C\u200DON', 'CON_'],
  ['a\u00ADb', 'ab'],
  ['\u{E0041}\u{E007F}x', 'x'],
  ['\u200B', null],
])('case 58, %j becomes %j', (text, name) => {
  expect(safeFileName(text, { platform: 'linux' })).toBe(name)
})

test('colons and their like are escaped on Windows only', () => {
  expect(safeFileName('a:b<c>"|?*', { platform: 'win32' })).toBe('a%3Ab%3Cc%3E%22%7C%3F%2A')
  expect(safeFileName('a:b?', { platform: 'linux' })).toBe('a:b?')
})

const parts = fc.constantFrom(
  '.',
  '..',
  '/',
  '\\',
  ' ',
  'con',
  'NUL',
  '-',
  '~',
  '\0',
  '\n',
  '\x9b',
  '\u202e',
  ':',
  'a'.repeat(90),
  'é',
  '😀',
)
const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(parts, { maxLength: 8 }).map((all) => all.join('')),
)

test('property 9: any text becomes one harmless segment, which is safe already', () => {
  fc.assert(
    fc.property(anyName, fc.constantFrom<NodeJS.Platform>('linux', 'win32'), (text, platform) => {
      const name = safeFileName(text, { platform: platform })
      if (name === null) return
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
      expect(name).not.toMatch(/[\0-\x1f\x7f-\x9f/\\\u202a-\u202e]|^[-~.]|[. ]$|^$/)
      expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d) *(\.|$)/i)
      expect(posix.dirname(posix.join('/root/dir', name))).toBe('/root/dir')
      expect(win32.dirname(win32.join('C:\\dir', name))).toBe('C:\\dir')
      expect(safeFileName(name, { platform: platform })).toBe(name)
    }),
    { numRuns: runs(2000) },
  )
})

test('a name of dots and blanks is trimmed in linear time', () =>
  expectLinear(1_000_000, (length) => {
    expect(safeFileName(`${filled('. ', length)}a`, { platform: 'linux' })).toHaveLength(200)
    expect(safeFileName(filled('. ', length), { platform: 'linux' })).toBeNull()
  }))

test.each([
  ['a-b~c..d', 'a-b~c..d'],
  ['.a', '.a'],
  ['..a', '_.a'],
  ['-a', '_a'],
  ['~a', '_a'],
])('%s may keep one dot at its beginning as %s', (name, expected) => {
  expect(safeFileName(name, { dotFiles: true })).toBe(expected)
})

test.each([
  ['x.TXT', '.txt'],
  ['x.tar.gz', '.gz'],
  ['x.a', '.a'],
  ['x.12345678', '.12345678'],
  ['x.123456789', ''],
  ['x.a-b', ''],
  ['x.', ''],
  ['x.txt ', ''],
  ['txt', ''],
])('a file by its hash has the extension of %j: %j', (name, extension) => {
  const digits = '0123456789abcdef'.repeat(4)
  expect(hashedPlace(digits, name)).toBe(`01/23456789abcdef0123456789abcdef${extension}`)
})
