import { expect, test } from 'vitest'
import { readSeconds, readSize } from '../../../packages/cli/src/options/numbers.ts'

test.each([
  ['60', 60],
  ['2.5', 2.5],
  ['.5', 0.5],
  ['5.', 5],
  ['0', 0],
  ['90s', 90],
  ['1m', 60],
  ['1.5h', 5400],
  ['1h30m', 5400],
  ['1d2h', 93_600],
  ['500ms', 0.5],
  ['1s500ms', 1.5],
])('%s is %d seconds', (text, seconds) => {
  expect(readSeconds('max-time', text)).toBe(seconds)
})

test.each(['9007199254741', '1e400'.replace('e', '0'.repeat(400)), '99999999999d'])('%s is too large', (text) => {
  expect(() => readSeconds('retry-delay', text)).toThrow(
    /^--retry-delay \S+ is too large: at most 9007199254740 seconds\.$/,
  )
})

test.each(['', '.', '1x', '-1', '1e3', ' 1', '1 m', 'm', '1m30', '1M'])('%j is no duration', (text) => {
  expect(() => readSeconds('max-time', text)).toThrow(
    `--max-time needs seconds, such as 60 or 2.5, or a duration such as 1h30m or 500ms; not ${JSON.stringify(text)}.`,
  )
})

test.each([
  ['100', 100],
  ['100b', 100],
  ['1k', 1024],
  ['1.5M', 1_572_864],
  ['2G', 2_147_483_648],
])('%s is %d octets', (text, octets) => {
  expect(readSize('max-filesize', text)).toBe(octets)
})
