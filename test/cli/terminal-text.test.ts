import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TerminalText } from '../../packages/cli/src/terminal-text.ts'

function shown(octets: Uint8Array, charset: string | null, cuts: readonly number[] = []): string {
  const text = new TerminalText(charset)
  const ends = [...cuts, octets.length].sort((a, b) => a - b)
  return `${ends.map((end, index) => text.show(octets.subarray(ends[index - 1] ?? 0, end))).join('')}${text.end()}`
}

test.each([
  ['a\tb\nc\r\nd', null, 'a\tb\nc\nd'],
  ['title \x1b]0;x\x07\x1b[2J', null, 'title \\e]0;x\\x07\\e[2J'],
  ['hidden\rshown', null, 'hidden\\rshown'],
  ['end\r', null, 'end\\r'],
  ['\u202eexe', null, '\\u202eexe'],
  ['Grüße', null, 'Grüße'],
])('%j', (text, charset, expected) => {
  expect(shown(Buffer.from(text), charset)).toBe(expected)
})

test('octets that are no UTF-8 are Latin-1', () => {
  expect(shown(Buffer.from('Gr\xfc\xdfe', 'latin1'), null)).toBe('Grüße')
})

test('the charset that was told counts', () => {
  expect(shown(Buffer.from([0xa4]), 'iso-8859-15')).toBe('€')
  expect(shown(Buffer.from([0x9b, 0x32, 0x4a]), 'x-unknown')).not.toContain('\x9b')
})

test('the cutting into chunks makes no difference', () => {
  const text = 'Grüße 😀\r\n\r\x1b[2J\t\u202e\u009b\n'.repeat(3)
  const octets = Buffer.from(text)
  const cuts = fc.array(fc.integer({ min: 7, max: octets.length }), { maxLength: 10 })
  const whole = shown(octets, null)
  fc.assert(fc.property(cuts, (at) => shown(octets, null, at) === whole))
})
