import { randomUUID } from 'node:crypto'
import { WARC_1_1, WARCRecord, type WARCType } from 'warcio'
import type { Spool } from './spool.ts'

/** The type of the answer to a request of HTTP. */
export const responseType = 'application/http; msgtype=response'

/** A record of which all is known. */
export interface Ready {
  readonly record: WARCRecord
  readonly block: Spool
  /** The status and media type for the index; null if the record does not belong there. */
  readonly indexed: { readonly status: number | null; readonly mediaType: string | null } | null
}

/** What a record says beside its type, length and digests. */
export interface Facts {
  readonly id?: string
  readonly uri?: string
  readonly date: string
  readonly contentType: string
  readonly address?: string | undefined
  readonly concurrentTo?: string
  /** Further fields by name; those that are undefined are left out. */
  readonly more?: Readonly<Record<string, string | undefined>>
  readonly indexed?: Ready['indexed']
}

export function newId(): string {
  return `<urn:uuid:${randomUUID()}>`
}

/** Makes a record of a block. */
export function recordOf(type: WARCType, facts: Facts, block: Spool): Ready {
  const { id = newId(), uri, date, contentType, address, concurrentTo, more = {}, indexed = null } = facts
  const digests = block.digests()
  const fields: Readonly<Record<string, string | undefined>> = {
    'WARC-Record-ID': id,
    'WARC-Target-URI': uri,
    'WARC-IP-Address': address,
    'WARC-Concurrent-To': concurrentTo,
    ...more,
    'WARC-Block-Digest': digests.block,
    ...(hasPayload(type) && { 'WARC-Payload-Digest': digests.payload }),
    'Content-Type': contentType,
  }
  const given = Object.entries(fields).flatMap(([name, value]) =>
    // A server may have chosen the words of a media type.
    value === undefined ? [] : [[name, value.replace(/\p{Cc}/gu, ' ')] as const],
  )
  const options = { type, date, warcVersion: WARC_1_1, warcHeaders: Object.fromEntries(given) } as const
  const record = WARCRecord.create(options, block.octets())
  // warcio knows one profile of revisits.
  const profile = more['WARC-Profile']
  if (profile !== undefined) record.warcHeaders.headers.set('WARC-Profile', profile)
  // The block holds the head as it came; warcio would write it anew.
  record.httpHeaders = null
  return { record, block, indexed }
}

/** A revisit names the payload of another record, if any. */
function hasPayload(type: WARCType): boolean {
  return type !== 'warcinfo' && type !== 'revisit'
}
