import { printable } from '@retriever/core'
import { expect, test } from 'vitest'

test.each([
  ['\x1B[2J', '\\e[2J'],
  ['\x1B]52;c;ZXZpbA==\x07', '\\e]52;c;ZXZpbA==\\x07'],
  ['a\r\n\tb', 'a\\r\\n\\tb'],
  ['\0', '\\x00'],
  ['\x7F\x9B31m', '\\x7f\\x9b31m'],
  ['gnp\u202Eexe', 'gnp\\u202eexe'],
  ['\u200E\u200F\u061C\u2028\u2029\u2066\u2069', '\\u200e\\u200f\\u061c\\u2028\\u2029\\u2066\\u2069'],
  ['a\u200Bb\u2060\uFEFF\u180E', 'a\\u200bb\\u2060\\ufeff\\u180e'],
  ['x\u{E0041}\u{E007F}', 'x\\u{e0041}\\u{e007f}'],
  // Persian, and an emoji of several: the joiners are letters' own.
  ['می\u200Cخواهم 👩\u200D🚀', 'می\u200Cخواهم 👩\u200D🚀'],
  ['grüße €😀', 'grüße €😀'],
  ['', ''],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('nothing that drives a terminal is left', () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join('')
  expect(printable(all)).not.toMatch(/[\0-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/)
})
