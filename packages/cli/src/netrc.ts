import type { Credentials } from '@retriever/fetchers'

/** The logins of a .netrc file, in its order. */
export interface Netrc {
  readonly entries: readonly NetrcEntry[]
  /** Whether they count more than the password in the URL: -n, not --netrc-optional. */
  readonly overrides: boolean
}

interface NetrcEntry {
  /** The host; null: any (`default`). */
  machine: string | null
  login?: string
  password?: string
}

/** Words, or text in quotes; a word that begins with # begins a comment. */
const word = /"((?:[^"\\]|\\.)*)"|#[^\n]*|[^\s"#]\S*/g

/** Reads the text of a .netrc file, as ftp(1) and curl do. Macros (macdef) and accounts are left out. */
export function readNetrcText(text: string): NetrcEntry[] {
  const entries: NetrcEntry[] = []
  // A macro ends with an empty line.
  const words = [...text.replace(/^[ \t]*macdef\b.*(?:\n.+)*/gm, '').matchAll(word)]
    .filter(([typed]) => !typed.startsWith('#'))
    .map(([typed, quoted]) => (quoted === undefined ? typed : unescaped(quoted)))
  for (let at = 0; at < words.length; at++) {
    const key = words[at]?.toLowerCase()
    const entry = entries.at(-1)
    if (key === 'default') entries.push({ machine: null })
    else if (key === 'machine') entries.push({ machine: words[++at] ?? '' })
    else if (entry !== undefined && (key === 'login' || key === 'password')) entry[key] = words[++at] ?? ''
    else at++
  }
  return entries
}

function unescaped(quoted: string): string {
  const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
  return quoted.replace(/\\(.)/gs, (_, character: string) => controls[character] ?? character)
}

/**
 * The login for a host; `user` is the one in the URL. As in curl, `default` has a password for any user, and so has an
 * entry that names none.
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
