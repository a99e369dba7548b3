import { usageError } from '../exit-codes.ts'

/** A decimal number, read strictly: `1e3`, `0x10` and ` 1` are none. Throws `invalid-option`. */
export function readNumber(option: string, text: string, form: RegExp = /^\d+(?:\.\d+)?$/): number {
  if (form.test(text)) return Number(text)
  throw usageError(`--${option} needs a number of 0 or more, not ${JSON.stringify(text)}.`)
}

/** A number of octets: `100`, `10k`, `1.5M`; k is 1024, as in curl. Throws `invalid-option`. */
export function readSize(option: string, text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([kKmMgG]?)$/.exec(text) ?? []
  if (number === undefined)
    throw usageError(`--${option} needs a size such as 100, 10k or 2M, not ${JSON.stringify(text)}.`)
  return Math.floor(Number(number) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase()))
}

/** A port number. Throws `invalid-option`. */
export function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw usageError(`--${option} needs a port number up to 65535, not ${JSON.stringify(text)}.`)
}
