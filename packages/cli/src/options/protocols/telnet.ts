import type { SessionOptions } from '@retriever/fetchers/internal'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, get, type OptionRow } from '../option.ts'

export type TelnetOption = 'telnet-option'

export const telnetOptions: readonly OptionRow<TelnetOption>[] = [
  {
    long: 'telnet-option',
    sent: true,
    short: 't',
    arg: 'NAME=VALUE',
    help:
      'Tell a telnet server, if it asks: TTYPE=TYPE of the terminal, XDISPLOC=DISPLAY, NEW_ENV=NAME,VALUE; BINARY=1: ' +
      'send and receive octets without conversion. Nothing else is told. May be given several times',
    commands: get,
    example: 'retrieve -t TTYPE=xterm telnet://h.example/',
  },
]

/** Matches a value that a login program cannot read as options (CVE-2026-24061). */
const value = /^(?!-)[\x20-\x7E]{1,255}$/

/** Reads the facts that -t tells. Throws `invalid-option`. */
export function readTelnet(line: GivenOptions<TelnetOption>): SessionOptions {
  const environment: Record<string, string> = {}
  let told: SessionOptions = {}
  for (const text of line.values('telnet-option')) {
    const [, name = '', given = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    if (name === 'TTYPE') told = { ...told, terminalType: checked(text, given) }
    else if (name === 'XDISPLOC') told = { ...told, displayLocation: checked(text, given) }
    else if (name === 'BINARY' && /^[01]$/.test(given)) told = { ...told, binary: given === '1' }
    else if (name === 'NEW_ENV' && given.includes(',')) {
      const at = given.indexOf(',')
      const content = given.slice(at + 1)
      environment[checked(text, given.slice(0, at))] = content === '' ? '' : checked(text, content)
    } else throw wrong(text, 'TTYPE=TYPE, XDISPLOC=DISPLAY, NEW_ENV=NAME,VALUE or BINARY=1')
  }
  return Object.keys(environment).length === 0 ? told : { ...told, environment }
}

function checked(text: string, given: string): string {
  if (value.test(given)) return given
  throw wrong(text, 'values of visible ASCII characters and blanks that do not begin with -')
}

function wrong(text: string, expected: string): Error {
  return usageError(`--telnet-option needs ${expected}; not ${JSON.stringify(text)}.`)
}
