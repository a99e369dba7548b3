import { octetsToText, printable, utf8Octets } from '@retriever/core'
import type { Representation } from '@retriever/fetchers'

export function isHttp({ mechanism }: Representation): boolean {
  return mechanism === 'http'
}

/**
 * What -I and -i print: of HTTP the header section as it came, cookies included, since it goes to nobody but who asks
 * for it; of an article its header, decoded, as UTF-8; of others what is known, in the same form. `statusLine` is what the answer began with.
 */
export function headOf(representation: Representation, statusLine: string | null): Buffer {
  const fields = representation.mechanism === 'http' ? representation.metadata.fields : undefined
  const header = representation.mechanism === 'nntp' ? representation.metadata.header : undefined
  const known = header === undefined ? knownFields(representation) : inOctets(header)
  const lines = (fields ?? known).map(([name, value]) => `${name}: ${value}\r\n`)
  const start = fields === undefined || statusLine === null ? '' : `${statusLine}\r\n`
  return Buffer.from(`${start}${lines.join('')}\r\n`, 'latin1')
}

/** Harmless on a terminal. */
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
