import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { formatLocator, parseUrl, redact } from '@retriever/core'
import { readStateFile, replaceStateFile } from '../state-file.ts'

/** A page that was shown, for `retrieve open`. */
export interface LastPage {
  readonly url: string
  /** The command that showed it. */
  readonly command: 'get' | 'ls'
  /** The URLs of its entries by the numbers that it showed; null for one with a secret, which is not kept. */
  readonly entries: Readonly<Record<string, string | null>>
}

/** The URLs of a page by the numbers that it shows. */
export type NumberedUrls = Map<string, string>

/** The most entries that are kept: a group may have millions. */
const maxEntries = 10_000

/**
 * Keeps a page as the last one of this terminal, readable by its owner only, without secrets. A failure is not told,
 * as the page has been shown.
 */
export function keepPage(folder: string | null, command: LastPage['command'], url: string, urls: NumberedUrls): void {
  if (folder === null || urls.size === 0) return
  const kept = [...urls].slice(0, maxEntries).map(([number, entry]) => [number, withoutSecret(entry)])
  const page = { url: withoutSecret(url), command, entries: Object.fromEntries(kept) }
  if (page.url === null) return
  try {
    replaceStateFile(fileFor(folder), JSON.stringify(page))
  } catch {}
}

/** The last page of this terminal; null if there is none. */
export function lastPage(folder: string | null): LastPage | null {
  if (folder === null) return null
  try {
    const read: unknown = JSON.parse(readStateFile(fileFor(folder)) ?? 'null')
    return isPage(read) ? read : null
  } catch {
    return null
  }
}

/** Each terminal has its own file, named after its device; all that runs without one shares another. */
function fileFor(folder: string): string {
  const terminal = [0, 1, 2].find((descriptor) => isatty(descriptor))
  return join(folder, terminal === undefined ? 'page.json' : `page-${fstatSync(terminal).rdev}.json`)
}

/** The URL without its password, for which the server asks again; null if another part of it is a secret. */
function withoutSecret(url: string): string | null {
  try {
    const bare = formatLocator({ ...parseUrl(url), password: null })
    return redact(bare) === bare ? bare : null
  } catch {
    return null
  }
}

function isPage(read: unknown): read is LastPage {
  if (typeof read !== 'object' || read === null) return false
  const { url, command, entries } = read as Partial<Record<keyof LastPage, unknown>>
  return (
    typeof url === 'string' &&
    (command === 'get' || command === 'ls') &&
    typeof entries === 'object' &&
    entries !== null
  )
}

/** The URL of a number on a page; undefined: it has no such number, null: the URL holds a secret. */
export function entryOf({ entries }: LastPage, number: string): string | null | undefined {
  if (!Object.hasOwn(entries, number)) return undefined
  const url = entries[number]
  return typeof url === 'string' ? url : null
}
