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
import { type SaveOptions, saveOptionKinds } from '../saving/save-options.ts'
import type { SavedFacts } from '../saving/saved-facts.ts'
import type { Body } from './body.ts'
import { hasNoContent, responseOf } from './response.ts'
import { type FetchedOctets, UnreadBody } from './unread-body.ts'

/** One redirect that was followed. */
export type Hop = FollowedRedirect

/** What the client knows of a representation, in addition to what the fetcher gives. */
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
  /** The path as the caller gave it. */
  readonly path: string
  /** The file's length in octets. */
  readonly size: number
  /** How many octets of an earlier retrieval stayed. 0: the file was begun anew. */
  readonly resumedFrom: number
  /** The final URL after redirects, without its password. */
  readonly url: string
  readonly mediaType: string | null
  readonly charset: string | null
  readonly modified: Date | null
  readonly etag: string | null
}

/** Marks representations. The symbol is the same in every copy of this package. */
const brand = Symbol.for('@retriever/fetchers/Representation')

/**
 * The result of a retrieval: metadata at once, octets when they are read. The body can be read once, by `body`,
 * `text()`, `json()`, `bytes()`, `saveTo()`, `writeTo()`, `toResponse()`, `nodeStream()`, `entries()` or `for await`.
 * Each throws a TypeError if the body was already read, and rejects with a RetrievalError if the body breaks off. Read
 * the body or `cancel()` it: until then its connection stays open.
 */
export type Representation = RepresentationBase & TaggedMetadata

/** The code that saves bodies, once it is loaded: loading it for each small file takes longer than some of its work. */
let saving: Promise<typeof import('../saving/save.ts')> | undefined

/** Lets this module's functions reach the unread body. */
let contentOf: (representation: Representation) => Body

/** The class behind Representation. A class itself cannot be a union. */
class RepresentationBase implements AsyncDisposable {
  static {
    contentOf = (representation) => representation.#content
  }

  /** The final URL after redirects, without its password. */
  readonly url: string
  /**
   * The mechanism that retrieved the URL. It tells the type of `metadata`. If an HTTP proxy retrieved an FTP URL, it is
   * `http`.
   */
  readonly mechanism: Mechanism
  readonly kind: Retrieved['kind']
  readonly mediaType: string | null
  /** The charset that the server names, or the caller's (RequestOptions.charset). */
  readonly charset: string | null
  /** The body's length in octets, if it is known in advance. */
  readonly size: number | null
  /**
   * The position of the body's first octet in the resource. It is above 0 after a range, or if resumeFrom was granted.
   */
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

  /** @internal Only a client makes representations. */
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
   * The file name that the server gives (Content-Disposition, RFC 6266), made safe as safeFileName() does. Null if
   * there is none that can be used.
   */
  get givenName(): string | null {
    const name = this.writtenName
    return name === null ? null : safeFileName(name)
  }

