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
  /** The URLs of its entries by the numbers on the page. A URL with a secret is not kept, and null stands for it. */
  readonly entries: Readonly<Record<string, string | null>>
}

/** The URLs of a page by the numbers that it shows. */
export type NumberedUrls = Map<string, string>

/** The most entries that are kept, since a group may have millions. */
const maxEntries = 10_000

/**
 * Keeps a page as the last one of this terminal. Only its owner can read the file, and it holds no secrets. A failure
 * is not reported, since the page itself has been shown.
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

/** The file of this terminal, named after its device. Everything that runs without a terminal shares one file. */
function fileFor(folder: string): string {
  const terminal = [0, 1, 2].find((descriptor) => isatty(descriptor))
  return join(folder, terminal === undefined ? 'page.json' : `page-${fstatSync(terminal).rdev}.json`)
}

/** The URL without its password, for which the server asks again; null if another part of the URL is a secret. */
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

/** The URL of a number on a page; undefined if the page has no such number, null if the URL holds a secret. */
export function entryOf({ entries }: LastPage, number: string): string | null | undefined {
  if (!Object.hasOwn(entries, number)) return undefined
  const url = entries[number]
  return typeof url === 'string' ? url : null
}
