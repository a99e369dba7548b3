import type { SessionOptions } from '../contract/session.ts'
import { checkOptions, flag, type OptionKind } from './options.ts'

/** One side of a screen, which has 16 bits in RFC 1073. */
export const screenSide: OptionKind = [
  'a whole number from 1 to 65535',
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
]

/** A login program may treat a value that begins with `-` as an option (CVE-2026-24061). */
const toldText: OptionKind = [
  'a string of 1 to 255 visible ASCII characters and blanks that does not begin with -',
  (value) => isTold(value),
]

const toldTexts: OptionKind = [
  'an object of names and values, of visible ASCII characters and blanks, none of which begins with -',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([name, told]) => isTold(name) && (told === '' || isTold(told))),
]

function isTold(value: unknown): boolean {
  return typeof value === 'string' && /^(?!-)[\x20-\x7E]{1,255}$/.test(value)
}

export const sessionKinds: Readonly<Record<keyof SessionOptions, OptionKind>> = {
  echo: flag,
  columns: screenSide,
  rows: screenSide,
  terminalType: toldText,
  displayLocation: toldText,
  environment: toldTexts,
  binary: flag,
}

/** Throws `invalid-option`. */
export function checkSize(columns: number, rows: number): void {
  checkOptions({ columns, rows }, { columns: screenSide, rows: screenSide })
}