  /** The same name as the server writes it. Never use it for a file. */
  get writtenName(): string | null {
    return dispositionName(dispositionOf(this.#retrieved.metadata))
  }

  /**
   * A safe name for a file with this body: the server's name, else the last segment of the requested URL (never of one
   * that a redirect names), else `index.html` or `download`.
   */
  get suggestedName(): string {
    const named = this.givenName ?? fileNameOf(this.#origin.requested)
    return named ?? (this.mediaType === 'text/html' ? 'index.html' : 'download')
  }

  /** True once the body has been read or given up, or while it is being read. */
  get bodyUsed(): boolean {
    return this.#content.taken
  }

  /**
   * Whether entries() gives entries. It does for a listing, and for a message (`message/rfc822`), whose `kind` is
   * `object`.
   */
  get hasEntries(): boolean {
    return this.#retrieved.entries !== undefined
  }

  /** When each step of the retrieval was over. `ended` is null until `finished`. */
  get timings(): Timings {
    return this.#stopwatch.timings
  }

  /** Resolves when the connection is no longer used: the body was read, failed, or was given up. */
  get finished(): Promise<void> {
    return this.#content.finished
  }

  /**
   * The checksum of the octets. It is computed while they are read, so call this first. After saveTo(), it covers the
   * whole file, even if an earlier retrieval had received its beginning.
   */
  hash(algorithm: HashName): BodyHash {
    if (!isHashName(algorithm)) throw invalidOption('algorithm', 'sha256, sha512, sha1 or md5', algorithm)
    return this.#content.hash(algorithm)
  }

  /** The octets as a web stream. The stream reads from the network only when its consumer asks for a chunk. */
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
      // At 0, the stream reads nothing until its consumer does.
      { highWaterMark: 0 },
    )
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    return this.#chunks()
  }

  /** Yields the chunks. Each belongs to the caller. */
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
      // Readable.from() would not do: its end would wait for a read that waits for the server, and so would the
      // connection's.
      destroy(error, callback) {
        content.giveUp()
        callback(error)
      },
    })
  }

  /** Returns all octets. Rejects with `limit-exceeded` past limits.maxCollected; save a larger body to a file. */
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
   * Returns the body as text. The charset is that of its byte order mark, else of its metadata, else the one that HTML
   * or XML declares. If there is none of these, the text is UTF-8 if it is valid UTF-8, else Latin-1.
   */
  async text(): Promise<string> {
    return decodeText(await this.bytes(), this)
  }

  /** Parses the body as JSON (RFC 8259). Nothing checks that it is a T. Rejects with a SyntaxError if it is no JSON. */
  async json<T = unknown>(): Promise<T> {
    return JSON.parse(await this.text())
  }

  /**
   * Saves the body. The file gets its name only when it is complete, except with `append`, and it gets the
   * representation's modification time. After an interruption the octets are in `path.part`, and client.save()
   * continues from there. Rejects with `write-failed` if the file cannot be written, with `checksum-failed` if it has
   * another checksum, and with `not-found` if the URL names a file but the server has a directory there.
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
      // Taken at once: no other reader may come first.
      const octets = this.#content.take(sink)
      saving ??= import('../saving/save.ts')
      const { save } = await saving
      const resumedFrom = await save(octets, path, facts, options, hooks)
      const size = resumedFrom + this.#content.received
      return { path, size, resumedFrom, url, mediaType, charset, modified, etag }
    } finally {
      this.#content.giveUp()
    }
  }

  /**
   * Calls `write` with each chunk and waits for it before it reuses the chunk's memory. This is the fastest way to pass
   * octets on. If `write` throws, the retrieval ends and the error is rethrown.
   */
  async writeTo(write: (chunk: Uint8Array) => Promise<void> | void): Promise<void> {
    const source = this.#content.take()
    let written: Promise<void> | undefined
    try {
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
        await written
        written = Promise.resolve(write(chunk))
        // If the memory is not reused, a chunk is written while the next one is read. An error of that write shows
        // after the read.
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
   * Yields the entries of a listing while they arrive, or the parts of a message. Throws a TypeError if there are none;
   * see `hasEntries`.
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
 * Whether a value is a Representation of this or another copy of the package. `instanceof` says no for other copies
 * (bundles, realms, two versions).
 */
export function isRepresentation(value: unknown): value is Representation {
  return typeof value === 'object' && value !== null && brand in value
}

/** The class, for `instanceof`. */
export const Representation: typeof RepresentationBase = RepresentationBase

/** Makes the body of fetch()'s Response. Its errors and its abort are those of the web's fetch. */
export function fetchedBody(
  representation: Representation,
  ending: Pick<FetchedOctets, 'failureOf' | 'signal'>,
): UnreadBody {
  const content = contentOf(representation)
  // The octets refer to the representation: if it were garbage-collected, the body would end.
  return new UnreadBody({ take: () => content.take(), giveUp: () => representation.cancel(), ...ending })
}
