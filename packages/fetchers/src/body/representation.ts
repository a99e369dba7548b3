import { Readable } from 'node:stream'
import type { Finding, FollowedRedirect, Mechanism, Resolution } from '@retriever/core'
import type { Sink } from '../contract/byte-source.ts'
import type { Entry, Retrieved } from '../contract/fetcher.ts'
import type { TaggedMetadata } from '../contract/metadata.ts'
import type { Stopwatch, Timings } from '../contract/timings.ts'
import { chunksOf } from '../kit/byte-source.ts'
import { invalidOption } from '../kit/limits.ts'
import { checkOptions } from '../kit/options.ts'
import { decodeText } from '../kit/text/text.ts'
import { type BodyHash, type HashName, isHashName } from '../saving/digests.ts'
import { dispositionName, dispositionOf } from '../saving/disposition.ts'
import { fileNameOf, safeFileName } from '../saving/file-name.ts'
import { type SaveOptions, save, saveOptionKinds } from '../saving/save.ts'
import type { SavedFacts } from '../saving/saved-facts.ts'
import type { Body } from './body.ts'
import { hasNoContent, responseOf } from './response.ts'
import { type FetchedOctets, UnreadBody } from './unread-body.ts'

/** One redirect that was followed. */
export type Hop = FollowedRedirect

/** The properties of a representation that the client knows, beside those from the fetcher. */
export interface Origin {
  readonly url: string
  /** The URL that the caller asked for, before redirects. */
  readonly requested: Resolution
  readonly mechanism: Mechanism
  readonly findings: readonly Finding[]
  readonly redirects: readonly Hop[]
  readonly stopwatch: Stopwatch
  readonly maxCollected: number
  readonly asked: NonNullable<SavedFacts['asked']>
}

/** A file that has been saved. */
export interface SavedFile {
  /** As the caller gave it. */
  readonly path: string
  /** The file's length in octets. */
  readonly size: number
  /** The octets that were there before and stayed: those of an earlier retrieval. 0: the file was begun anew. */
  readonly resumedFrom: number
  /** The final URL after redirects, without its password. */
  readonly url: string
  readonly mediaType: string | null
  readonly charset: string | null
  readonly modified: Date | null
  readonly etag: string | null
}

/** The mark of representations, the same in every copy of this package. */
const brand = Symbol.for('@retriever/fetchers/Representation')

/**
 * The result of a retrieval: metadata at once, octets when they are read. The body can be read once, by one of `body`,
 * `text()`, `json()`, `bytes()`, `saveTo()`, `writeTo()`, `toResponse()`, `nodeStream()`, `entries()` or `for await`;
 * each throws a TypeError if it has been read, and rejects with a RetrievalError if the body breaks off. Read it or
 * `cancel()` it: until then its connection stays open.
 */
export type Representation = RepresentationBase & TaggedMetadata

/** Gives the unread body to this module's functions. */
let contentOf: (representation: Representation) => Body

/** The class behind Representation, since a class cannot be a union. */
class RepresentationBase implements AsyncDisposable {
  static {
    contentOf = (representation) => representation.#content
  }

  /** The final URL after redirects, without its password. */
  readonly url: string
  /**
   * The mechanism that retrieved it, which tells the type of `metadata`. It is `http` also for an FTP URL that an HTTP
   * proxy retrieved.
   */
  readonly mechanism: Mechanism
  readonly kind: Retrieved['kind']
  readonly mediaType: string | null
  /** The charset that the server names, or the caller's (RequestOptions.charset). */
  readonly charset: string | null
  /** The body's length in octets, if it is known beforehand. */
  readonly size: number | null
  /** The position of the body's first octet in the resource: above 0 after a range, or if resumeFrom was granted. */
  readonly offset: number
  readonly modified: Date | null
  /** HTTP's entity tag, as the server wrote it. */
  readonly etag: string | null
  readonly completeness: Retrieved['completeness']
  readonly findings: readonly Finding[]
  /** Further data of the protocol; TaggedMetadata gives its type. */
  readonly metadata: unknown
  readonly redirects: readonly Hop[]
  readonly #content: Body
  readonly #stopwatch: Stopwatch
  readonly #retrieved: Retrieved
  readonly #origin: Origin
  #stream: ReadableStream<Uint8Array> | undefined

