import { isOwnField } from '@retriever/fetchers'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, network, type OptionRow } from '../option.ts'

export type HeaderOption = 'header' | 'user-agent' | 'referer'

export const headerOptions: readonly OptionRow<HeaderOption>[] = [
  {
    long: 'header',
    short: 'H',
    arg: 'NAME:VALUE',
    help: 'Send this header field; "NAME;" has no value. Repeatable; not sent to other hosts after a redirect',
    commands: network,
    example: "retrieve -H 'Accept: application/json' http://www.example.org/",
  },
  {
    long: 'user-agent',
    short: 'A',
    arg: 'NAME',
    help: 'Send this User-Agent; default Retriever/0.1',
    commands: network,
    example: "retrieve -A 'Mozilla/5.0' http://www.example.org/",
  },
  {
    long: 'referer',
    short: 'e',
    arg: 'URL',
    help: 'Send this Referer: where the URL was found',
    commands: network,
    example: 'retrieve -e http://www.example.org/ http://www.example.org/x',
  },
]

type Field = readonly [name: string, value: string]

/**
 * The header fields that -H, -A, -e and --oauth2-bearer give; -H replaces what the others say. Throws `invalid-option`,
 * without the value, which may be a secret.
 */
export function readHeaders(line: GivenOptions<HeaderOption | 'oauth2-bearer'>): Record<string, string> {
  const given = joined(line.values('header').map(readField))
  const isGiven = (name: string): boolean => given.some(([other]) => other.toLowerCase() === name.toLowerCase())
  const others = [userAgent(line), referer(line), bearer(line)].filter((field) => field !== null)
  return Object.fromEntries([...others.filter(([name]) => !isGiven(name)), ...given])
}

/** Reads `Name: value`, or `Name;` for a field without a value, as in curl. */
function readField(text: string): Field {
  const [, name = '', value = ''] = /^([^:;\s]+)(?::[ \t]*([\s\S]*\S)[ \t]*|;)$/.exec(text) ?? []
  if (name === '') {
    const hint = /^[^:;\s]+:\s*$/.test(text) ? 'A field without a value is written "Name;".' : 'Write "Name: value".'
    throw usageError(`--header needs the name of a field and its value. ${hint}`)
  }
  return checked('--header', [name, value])
}

/** Joins fields of one name into one field (RFC 9110 5.3; RFC 6265 5.4 for cookies). */
function joined(fields: readonly Field[]): Field[] {
  const byName = new Map<string, Field>()
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    const before = byName.get(key)
    byName.set(
      key,
      before === undefined ? [name, value] : [name, `${before[1]}${key === 'cookie' ? '; ' : ', '}${value}`],
    )
  }
  return [...byName.values()]
}

function userAgent(line: GivenOptions<HeaderOption>): Field | null {
  const name = line.value('user-agent')
  return name === undefined ? null : checked('--user-agent', ['User-Agent', name])
}

function referer(line: GivenOptions<HeaderOption>): Field | null {
  const url = line.value('referer')
  if (url?.endsWith(';auto')) throw usageError('--referer does not support ";auto": give a URL.')
  return url === undefined ? null : checked('--referer', ['Referer', url])
}

/** The header field of --oauth2-bearer, a b64token (RFC 6750 2.1). */
function bearer(line: GivenOptions<'oauth2-bearer'>): Field | null {
  const token = line.value('oauth2-bearer')
  if (token === undefined) return null
  if (/^[\w.~+/-]+=*$/.test(token)) return ['Authorization', `Bearer ${token}`]
  throw usageError('--oauth2-bearer needs a token: letters, digits and -._~+/ alone, perhaps with = at its end.')
}

/**
 * The value of --accept or --accept-language: a header field in HTTP, and in Gopher+ a choice of view. Throws
 * `invalid-option`.
 */
export function readPreference(
  line: GivenOptions<'accept' | 'accept-language'>,
  option: 'accept' | 'accept-language',
): string | undefined {
  const value = line.value(option)
  return value === undefined ? undefined : checked(`--${option}`, [option, value])[1]
}

/** Refuses line ends, which would begin another field or request (security.md 27: a header field that holds CRLF). */
function checked(option: string, field: Field): Field {
  const [name, value] = field
  if (isOwnField(name, value)) return field
  if (isOwnField(name, '')) {
    throw usageError(`${option} needs a value of visible ASCII characters and blanks, without line ends, for ${name}.`)
  }
  const shown = JSON.stringify(name)
  if (/[^\w!#$%&'*+.^`|~-]/.test(name))
    throw usageError(`${option} cannot give the field ${shown}: that is not a valid name.`)
  const hint = /^host$/i.test(name) ? ' Use --resolve to connect to another address.' : ''
  throw usageError(`${option} cannot give the field ${shown}, which follows from the URL and the connection.${hint}`)
}
