import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TerminalText } from '../../../packages/cli/src/terminal/terminal-text.ts'

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
  expect(shown(Buffer.from('S\xc3', 'latin1'), null)).toBe('SÃ')
})

test('the charset that was told counts', () => {
  expect(shown(Buffer.from([0xa4]), 'iso-8859-15')).toBe('€')
  expect(shown(Buffer.from([0x9b, 0x32, 0x4a]), 'x-unknown')).not.toContain('\x9b')
})

test('the cutting into chunks makes no difference', () => {
  const text = 'Grüße 😀\r\n\r\x1b[2J\t\u202e\u009b\n'.repeat(3)
  const octets = Buffer.from(text)
  const cuts = fc.array(fc.integer({ min: 1, max: octets.length }), { maxLength: 10 })
  const whole = shown(octets, null)
  fc.assert(fc.property(cuts, (at) => shown(octets, null, at) === whole))
})

test('ASCII is shown as it comes, before anything else is known', () => {
  const text = new TerminalText(null)
  expect(text.show(Buffer.from('one\n'))).toBe('one\n')
  expect(text.show(Buffer.from('tw\xf6', 'latin1'))).toBe('tw')
  expect(text.show(Buffer.from('three'))).toBe('')
  expect(text.end()).toBe('öthree')
})

test('the first 64 KiB say whether a text is UTF-8, in whatever chunks they come', () => {
  const early = `für${'-'.repeat(60_000)}`
  const latin1 = Buffer.concat([Buffer.from(early), Buffer.from('f\xfcr', 'latin1')])
  expect(shown(latin1, null, [1, 2, 3, 10, 40_000])).toBe(`fÃ¼r${'-'.repeat(60_000)}für`)
  const utf8 = Buffer.concat([Buffer.from(`${early}${'-'.repeat(10_000)}`), Buffer.from('\xfc', 'latin1')])
  expect(shown(utf8, null, [1, 2, 3, 10, 40_000])).toBe(`${early}${'-'.repeat(10_000)}\ufffd`)
})

test('past 64 KiB nothing is held any more', () => {
  const text = new TerminalText(null)
  text.show(Buffer.from('ü'))
  expect(text.show(Buffer.alloc(64 * 1024, 'a'))).toHaveLength(64 * 1024 + 1)
  expect(text.show(Buffer.from('ü'))).toBe('ü')
})