  /** @internal Representations come from a client. */
  constructor(retrieved: Retrieved, content: Body, origin: Origin) {
    this.url = origin.url
    this.mechanism = origin.mechanism
    this.kind = retrieved.kind
    this.mediaType = retrieved.mediaType
    this.charset = retrieved.charset
    this.size = retrieved.size
    this.offset = retrieved.offset ?? 0
    this.modified = retrieved.modified
    this.etag = retrieved.etag ?? null
    this.completeness = retrieved.completeness
    this.metadata = retrieved.metadata
    this.findings = origin.findings
    this.redirects = origin.redirects
    this.#content = content
    this.#stopwatch = origin.stopwatch
    this.#retrieved = retrieved
    this.#origin = origin
  }

  /**
   * The file name that the server gives (Content-Disposition, RFC 6266), made safe as by safeFileName(); null if it
   * gives none that can be used.
   */
  get givenName(): string | null {
    const name = this.writtenName
    return name === null ? null : safeFileName(name)
  }

  /** The same name as the server writes it: never use it for a file. */
  get writtenName(): string | null {
    return dispositionName(dispositionOf(this.#retrieved.metadata))
  }

  /**
   * A safe name for a file with this body: the one that the server gives, else the last segment of the requested URL
   * (never of one that a redirect names), else `index.html` or `download`.
   */
  get suggestedName(): string {
    const named = this.givenName ?? fileNameOf(this.#origin.requested)
    return named ?? (this.mediaType === 'text/html' ? 'index.html' : 'download')
  }

  /** True once the body has been read, given up, or is being read. */
  get bodyUsed(): boolean {
    return this.#content.taken
  }

  /**
   * Whether entries() gives entries: true for a listing, and for a message (`message/rfc822`), whose `kind` is
   * `object`.
   */
  get hasEntries(): boolean {
    return this.#retrieved.entries !== undefined
  }

  /** When the steps of the retrieval were over; `ended` is null until `finished`. */
  get timings(): Timings {
    return this.#stopwatch.timings
  }

  /** Resolves once the body has been read, has failed, or was given up: the connection is no longer used. */
  get finished(): Promise<void> {
    return this.#content.finished
  }

  /**
   * The sum of the octets, which is taken while they are read: call it before. Once saveTo() is done, it is that of the
   * whole file, also if an earlier retrieval had received its beginning.
   */
  hash(algorithm: HashName): BodyHash {
    if (!isHashName(algorithm)) throw invalidOption('algorithm', 'sha256, sha512, sha1 or md5', algorithm)
    return this.#content.hash(algorithm)
  }

  /** The octets as a web stream. It reads a chunk from the network only when its consumer asks for one. */
  get body(): ReadableStream<Uint8Array> {
    this.#stream ??= this.#makeStream()
    return this.#stream
  }

  #makeStream(): ReadableStream<Uint8Array> {
    let octets: AsyncGenerator<Uint8Array> | undefined
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          octets ??= this.#chunks()
          const { done, value } = await octets.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: () => this.#content.giveUp(),
      },
      // With 0, the stream reads nothing before its consumer does.
      { highWaterMark: 0 },
    )
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    return this.#chunks()
  }

  /** The chunks, each the caller's own. */
  #chunks(): AsyncGenerator<Uint8Array, void, void> {
    return chunksOf(this.#content.take(), true)
  }

  /** The octets as a Node stream. */
  nodeStream(): Readable {
    const content = this.#content
    const source = content.take()
    return new Readable({
      highWaterMark: 65_536,
      async read() {
        try {
          const chunk = await source.read()
          this.push(chunk !== null && source.reusesChunks === true ? new Uint8Array(chunk) : chunk)
        } catch (error) {
          this.destroy(error instanceof Error ? error : undefined)
        }
      },
      // Not Readable.from(): a read that waits for the server would hold up its end, and with it the connection.
      destroy(error, callback) {
        content.giveUp()
        callback(error)
      },
    })
  }

