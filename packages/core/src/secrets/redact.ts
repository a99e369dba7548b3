import { decodeOctets } from '../url/percent.ts'
import { cachedSearch, search } from '../url/search.ts'
import { isSecretName } from './secret-names.ts'

/**
 * Replaces by `***` the password of every URL in the text, and the values of parameters with secret names. An empty
 * password stays: it is no secret, and `u:@h` differs from `u@h`. Any text may be given, even with URLs too broken to
 * parse, or escaped within other URLs. If in doubt, this hides too much rather than too little.
 */
export function redact(text: string): string {
  return hideParameters(hideEscapedLogins(hidePasswords(text, '\\s')), valueInText)
}

/** redact() for a text that is one URL, however broken: a blank in its password does not end it. */
export function redactUrl(url: string): string {
  return hideParameters(hideEscapedLogins(hidePasswords(url, '')), valueInUrl)
}

/** redactUrl() for a text without a known scheme: `alice:secret@host/x` is a login whose scheme was left out. */
export function redactUnknown(text: string): string {
  return redactUrl(text).replace(/^([\w.~%+-]{1,64}:)[^/@?#]{1,256}@/, '$1***@')
}

/**
 * A parameter's delimiter and name: `?name=`, `&name=`, `;name=`, `#name=`, and `?=name=`, `?+name=` of a URN. They may
 * be escaped, if the URL is the value of a parameter of another one.
 */
const parameter = /([?&;#]|%(?:25)*(?:3F|26|3B|23))[=+]?([^\s?&;#=]{1,100}?)(?:=|%(?:25)*3D)/gi

/**
 * The value of a parameter. A value that is already hidden does not match, so that a sentence keeps the `:` behind a
 * URL.
 */
const valueInText = /(?!\*\*\*(?:[:&;#\s]|$))[^&;#\s]*/y
const valueInUrl = /(?!\*\*\*(?:[:&;#\s]|$))[^&;#]*/y

/** How to log in, as the URL of a mailbox names it: `alice;AUTH=*@` (RFC 2384, RFC 5092). Such a word is no secret. */
const wayToLogIn =
  /(?:\*|%2A|(?:\+|%2B)APOP|anonymous|plain|login|external|gssapi|(?:cram|digest|scram)-md5|xoauth2)(?=[:@"])/iy

/**
 * The values that redactUrl() hides in the parameters of a URL, as they stand there and decoded: a server may repeat
 * either.
 */
export function secretValues(url: string): readonly string[] {
  const found = new Set<string>()
  hideParameters(url, valueInUrl, (value) => found.add(value).add(decodeOctets(value)))
  return [...found]
}

function hideParameters(text: string, value: RegExp, tell?: (value: string) => void): string {
  let hidden = ''
  let done = 0
  parameter.lastIndex = 0
  for (let found = parameter.exec(text); found !== null; found = parameter.exec(text)) {
    const [, delimiter = '', name = ''] = found
    value.lastIndex = parameter.lastIndex
    if (!isSecretName(name) || isWayToLogIn(text, found)) parameter.lastIndex = found.index + delimiter.length
    else if (value.test(text)) {
      tell?.(text.slice(parameter.lastIndex, value.lastIndex))
      hidden += `${text.slice(done, parameter.lastIndex)}***`
      done = value.lastIndex
      parameter.lastIndex = done
    }
  }
  return hidden + text.slice(done)
}

function isWayToLogIn(text: string, { 1: delimiter, 2: name = '', index, 0: { length } }: RegExpExecArray): boolean {
  wayToLogIn.lastIndex = index + length
  return delimiter === ';' && name.toLowerCase() === 'auth' && wayToLogIn.test(text)
}

/** The login of a URL within a URL: `%2F%2Fuser%3Apassword%40`. */
const escapedLogin =
  /(%(?:25)*2F%(?:25)*2F(?:[\w.~+-]|%(?!(?:25)*(?:2F|3A|40))){0,256}(?::|%(?:25)*3A))(?!\d{1,5}(?:%(?:25)*2F|[/?#]|$))[^\s&;#/]{1,256}?(?=@|%(?:25)*40)/gi

function hideEscapedLogins(text: string): string {
  return text.includes('%') ? text.replace(escapedLogin, '$1***') : text
}

/**
 * Finds where a login may begin: behind `//`, and behind a scheme whose URLs have a login, since browsers read
 * `http:\\u:p@h` as `http://u:p@h`.
 */
const loginStart = /[/\\]{2,}|\b(?:https?|wss?|ftp(?:e?s)?|sftp|gophers?|telnet|rtsp|ircs?):[/\\]*/gi

/**
 * Hides the password behind every `//`. This is a scanner and no pattern, so that its time stays linear on any text of
 * a server. `space` holds the characters that end a word, in the syntax of a character class.
 */
function hidePasswords(text: string, space: string): string {
  // Nearly every text has no login.
  if (!text.includes('@')) return text
  const next: Ahead = {
    at: cachedSearch(text, /@/g),
    slash: cachedSearch(text, /\//g),
    stop: cachedSearch(text, /[/&;#]/g),
    end: cachedSearch(text, new RegExp(`[${space}]`, 'g')),
  }
  const delimiter = cachedSearch(text, new RegExp(`[${space}/:@?#]`, 'g'))
  let hidden = ''
  let done = 0
  loginStart.lastIndex = 0
  while (loginStart.test(text)) {
    const colon = delimiter(addressEnd(text, loginStart.lastIndex))
    if (text[colon] !== ':') continue
    const at = passwordEnd(text, colon, next)
    if (at === -1) continue
    hidden += `${text.slice(done, colon + 1)}${at === colon + 1 ? '' : '***'}`
    done = at
    loginStart.lastIndex = at
  }
  return hidden + text.slice(done)
}

/** Functions that search for the next `@`, `/`, end of a parameter or of a path, and end of the word. */
type Ahead = Readonly<Record<'at' | 'slash' | 'stop' | 'end', (from: number) => number>>

/**
 * The end of an IPv6 address at `start`, whose colons begin no password; `start` itself if there is no such address.
 */
function addressEnd(text: string, start: number): number {
  const address = /\[[\da-f:.]*(?:%25[\w.~-]*)?\]|/iy
  search(address, text, start)
  return address.lastIndex
}

/**
 * The last `@` before the next `/`; -1 if a port or an already hidden password follows the colon. A raw `/` in a
 * password ends the authority early (`ftp://u:p/w@h/`); the next `@` in the word then ends the password.
 */
function passwordEnd(text: string, colon: number, next: Ahead): number {
  const end = next.end(colon)
  const first = next.at(colon)
  if (first >= end || text.startsWith('***@', colon + 1)) return -1
  const authorityEnd = Math.min(next.slash(colon), end)
  const port = /\d*/y
  search(port, text, colon + 1)
  const afterPort = port.lastIndex
  const isPort = Number(text.slice(colon + 1, afterPort)) <= 65_535
  const isQuery = /[?#]/.test(text[afterPort] ?? '')
  if (isPort && (afterPort === authorityEnd || (isQuery && first > next.stop(afterPort + 1)))) return -1
  return text.lastIndexOf('@', first < authorityEnd ? authorityEnd : Math.min(next.slash(first), end))
}
