import { printable } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import { formatSize, jsonLine, type Output } from '../terminal/output.ts'
import { widthOf } from '../terminal/wrap.ts'
import type { NumberedUrls } from './last-page.ts'
import { printEnd, titled } from './references.ts'

/** What has entries. */
type Listing = Pick<Representation, 'entries'>

/** Prints a listing as JSON Lines, each as soon as its entry has come. */
export async function printRecords(listing: Listing, output: Output): Promise<void> {
  for await (const entry of listing.entries()) await output.write(jsonLine(record(entry)))
}

/** The record of an entry: always the same keys, with null for facts that the server does not give. */
function record({ name, kind, url, size, modified, details }: Entry): Record<string, unknown> {
  return { name, kind, url, size: size ?? null, modified: modified?.toISOString() ?? null, details: details ?? {} }
}

/**
 * Prints a listing as a table with numbers, each line as soon as its entry has come, and the head with the first one.
 * In a pipe, each line ends with the URL. A page says how to open an entry by its number, and leaves out columns that
 * do not fit. Returns the URLs, and adds each to `urls` before its line is shown.
 */
export async function printListing(
  listing: Listing,
  output: Output,
  asPage: boolean,
  urls: NumberedUrls = new Map(),
): Promise<NumberedUrls> {
  const columns = asPage ? columnsWithin(output.columns) : allColumns
  const head = rowHead({ number: '#', kind: 'KIND', size: 'SIZE', modified: 'MODIFIED' }, columns)
  const title = output.paint('faint', `${head}${asPage ? 'NAME' : `${'NAME'.padEnd(nameColumns)}  URL`}`)
  let isBegun = false
  const begin = async (): Promise<void> => {
    if (!isBegun) await output.write(`${title}\n`)
    isBegun = true
  }
  for await (const entry of listing.entries()) {
    await begin()
    if (entry.url !== null) urls.set(String(urls.size + 1), entry.url)
    const number = entry.url === null ? '' : String(urls.size)
    const shown = asPage ? pageRow(entry, number, columns, output) : pipeRow(entry, number)
    await output.write(`${shown.trimEnd()}\n`)
  }
  // An empty listing is a table, too. One that fails at once is none.
  await begin()
  if (asPage) await printEnd(urls, output)
  return urls
}

function pageRow(entry: Entry, number: string, columns: readonly Column[], output: Output): string {
  return titled(rowHead(cellsOf(entry, number), columns), nameOf(entry), output)
}

function pipeRow(entry: Entry, number: string): string {
  const name = nameOf(entry)
  const padding = ' '.repeat(Math.max(nameColumns - widthOf(name), 0))
  const url = entry.url === null ? '' : printable(entry.url)
  return `${rowHead(cellsOf(entry, number), allColumns)}${name}${padding}  ${url}`
}

/** The name of an entry, with the description of a newsgroup, or the place to which a link leads. */
function nameOf({ name, details }: Entry): string {
  const description = typeof details?.description === 'string' ? `  ${printable(details.description)}` : ''
  const target = typeof details?.target === 'string' ? ` -> ${printable(details.target)}` : ''
  return `${printable(name)}${target}${description}`
}

type Column = 'number' | 'kind' | 'size' | 'modified'

/** The width of names in a pipe. A longer name moves its URL to the right. */
const nameColumns = 24

/** The widths of columns. They are fixed, so that each row can be printed at once; `directory` is the longest kind. */
const widths: Readonly<Record<Column, number>> = { number: 3, kind: 9, size: 8, modified: 16 }
const allColumns: readonly Column[] = ['number', 'kind', 'size', 'modified']

function columnsWithin(width: number): readonly Column[] {
  if (width >= 64) return allColumns
  return width >= 44 ? ['number', 'kind', 'size'] : ['number', 'kind']
}

function cellsOf({ kind, size, modified }: Entry, number: string): Record<Column, string> {
  // An info entry is a line of text in a Gopher menu.
  if (kind === 'info') return { number, kind: '', size: '', modified: '' }
  const when = modified === undefined ? '-' : modified.toISOString().slice(0, 16).replace('T', ' ')
  return { number, kind, size: size === undefined ? '-' : formatSize(size), modified: when }
}

function rowHead(cells: Readonly<Record<Column, string>>, columns: readonly Column[]): string {
  const isRight = (column: Column): boolean => column === 'number' || column === 'size'
  const padded = columns.map((column) => {
    return isRight(column) ? cells[column].padStart(widths[column]) : cells[column].padEnd(widths[column])
  })
  return `${padded.join('  ')}  `
}
