import { isOwnField } from '@retriever/fetchers/internal'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, type OptionRow, working } from '../option.ts'
import { readOptionText } from '../option-file.ts'

export type HeaderOption = 'header' | 'user-agent' | 'referer'

export const headerOptions: readonly OptionRow<HeaderOption>[] = [
  {
    long: 'header',
    sent: true,
    short: 'H',
    arg: 'NAME:VALUE',
    help:
      'Send this field; "NAME;" has no value, "NAME:" leaves it out, "Host: NAME" names a virtual host; or all of ' +
      '@FILE. Repeatable; not sent to other hosts after a redirect',
    commands: working,
    example: "retrieve -H 'Accept: application/json' http://www.example.org/",
  },
  {
    long: 'user-agent',
    sent: true,
    short: 'A',
    arg: 'NAME',
    help: 'Send this User-Agent, or with "" none; default Retriever/0.2',
    commands: working,
    example: "retrieve -A 'Mozilla/5.0' http://www.example.org/",
  },
  {
    long: 'referer',
    sent: true,
    short: 'e',
    arg: 'URL',
    help: 'Send this Referer: where the URL was found; with ";auto" behind it, a redirected request names the URL before',
    commands: working,
    example: 'retrieve -e http://www.example.org/ http://www.example.org/x',
  },
]

/** A header field; one with a null value is not sent. */
type Field = readonly [name: string, value: string | null]

/**
 * The header fields that -H, -A, -e and --oauth2-bearer give; -H overrides the others. Throws `invalid-option`; its
 * message does not show the value, which may be a secret.
 */
export function readHeaders(
  line: GivenOptions<HeaderOption | 'cookie' | 'oauth2-bearer'>,
): Record<string, string | null> {
  const given = joined(
    fieldLines(line)
      .filter((text) => !hostLine.test(text))
      .map(readField),
  )
  const isGiven = (name: string): boolean => given.some(([other]) => other.toLowerCase() === name.toLowerCase())
  const others = [userAgent(line), referer(line), cookies(line), bearer(line)].filter((field) => field !== null)
  return Object.fromEntries([...others.filter(([name]) => !isGiven(name)), ...given])
}

const hostLine = /^host\s*[:;]/i

/**
 * The name of a virtual host, from -H 'Host: NAME'; undefined if none is given. `Host:` and `Host;` give an empty name,
 * since a request of HTTP/1.1 must have the field (RFC 9112 3.2). Throws `invalid-option`.
 */
export function readVirtualHost(line: GivenOptions<HeaderOption>): string | undefined {
  const text = fieldLines(line).findLast((text) => hostLine.test(text))
  if (text === undefined) return undefined
  const name = text.replace(hostLine, '').trim()
  if (/^(?:(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?)?$/i.test(name)) return name
  throw usageError('--header Host needs the name of a virtual host, perhaps with a port: "Host: www.example.org".')
}

function fieldLines(line: GivenOptions<HeaderOption>): string[] {
  return line.values('header').flatMap(linesOf)
}

/** The lines of `@FILE`, or the text itself. */
function linesOf(text: string): string[] {
  if (!text.startsWith('@')) return [text]
  const lines = readOptionText('--header', text.slice(1)).split(/\r?\n/)
  return lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/**
 * Reads `Name: value`, `Name;` for a field without a value, or `Name:` for one that is not sent, as in curl. Throws
 * `invalid-option` if the text has no name.
 */
export function readFieldLine(option: string, text: string): Field {
  const [, name = '', mark, value = ''] = /^([^:;\s]+)(:|;$)(.*)/s.exec(text) ?? []
  if (name === '') throw usageError(`${option} needs the name of a field and its value. Write "Name: value".`)
  const trimmed = value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
  return [name, mark === ':' && trimmed === '' ? null : trimmed]
}

function readField(text: string): Field {
  const [name, value] = readFieldLine('--header', text)
  const [, checkedValue] = checked('--header', [name, value ?? ''])
  return [name, value === null ? null : checkedValue]
}

/** Joins fields of one name into one field (RFC 9110 5.3; RFC 6265 5.4 for cookies). */
function joined(fields: readonly Field[]): Field[] {
  const byName = new Map<string, Field>()
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    const before = byName.get(key)?.[1] ?? null
    const isFirst = before === null || value === null
    byName.set(key, [name, isFirst ? (value ?? before) : `${before}${key === 'cookie' ? '; ' : ', '}${value}`])
  }
  return [...byName.values()]
}

function userAgent(line: GivenOptions<HeaderOption>): Field | null {
  const name = line.value('user-agent')
  if (name === '') return ['User-Agent', null]
  return name === undefined ? null : checked('--user-agent', ['User-Agent', name])
}

function referer(line: GivenOptions<HeaderOption>): Field | null {
  const url = line.value('referer')?.replace(/;auto$/, '')
  return url === undefined || url === '' ? null : checked('--referer', ['Referer', url])
}

/** Whether -e ends in `;auto`, so that a redirected request names the previous URL. */
export function readAutoReferer(line: GivenOptions<HeaderOption>): boolean {
  return line.value('referer')?.endsWith(';auto') === true
}

/** The cookies that -b gives by name. cookies.ts reads files of cookies. */
function cookies(line: GivenOptions<'cookie'>): Field | null {
  const given = line.values('cookie').filter((text) => text.includes('='))
  return given.length === 0 ? null : checked('--cookie', ['Cookie', given.join(';')])
}

/** The header field of --oauth2-bearer, a b64token (RFC 6750 2.1). */
function bearer(line: GivenOptions<'oauth2-bearer'>): Field | null {
  const token = line.value('oauth2-bearer')
  if (token === undefined) return null
  if (/^[\w.~+/-]+=*$/.test(token)) return ['Authorization', `Bearer ${token}`]
  throw usageError('--oauth2-bearer needs a token of letters, digits and -._~+/, perhaps with = at its end.')
}

/**
 * The value of --accept or --accept-language: HTTP sends it as a header field, Gopher+ chooses a view by it. Throws
 * `invalid-option`.
 */
export function readPreference(option: 'accept' | 'accept-language', value: string): string {
  return checked(`--${option}`, [option, value])[1]
}

/** Refuses line ends, which would begin another field or request (threats.md 27: a header field that holds CRLF). */
function checked(option: string, field: readonly [string, string]): readonly [string, string] {
  const [name, value] = field
  if (isOwnField(name, value)) return field
  if (isOwnField(name, '')) {
    throw usageError(`${option} needs a value of visible ASCII characters and blanks, without line ends, for ${name}.`)
  }
  const shown = JSON.stringify(name)
  if (/[^\w!#$%&'*+.^`|~-]/.test(name))
    throw usageError(`${option} cannot give the field ${shown}: that is not a valid name.`)
  throw usageError(`${option} cannot give the field ${shown}, which follows from the URL and the connection.`)
}
