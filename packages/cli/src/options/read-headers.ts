import { isOwnField } from '@retriever/fetchers/http'
import { usageError } from '../exit-codes.ts'
import type { CommandLine } from '../parse.ts'

type Field = readonly [name: string, value: string]

/**
 * The fields of a request that were typed: by -A, -e and --oauth2-bearer, or by -H, which takes the place of those.
 * Throws `invalid-option`; no value is shown, since it may be a secret.
 */
export function readHeaders(line: CommandLine): Record<string, string> {
  const given = joined(line.values('header').map(readField))
  const isGiven = (name: string): boolean => given.some(([other]) => other.toLowerCase() === name.toLowerCase())
  const others = [userAgent(line), referer(line), bearer(line)].filter((field) => field !== null)
  return Object.fromEntries([...others.filter(([name]) => !isGiven(name)), ...given])
}

/** `Name: value`, or `Name;` for a field without a value, as in curl. */
function readField(text: string): Field {
  const [, name = '', value = ''] = /^([^:;\s]+)(?::[ \t]*([\s\S]*\S)[ \t]*|;)$/.exec(text) ?? []
  if (name === '') {
    const hint = /^[^:;\s]+:\s*$/.test(text) ? 'A field without a value is written "Name;".' : 'Write "Name: value".'
    throw usageError(`--header needs the name of a field and its value. ${hint}`)
  }
  return checked('--header', [name, value])
}

/** RFC 9110 5.3 and, of cookies, RFC 6265 5.4: one field has the values of several. */
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

function userAgent(line: CommandLine): Field | null {
  const name = line.value('user-agent')
  return name === undefined ? null : checked('--user-agent', ['User-Agent', name])
}

function referer(line: CommandLine): Field | null {
  const url = line.value('referer')
  if (url?.endsWith(';auto')) throw usageError('--referer does not know ";auto": name a URL.')
  return url === undefined ? null : checked('--referer', ['Referer', url])
}

/** RFC 6750 2.1: b64token. */
function bearer(line: CommandLine): Field | null {
  const token = line.value('oauth2-bearer')
  if (token === undefined) return null
  if (/^[\w.~+/-]+=*$/.test(token)) return ['Authorization', `Bearer ${token}`]
  throw usageError('--oauth2-bearer needs a token: letters, digits and -._~+/ alone, perhaps with = at its end.')
}

/** What is wanted: the value of a field in HTTP, and in Gopher+ a wish. Throws `invalid-option`. */
export function readWish(line: CommandLine, option: 'accept' | 'accept-language'): string | undefined {
  const value = line.value(option)
  return value === undefined ? undefined : checked(`--${option}`, [option, value])[1]
}

/** Before anything is sent: a line end would begin a field, or a request, of its own (security.md case 27). */
function checked(option: string, field: Field): Field {
  const [name, value] = field
  if (isOwnField(name, value)) return field
  if (isOwnField(name, '')) {
    throw usageError(`${option} needs a value of visible ASCII characters and blanks, without line ends, for ${name}.`)
  }
  const shown = JSON.stringify(name)
  if (/[^\w!#$%&'*+.^`|~-]/.test(name)) throw usageError(`${option} cannot give the field ${shown}: that is no name.`)
  const hint = /^host$/i.test(name) ? ' --resolve leads a host elsewhere.' : ''
  throw usageError(`${option} cannot give the field ${shown}, which follows from the URL and the connection.${hint}`)
}
