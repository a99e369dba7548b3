import type { Credentials } from '@retriever/fetchers'

/** The logins of a .netrc file, in its order. */
export interface Netrc {
  readonly entries: readonly NetrcEntry[]
  /** Whether the logins override the password in the URL: true for -n, false for --netrc-optional. */
  readonly overrides: boolean
  /** The name of the file if other users may read it. */
  readonly exposed?: string
}

interface NetrcEntry {
  /** The host; null for any host (`default`). */
  machine: string | null
  login?: string
  password?: string
}

/** Matches a word, text in quotes on one line, or a comment, which begins at a word with #. */
const word = /"((?:[^"\\\n]|\\.)*)"|#[^\n]*|[^\s"#]\S*/g

/** Reads the text of a .netrc file as ftp(1) and curl do. Macros (macdef), accounts and other words are ignored. */
export function readNetrcText(text: string): NetrcEntry[] {
  const entries: NetrcEntry[] = []
  // A macro ends with an empty line.
  const lines = text.replaceAll('\r\n', '\n')
  const words = [...lines.replace(/^[ \t]*macdef\b.*(?:\n.+)*/gm, '').matchAll(word)]
    .filter(([typed]) => !typed.startsWith('#'))
    .map(([typed, quoted]) => (quoted === undefined ? typed : unescaped(quoted)))
  for (let at = 0; at < words.length; at++) {
    const key = words[at]?.toLowerCase()
    const entry = entries.at(-1)
    if (key === 'default') entries.push({ machine: null })
    else if (key === 'machine') entries.push({ machine: words[++at] ?? '' })
    else if (entry !== undefined && (key === 'login' || key === 'password')) entry[key] = words[++at] ?? ''
    else if (key === 'account') at++
  }
  return entries
}

function unescaped(quoted: string): string {
  const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
  return quoted.replace(/\\(.)/gs, (_, character: string) => controls[character] ?? character)
}

/**
 * The logins for hosts that a server names, in a redirect or otherwise. `default` is not for them, since anybody could
 * get it (threats.md case 16). curl differs here.
 */
export function withoutDefault(netrc: Netrc | null): Netrc | null {
  return netrc && { ...netrc, entries: netrc.entries.filter(({ machine }) => machine !== null) }
}

/**
 * The login for a host; `user` is the one in the URL. As in curl, `default` gives its password to any user, and so does
 * an entry without a user.
 */
export function netrcLogin(netrc: Netrc | null, host: string, user: string | null): Credentials | null {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  for (const { machine, login, password } of netrc?.entries ?? []) {
    const isForHost = machine === null || machine.toLowerCase() === name
    const isForUser = machine === null || user === null || login === undefined || user === login
    if (isForHost && isForUser && password !== undefined) return { user: user ?? login ?? '', password }
  }
  return null
}
