import { octetsToText, printable } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Representation } from '@retriever/fetchers'

/**
 * What -I and -i print if no header section came: the fields, if a cache answered for HTTP; for an article, its decoded
 * header as UTF-8; otherwise the known facts, in the same form.
 */
export function headOf(representation: Representation): Buffer {
  const fields = representation.mechanism === 'http' ? representation.metadata.fields : undefined
  const header = representation.mechanism === 'nntp' ? representation.metadata.header : undefined
  const known = header === undefined ? knownFields(representation) : inOctets(header)
  const lines = (fields ?? known).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${lines.join('')}\r\n`, 'latin1')
}

/** The head with its control characters made visible, for a terminal. */
export function shownHead(head: Buffer): string {
  const lines = head.toString('latin1').split('\r\n')
  return lines.map((line) => printable(octetsToText(line))).join('\n')
}

function inOctets(header: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(header).map(([name, value]) => [name, utf8Octets(value)])
}

function knownFields({ mediaType, charset, size, modified }: Representation): [string, string][] {
  const known: [string, string | null | undefined][] = [
    ['Last-Modified', modified?.toUTCString()],
    ['Content-Length', size?.toString()],
    ['Content-Type', charset === null ? mediaType : `${mediaType};charset=${charset}`],
  ]
  return known.filter((field): field is [string, string] => typeof field[1] === 'string')
}
