import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import { whyUnreadable } from '@retriever/fetchers/internal'

/** A line of a configuration file. */
export interface ConfigEntry {
  /** The number of the line, from 1. */
  readonly line: number
  /** The option, with or without its dashes. */
  readonly option: string
  /** The value; undefined if there is none. */
  readonly value: string | undefined
  /** Whether more text follows the value: white space ends a value that is not quoted. */
  readonly isCut: boolean
}

/**
 * An option, its separator and its value. curl takes `=` and `:` as separators only if the option has no dashes. White
 * space is that of ASCII alone, as in curl: a no-break space belongs to a name or a value.
 */
const withDashes = /^[ \t-\r]*([^ \t-\r]+)[ \t-\r]*([\s\S]*)$/
const withoutDashes = /^[ \t-\r]*([^ \t-\r=:]+)[ \t-\r=:]*([\s\S]*)$/
const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', v: '\v' }

/**
 * Reads a configuration file as curl does: an option on each line, comments after `#`, `/` or `*`, text in double
 * quotes.
 */
export function* readEntries(text: string): Generator<ConfigEntry> {
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (/^[ \t-\r]*(?:[#/*]|$)/.test(line)) continue
    const [, option = '', rest = ''] = (/^[ \t-\r]*-/.test(line) ? withDashes : withoutDashes).exec(line) ?? []
    if (rest.startsWith('"')) yield { line: index + 1, option, value: unquoted(rest), isCut: false }
    else {
      const [, value = '', more = ''] = /^([^ \t-\r]*)[ \t-\r]*([\s\S]*)$/.exec(rest) ?? []
      yield { line: index + 1, option, value: value || undefined, isCut: more !== '' && !more.startsWith('#') }
    }
  }
}

/** The text within quotes. As in curl, text behind the closing quote is ignored. */
function unquoted(text: string): string {
  const [, content = ''] = /^"((?:\\[\s\S]|[^"\\])*)/.exec(text) ?? []
  return content.replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character)
}

/** The file that is read by default (XDG Base Directory Specification). */
export function defaultConfigFile(env: NodeJS.ProcessEnv): string {
  const base = env.XDG_CONFIG_HOME
  const folder = base !== undefined && isAbsolute(base) ? base : join(env.HOME || homedir(), '.config')
  return join(folder, 'retrieve', 'config')
}

/** The octets of the default file; null if there is none. Throws `file-failed` if the file cannot be read. */
export function readDefaultConfig(file: string): Uint8Array | null {
  try {
    return readFileSync(file)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    const message = `${file} cannot be read: ${whyUnreadable(cause)}; -q as the first word leaves it out.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
}
