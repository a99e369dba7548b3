import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'
import { type ErrorCode, RetrievalError } from '@retriever/core'
import type { Step, StepRequest } from '@retriever/fetchers'
import { httpDate, knownCharset, type StepAnswer } from '@retriever/fetchers/internal'
import type { WARCRecord } from 'warcio'
import { targetUri } from '../target-uri.ts'
import { dechunked } from './dechunked.ts'
import type { HttpHead } from './http-head.ts'
import type { ReadRecord, RecordReader } from './record-reader.ts'
import { type Found, readerAt, type Scan, scan } from './scan.ts'

/**
 * Makes the step that answers each URL from archives, so that nothing is contacted. `otherwise` answers URLs of which
 * they have nothing; without it, these are `not-found`.
 */
export function archivedAnswers(files: readonly string[], otherwise?: Step): Step {
  let shelf: Promise<Shelf> | undefined
  return async (request, next) => {
    // The octets are in the URL itself.
    if (request.plan.mechanism === 'data') return next(request)
    shelf ??= Shelf.of(files)
    const opened = await shelf
    return otherwise === undefined || opened.has(request.url) ? opened.answer(request) : otherwise(request, next)
  }
}

/** What several archives have. */
class Shelf {
  /** Their names, for messages. */
  readonly #files: string
  readonly #byUri = new Map<string, Found[]>()
  /** The first record with each payload, for those that refer to it. */
  readonly #byDigest = new Map<string, Found>()

  private constructor(files: readonly string[], scans: readonly Scan[]) {
    this.#files = files.map((file, index) => (scans[index]?.isCut ? `${file} (cut or damaged)` : file)).join(', ')
    for (const each of scans.flatMap(({ found }) => found)) {
      const uri = targetUri(each.uri)
      const others = this.#byUri.get(uri)
      if (others === undefined) this.#byUri.set(uri, [each])
      else others.push(each)
      const { digest, type, isTruncated } = each
      if (digest !== null && type !== 'revisit' && !isTruncated && !this.#byDigest.has(digest)) {
        this.#byDigest.set(digest, each)
      }
    }
  }

  static async of(files: readonly string[]): Promise<Shelf> {
    return new Shelf(files, await Promise.all(files.map(scan)))
  }

  has(url: string): boolean {
    return this.#byUri.has(targetUri(url))
  }

  async answer(request: StepRequest): Promise<StepAnswer> {
    const { url, range, resumeFrom } = request
    if (range !== undefined || resumeFrom !== undefined) {
      throw failure('range-refused', url, 'An archive gives whole bodies: leave the range out')
    }
    const found = this.#newest(url)
    if (found.redirect !== null) return { outcome: 'redirect', ...found.redirect }
    using reader = readerAt(found)
    const { record, head } = await recordOf(reader, found, url)
    const origin = found.type === 'revisit' ? this.#original(found, url) : found
    return head === null ? resourceOf(record, origin, request) : responseOf(head, found, origin, request)
  }

  /** The newest whole answer to a URL. */
  #newest(url: string): Found {
    const all = (this.#byUri.get(targetUri(url)) ?? []).filter(({ isHead }) => !isHead)
    const whole = all.filter((each) => !each.isTruncated && each.status !== 206 && each.status !== 304)
    const newest = whole.reduce(
      (best: Found | undefined, each) => (best && best.date > each.date ? best : each),
      undefined,
    )
    if (newest !== undefined) return newest
    if (all.length > 0) throw failure('partial', url, `${this.#files} has only a part of it`)
    throw failure(
      'not-found',
      url,
      `${this.#files} has no answer to this URL; retrieve ls FILE lists those that it has`,
    )
  }

  #original({ digest, file }: Found, url: string): Found {
    const original = digest === null ? undefined : this.#byDigest.get(digest)
    if (original !== undefined) return original
    throw failure('partial', url, `${file} refers to a body in another file of the archive: give that one, too`)
  }
}

/** The codes of statuses, as the answer of a server has them. */
const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'auth-required',
  403: 'access-denied',
  404: 'not-found',
  407: 'auth-required',
  410: 'not-found',
}