  /** All octets. Rejects with `limit-exceeded` past limits.maxCollected; save a larger body to a file. */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let length = 0
    const { maxCollected } = this.#origin
    const source = this.#content.take()
    for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
      length += chunk.length
      if (length > maxCollected) {
        await source.cancel()
        throw this.#content.tooLarge(maxCollected)
      }
      chunks.push(source.reusesChunks === true ? new Uint8Array(chunk) : chunk)
    }
    return Buffer.concat(chunks, length)
  }

  /**
   * The body as text, in the charset of its byte order mark, else of its metadata, else the one that HTML or XML
   * declares. Without any of these it is read as UTF-8 if it is valid UTF-8, else as Latin-1.
   */
  async text(): Promise<string> {
    return decodeText(await this.bytes(), this)
  }

  /** The body as JSON (RFC 8259). Nothing checks that it is a T. Rejects with a SyntaxError if it is no JSON. */
  async json<T = unknown>(): Promise<T> {
    return JSON.parse(await this.text())
  }

  /**
   * Saves the body. The file gets its name only when it is complete, except with `append`, and the representation's
   * modification time. What an interruption leaves is in `path.part`, and client.save() goes on from there. Rejects
   * with `write-failed` if the file cannot be written, with `checksum-failed` if it has another checksum, and with
   * `not-found` if the URL names a file but the server has a directory there.
   */
  async saveTo(path: string, options: SaveOptions = {}): Promise<SavedFile> {
    const { notAFile } = this.#retrieved
    try {
      if (notAFile !== undefined) throw notAFile
      const sink: Sink = { startOver: null }
      const { url, redirects, mediaType, charset, size: length, offset, modified, etag, finished } = this
      const facts = { url, redirects, size: length, offset, modified, etag, finished, asked: this.#origin.asked }
      checkOptions(options, saveOptionKinds)
      if (options.checksum !== undefined) this.hash(options.checksum.algorithm)
      const hooks = { sink, digests: this.#content.digests }
      const resumedFrom = await save(this.#content.take(sink), path, facts, options, hooks)
      const size = resumedFrom + this.#content.received
      return { path, size, resumedFrom, url, mediaType, charset, modified, etag }
    } finally {
      this.#content.giveUp()
    }
  }

  /**
   * Gives each chunk to `write` and waits for it before the chunk's memory is used again. This is the fastest way to
   * pass octets on. An error of `write` ends the retrieval and is rethrown.
   */
  async writeTo(write: (chunk: Uint8Array) => Promise<void> | void): Promise<void> {
    const source = this.#content.take()
    let written: Promise<void> | undefined
    try {
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
        await written
        written = Promise.resolve(write(chunk))
        // A chunk of its own is written while the next one is read, so an error of its write is seen after that read.
        if (source.reusesChunks) await written
        else written.catch(() => {})
      }
      await written
    } finally {
      this.#content.giveUp()
    }
  }

  /** The representation as the web's Response. */
  toResponse(this: Representation): Response {
    if (!hasNoContent(this)) return responseOf(this, this.body)
    this.#content.giveUp()
    return responseOf(this, null)
  }

  /**
   * The entries of a listing as they come, or the parts of a message. Throws a TypeError if there are none; see
   * `hasEntries`.
   */
  entries(): AsyncIterable<Entry> {
    const { entries } = this.#retrieved
    if (entries === undefined)
      throw new TypeError(`${this.url} is no listing but one object without parts; read its body.`)
    return entries(this)
  }

  /** Gives up the unread octets and closes the connection. Never throws. */
  async cancel(): Promise<void> {
    this.#content.giveUp()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel()
  }
}

Object.defineProperty(RepresentationBase.prototype, brand, { value: true })

/**
 * Whether a value is a Representation of this or another copy of the package, where `instanceof` says no (bundles,
 * realms, two versions).
 */
export function isRepresentation(value: unknown): value is Representation {
  return typeof value === 'object' && value !== null && brand in value
}

/** The class, for `instanceof`. */
export const Representation: typeof RepresentationBase = RepresentationBase

/** The body of fetch()'s Response: its errors and its abort are those of the web's fetch. */
export function fetchedBody(
  representation: Representation,
  ending: Pick<FetchedOctets, 'failureOf' | 'signal'>,
): UnreadBody {
  const content = contentOf(representation)
  // The octets hold the representation: if it were collected, the body would end.
  return new UnreadBody({ take: () => content.take(), giveUp: () => representation.cancel(), ...ending })
}
