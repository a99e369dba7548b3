import { usageError } from '../exit-codes.ts'

/** Options' numbers, strictly: `1e3`, `0x10` and ` 1` are none. Throws `invalid-option`. */
export function readNumber(option: string, text: string, form: RegExp = /^\d+(?:\.\d+)?$/): number {
  if (form.test(text)) return Number(text)
  throw usageError(`--${option} needs a number of 0 or more, not ${JSON.stringify(text)}.`)
}

/** Octets: `100`, `10k`, `1.5M`; by 1024, as in curl. */
export function readSize(option: string, text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([kKmMgG]?)$/.exec(text) ?? []
  if (number === undefined)
    throw usageError(`--${option} needs a size such as 100, 10k or 2M, not ${JSON.stringify(text)}.`)
  return Math.floor(Number(number) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase()))
}

/** `A-B` or `A-`. */
export function readRange(text: string): [number, number | null] {
  const [, first, last = ''] = /^(\d{1,15})-(\d{0,15})$/.exec(text) ?? []
  const range: [number, number | null] = [Number(first), last === '' ? null : Number(last)]
  if (first !== undefined && (range[1] === null || range[1] >= range[0])) return range
  throw usageError(`--range needs A-B or A-, such as 0-99, with A not above B; not ${JSON.stringify(text)}.`)
}

/** Connections for one body. */
export function readSplit(text: string): number {
  const count = readNumber('split', text, /^\d{1,9}$/)
  if (count >= 1 && count <= 16) return count
  throw usageError(`--split needs a number from 1 to 16, not ${text}.`)
}

/** How many articles. */
export function readLimit(text: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= 1) return Number(text)
  throw usageError(`--limit needs a whole number of 1 or more, not ${JSON.stringify(text)}.`)
}

export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** `999 B`, `1.5 KiB`, `12 MiB`: at most four figures. */
export function formatSize(octets: number): string {
  let value = octets
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
