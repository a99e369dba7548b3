import { printable } from '@retriever/core'
import type { Entry, Representation } from '@retriever/fetchers'
import { formatSize, jsonLine, type Output } from '../terminal/output.ts'

/** Prints a listing as a table, or as JSON Lines, each line as soon as its entry has come. */
export async function printListing(listing: Representation, output: Output, json: boolean): Promise<void> {
  if (!json) await output.write(row('KIND', 'SIZE', 'MODIFIED', 'NAME'))
  for await (const entry of listing.entries()) await output.write(json ? jsonLine(record(entry)) : tableRow(entry))
}

/** The record of an entry: always the same keys, with null for facts that the server does not give. */
function record({ name, kind, url, size, modified, details }: Entry): Record<string, unknown> {
  return { name, kind, url, size: size ?? null, modified: modified?.toISOString() ?? null, details: details ?? {} }
}

function tableRow({ name, kind, size, modified, details }: Entry): string {
  // This is a line of text in a Gopher menu.
  if (kind === 'info') return row('', '', '', printable(name))
  const when = modified === undefined ? '-' : modified.toISOString().slice(0, 16).replace('T', ' ')
  // Newsgroups have descriptions.
  const description = typeof details?.description === 'string' ? `  ${printable(details.description)}` : ''
  return row(kind, size === undefined ? '-' : formatSize(size), when, `${printable(name)}${description}`)
}

/** One row. Columns have a fixed width, so that each row is printed at once; `directory` is the longest kind. */
function row(kind: string, size: string, modified: string, name: string): string {
  return `${kind.padEnd(9)}  ${size.padStart(8)}  ${modified.padEnd(16)}  ${name}`.trimEnd().concat('\n')
}
