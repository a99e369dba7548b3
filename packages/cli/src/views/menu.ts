import { printable } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import type { Output } from '../terminal/output.ts'
import { wrap } from '../terminal/wrap.ts'
import type { NumberedUrls } from './last-page.ts'
import { printEnd, titled } from './references.ts'

/** A short word for each type of item (RFC 1436 3.8, and later types). */
const words: Readonly<Record<string, string>> = {
  '0': 'text',
  '1': 'menu',
  '2': 'phone',
  '3': 'error',
  '4': 'binary',
  '5': 'binary',
  '6': 'text',
  '7': 'search',
  '8': 'telnet',
  '9': 'binary',
  ';': 'movie',
  '<': 'sound',
  ':': 'image',
  g: 'image',
  I: 'image',
  p: 'image',
  P: 'pdf',
  d: 'doc',
  r: 'doc',
  h: 'html',
  X: 'xml',
  M: 'mail',
  s: 'sound',
  T: 'tn3270',
}

/** The width of the longest words, `search` and `tn3270`. */
const wordColumns = 6

/**
 * Prints a Gopher menu as a page for people: its text, and each item with a number and a word for its type. Each line
 * is shown as soon as it has come. Returns the URLs.
 */
export async function printMenu(menu: Representation, output: Output): Promise<NumberedUrls> {
  const urls: NumberedUrls = new Map()
  let isEmpty = true
  let hasSearch = false
  for await (const entry of menu.entries()) {
    isEmpty = false
    if (entry.url !== null) urls.set(String(urls.size + 1), entry.url)
    hasSearch ||= entry.kind === 'search' && entry.url !== null
    await output.write(`${menuLine(entry, urls.size, output)}\n`)
  }
  if (isEmpty) await output.write('The menu is empty.\n')
  await printEnd(urls, output, hasSearch ? '; to search: retrieve open N --search TEXT' : '')
  return urls
}

/** The line of an item: ` 12  menu    Files`, wrapped; an item without a URL has no number. */
function menuLine(entry: Entry, number: number, output: Output): string {
  const name = printable(entry.name)
  const word = wordFor(entry)
  if (word === null) return runningText(name, output.columns)
  const head = `${(entry.url === null ? '' : String(number)).padStart(3)}  ${word.padEnd(wordColumns)}  `
  return titled(head, name, output)
}

/** The word for an item; null for a line of text. */
function wordFor({ kind, url, details = {} }: Entry): string | null {
  const { gophertype: type, gopherPlus, redundant } = details
  if (type === undefined || type === 'i') return null
  if (redundant === true) return 'mirror'
  if (gopherPlus === '?') return 'form'
  // A selector `URL:...` may lead to any scheme.
  if (type === 'h' && url !== null && !/^(?:gophers?|https?):/.test(url)) return 'link'
  return (Object.hasOwn(words, String(type)) ? words[String(type)] : undefined) ?? (kind === 'file' ? 'file' : 'other')
}

/** Wraps a text and keeps its indentation, up to half of the width. */
function runningText(text: string, columns: number): string {
  const words = text.trim()
  const indent = ' '.repeat(Math.min(text.length - text.trimStart().length, Math.floor(columns / 2)))
  return wrap(words, columns - indent.length)
    .map((line) => `${indent}${line}`.trimEnd())
    .join('\n')
}
