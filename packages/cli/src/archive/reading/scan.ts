import { stat } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import { systemReason } from '@retriever/fetchers/internal'
import { LimitReader, type WARCRecord, type WARCType } from 'warcio'
import { redirectOf } from '../redirect-line.ts'
import { type ReadRecord, RecordReader } from './record-reader.ts'

/** A record that answers a URL. */
export interface Found {
  readonly file: string
  readonly offset: number
  /** `metadata` is the dialogue of a redirect by another protocol than HTTP. */
  readonly type: 'response' | 'resource' | 'revisit' | 'metadata'
  readonly uri: string
  /** As in `2026-12-31T23:59:59Z`, perhaps with parts of seconds. */
  readonly date: string
  /** The status of HTTP; null for other protocols. */
  readonly status: number | null
  readonly mediaType: string | null
  /** Where another protocol than HTTP redirects to, and its status; null: it does not. */
  readonly redirect: { readonly status: number; readonly location: string } | null
  /** How many octets of payload the record has: a revisit has none. */
  readonly size: number
  /** The digest of the payload; null if the record has none. */
  readonly digest: string | null
  isTruncated: boolean
  /** The request asked for the head alone. */
  isHead: boolean
  /** The request accepted content codings, or is not in the archive: the payload is coded for transport. */
  isCoded: boolean
}

/** What a file has. */
export interface Scan {
  readonly found: readonly Found[]
  /** A record is not whole, or damaged: what follows could not be read. */
  readonly isCut: boolean
}

/** Reads an archive of any program. Rejects with `file-failed`. */
export async function scan(file: string): Promise<Scan> {
  const found: Found[] = []
  const pairs = new Pairs()
  try {
    using reader = new RecordReader(file)
    let count = 0
    let last: Found | null = null
    while (true) {
      const read = await reader.next()
      if (last !== null && reader.wasLonger) last.isTruncated = true
      if (read === null) break
      const isRecord = isOfArchive(read.record)
      if (!isRecord && count === 0) throw new Error(noArchive)
      const { offset } = reader
      const payload = isRecord ? await payloadOf(read.record) : null
      // warcio would look for the rest without end.
      if (payload === null) return { found, isCut: true }
      count++
      last = answerOf(read, file, offset, payload)
      if (last !== null) found.push(last)
      pairs.add(read, last)
    }
    // warcio takes a cut member of gzip for the end.
    return { found, isCut: reader.offset < (await stat(file)).size }
  } catch (cause) {
    throw unread(file, cause)
  }
}

/** Rejects with `file-failed` unless a file begins as an archive. The message ends with what is taken. */
export async function checkArchive(file: string, taken: string): Promise<void> {
  try {
    using reader = new RecordReader(file)
    const read = await reader.next()
    if (read === null || !isOfArchive(read.record)) throw new Error(noArchive)
  } catch (cause) {
    throw unread(file, cause, `; ${taken}`)
  }
}

const noArchive = 'it is no web archive (WARC)'

function isOfArchive({ warcHeaders }: WARCRecord): boolean {
  return warcHeaders.statusline.startsWith('WARC/')
}

function unread(file: string, cause: unknown, next = ''): RetrievalError {
  const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
  const why = isMissing ? 'there is no such file' : (systemReason(cause) ?? (cause as Error).message)
  return new RetrievalError('file-failed', `${file} cannot be read: ${why}${next}.`, { phase: 'resolve', cause })
}

const answerTypes = ['response', 'resource', 'revisit'] as const

/** How many of the last octets of a payload are kept: the last line of a dialogue has the URL of a redirect. */
const endLength = 16 * 1024

interface Payload {
  readonly size: number
  readonly end: Buffer
}

/** Reads the payload of a record. Returns its length and its end, or null if it is not whole. */
async function payloadOf({ reader, warcHeaders, warcType }: WARCRecord): Promise<Payload | null> {
  if (!/^\d+$/.test(warcHeaders.headers.get('Content-Length') ?? '')) return null
  let size = 0
  let end: Buffer = Buffer.alloc(0)
  for await (const chunk of reader) {
    size += chunk.length
    if (warcType === 'metadata') end = Buffer.concat([end, chunk]).subarray(-endLength)
  }
  return reader instanceof LimitReader && reader.limit > 0 ? null : { size, end }
}

function answerOf({ record, head }: ReadRecord, file: string, offset: number, { size, end }: Payload): Found | null {
  const { warcType: type, warcTargetURI: uri, warcDate: date, warcContentType } = record
  const redirect = type === 'metadata' ? redirectOf(warcContentType, end.toString()) : null
  const answerType = redirect !== null ? 'metadata' : answerTypes.find((each) => each === type)
  if (answerType === undefined || !uri || !date) return null
  const contentType = head === null ? warcContentType : head.get('content-type')
  const status = head?.status ?? null
  const isAnswer = head === null || (status !== null && status >= 200)
  return {
    ...{ file, offset, uri, date, size, redirect },
    type: answerType,
    status: isAnswer ? status : null,
    mediaType: contentType?.split(';', 1)[0]?.trim().toLowerCase() || null,
    digest: record.warcPayloadDigest ?? null,
    isTruncated: !isAnswer || record.warcHeader('WARC-Truncated') != null,
    isHead: false,
    isCoded: type !== 'resource',
  }
}

/** Joins answers to their requests, whichever of them comes first. */
class Pairs {
  readonly #answers = new Map<string, Found>()
  readonly #requests = new Map<string, Pick<Found, 'isHead' | 'isCoded'>>()

  add({ record, head }: ReadRecord, answer: Found | null): void {
    const id = record.warcHeader('WARC-Record-ID') ?? ''
    const others = record.warcConcurrentTo ?? []
    if (answer !== null) {
      const asked = others.map((other) => this.#requests.get(other)).find((each) => each !== undefined)
      if (asked !== undefined) Object.assign(answer, asked)
      else this.#answers.set(id, answer)
    } else if (isRequest(record.warcType)) {
      const codings = head?.get('accept-encoding') ?? 'identity'
      const asked = { isHead: head?.method === 'HEAD', isCoded: codings !== 'identity' }
      const [answered] = others.map((other) => this.#answers.get(other)).filter((each) => each !== undefined)
      if (answered === undefined) this.#requests.set(id, asked)
      else Object.assign(answered, asked)
      for (const other of others) this.#answers.delete(other)
    }
  }
}

function isRequest(type: WARCType): boolean {
  return type === 'request'
}

/** Reads an answer again, from its offset on. */
export function readerAt({ file, offset }: Pick<Found, 'file' | 'offset'>): RecordReader {
  return new RecordReader(file, offset)
}
