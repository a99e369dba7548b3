import { usageError } from '../exit-codes.ts'

/** Reads a decimal number strictly: it refuses `1e3`, `0x10` and ` 1`. Throws `invalid-option`. */
export function readNumber(option: string, text: string, form: RegExp = /^\d+(?:\.\d+)?$/): number {
  if (form.test(text)) return Number(text)
  throw usageError(`--${option} needs a number of 0 or more, not ${JSON.stringify(text)}.`)
}

/** Reads a whole number from 1. Throws `invalid-option`. */
export function readCount(option: string, text: string, most: number = Number.MAX_SAFE_INTEGER): number {
  if (/^\d{1,15}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text)
  const range = most === Number.MAX_SAFE_INTEGER ? 'of 1 or more' : `from 1 to ${most}`
  throw usageError(`--${option} needs a whole number ${range}, not ${JSON.stringify(text)}.`)
}

/** How many seconds each unit of time has. */
export const secondsOf: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/**
 * Reads a duration in seconds: `60`, `2.5` and `.5` as in curl, or with units, `1m`, `1h30m`, `500ms`. Throws
 * `invalid-option`.
 */
export function readSeconds(option: string, text: string): number {
  if (/^(?:\d+\.?|\d*\.\d+)$/.test(text)) return countable(option, text, Number(text))
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) {
    throw usageError(
      `--${option} needs seconds, such as 60 or 2.5, or a duration such as 1h30m or 500ms; not ${JSON.stringify(text)}.`,
    )
  }
  const parts = [...text.matchAll(/(?<![\d.])([\d.]+)(ms|[smhd])/g)]
  const seconds = parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (secondsOf[unit] ?? 0), 0)
  return countable(option, text, seconds)
}

/** Returns the number if its milliseconds fit in an exact number. Throws `invalid-option`. */
function countable(option: string, text: string, seconds: number): number {
  if (1000 * seconds <= Number.MAX_SAFE_INTEGER) return seconds
  throw usageError(`--${option} ${text} is too large: at most ${Math.floor(Number.MAX_SAFE_INTEGER / 1000)} seconds.`)
}

/** Reads a number of octets: `100`, `100B`, `10k`, `1.5M`; k is 1024, as in curl. Throws `invalid-option`. */
export function readSize(option: string, text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([bBkKmMgG]?)$/.exec(text) ?? []
  if (number === undefined)
    throw usageError(`--${option} needs a size such as 100, 10k or 2M, not ${JSON.stringify(text)}.`)
  return Math.floor(Number(number) * 1024 ** ['b', 'k', 'm', 'g'].indexOf(unit.toLowerCase() || 'b'))
}

/** Reads a port number. Throws `invalid-option`. */
export function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw usageError(`--${option} needs a port number up to 65535, not ${JSON.stringify(text)}.`)
}