function responseOf(
  { fields, reason }: HttpHead,
  found: Found,
  origin: Found,
  { url, http, limits, head: isHead }: StepRequest,
): StepAnswer {
  const headers: Record<string, string> = {}
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  const status = found.status ?? 200
  const { location } = headers
  // As with a server, the answer itself is wanted then.
  const isWanted = http?.fail === false && limits.maxRedirects === 0
  if (location !== undefined && [301, 302, 303, 307, 308].includes(status) && !isWanted) {
    return { outcome: 'redirect', location, status }
  }
  if (status >= 400 && http?.fail !== false) {
    const message = `${found.file} has the answer ${status} of ${found.date}`
    throw failure(codes[status] ?? 'http-error', url, message, status)
  }
  const coding = origin.isCoded ? codingOf(headers['content-encoding']) : null
  const metadata = {
    ...{ status, reason, headers, fields },
    ...(coding !== null && { decoded: [coding] }),
  }
  const facts = { ...typeOf(headers['content-type']), metadata, modified: httpDate(headers['last-modified']) }
  const etag = headers.etag ?? null
  if (isHead === true) return { ...facts, etag, body: '' }
  return { ...facts, etag, body: decoded(checked(origin, url), coding, origin, url) }
}

function resourceOf(record: WARCRecord, origin: Found, { url, head }: StepRequest): StepAnswer {
  const body = head === true ? '' : checked(origin, url)
  return { ...typeOf(record.warcContentType), ...(head !== true && { size: origin.size }), body }
}

async function recordOf(reader: RecordReader, { file }: Found, url: string): Promise<ReadRecord> {
  const read = await reader.next()
  if (read === null) throw failure('partial', url, `${file} has changed`)
  return read
}

/** The payload, without the frames of chunks if it has any. Throws `partial` at its end if it is damaged. */
async function* checked(origin: Found, url: string): AsyncGenerator<Uint8Array> {
  const { file, digest, size } = origin
  using reader = readerAt(origin)
  const { record: payload, head } = await recordOf(reader, origin, url)
  const isChunked = /^chunked$/i.test(head?.get('transfer-encoding') ?? '')
  if (isChunked) {
    const message = `${file} is damaged: the body lacks the end of its chunks`
    yield* dechunked(payload.reader, () => failure('partial', url, message))
    return
  }
  const [, algorithm, wanted = ''] = /^(sha1|sha256):(\w+)$/.exec(digest ?? '') ?? []
  const hash = algorithm === undefined ? null : createHash(algorithm)
  let length = 0
  for await (const chunk of payload.reader) {
    hash?.update(chunk)
    length += chunk.length
    yield chunk
  }
  const came = hash?.digest()
  if (length !== size || (came !== undefined && came.toString('hex') !== wanted && base32(came) !== wanted)) {
    throw failure('partial', url, `${file} is damaged: the body has another digest than its record says`)
  }
}

const decoders: ReadonlyMap<string, () => Gunzip | Inflate | BrotliDecompress> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** A body that expands more often than this is a bomb, as over HTTP (threats.md 40). */
const maxRatio = 250
const ratioFrom = 64 * 1024 * 1024

/** The content coding of a field Content-Encoding; null if it names none that we know. */
function codingOf(field: string | undefined): string | null {
  const coding = field?.trim().toLowerCase() ?? ''
  return decoders.has(coding) ? coding : null
}

/** Undoes the content coding that the body had on its way. */
async function* decoded(
  octets: AsyncIterable<Uint8Array>,
  coding: string | null,
  { file, size }: Found,
  url: string,
): AsyncGenerator<Uint8Array> {
  const decode = decoders.get(coding ?? '')?.()
  if (decode === undefined) return yield* octets
  // The error of the source becomes that of the decoder.
  pipeline(Readable.from(octets), decode, () => {})
  let length = 0
  try {
    for await (const chunk of decode) {
      length += chunk.length
      if (length > ratioFrom && length > maxRatio * size) {
        throw failure('limit-exceeded', url, `${file} has a body that expands more than ${maxRatio} times`)
      }
      yield chunk
    }
  } catch (error) {
    throw RetrievalError.is(error) ? error : failure('partial', url, `${file} is damaged: the body is no ${coding}`)
  }
}

/** Media type and charset of a field Content-Type. */
function typeOf(field: string | null | undefined): {
  readonly mediaType: string | null
  readonly charset: string | null
} {
  const [, mediaType = null] = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(field ?? '') ?? []
  const [, charset = null] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(field ?? '') ?? []
  // A server may have named one that nobody knows, and a step may not.
  const known = knownCharset(charset) === null ? null : charset
  return { mediaType: mediaType?.toLowerCase() ?? null, charset: known?.toLowerCase() ?? null }
}

/** RFC 4648 6, as most archives write digests. */
function base32(octets: Uint8Array): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  let bits = ''
  for (const octet of octets) bits += octet.toString(2).padStart(8, '0')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

function failure(code: ErrorCode, url: string, message: string, status?: number): RetrievalError {
  const details = { phase: 'request', url, ...(status !== undefined && { status }) } as const
  return new RetrievalError(code, `${targetUri(url)}: ${message}.`, details)
}
