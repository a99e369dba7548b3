import type { Representation } from './representation.ts'
import { UnreadBody } from './unread-body.ts'

type ResponseBody = ReadableStream<Uint8Array> | Uint8Array | string | null
type FieldLines = Record<string, string> | [name: string, value: string][]

/** The properties of a Response that its constructor cannot set. */
interface Facts {
  readonly url: string
  readonly redirected: boolean
  readonly status: number
  readonly statusText: string
}

/**
 * A Response as fetch() gives it; clone() gives such ones, too. An UnreadBody becomes a stream only if its consumer
 * wants one: making and reading a stream costs more than all else in a small Response. The class is made on first use:
 * naming `Response` makes Node load its own fetch, which takes 30 ms.
 */
function makeResponseClass() {
  return class RetrievedResponse extends Response {
    readonly #facts: Facts
    /** Null if the body is that of the Response itself. */
    readonly #unread: UnreadBody | null
    /**
     * The Response whose body is the stream of `#unread`, or one that is used up if `#unread` was read in one piece.
     */
    #streamed: Response | undefined
    #isTaken = false

    constructor(body: ResponseBody | UnreadBody, headers: FieldLines | Headers, facts: Facts) {
      // Some servers send 999. Response's constructor refuses it, but the web's fetch gives it.
      const isOdd = facts.status > 599
      const isUnread = body instanceof UnreadBody
      super(isUnread ? null : body, { status: isOdd ? 599 : facts.status, headers })
      this.#facts = facts
      this.#unread = isUnread ? body : null
      if (isOdd) Object.defineProperty(this, 'status', { value: facts.status })
    }

    /** Returns the Response that has the body. */
    #opened(): Response {
      if (this.#unread === null) return this
      this.#streamed ??= this.#isTaken ? usedUp() : new Response(this.#unread.stream())
      return this.#streamed
    }

    /** Adds the header fields, for methods that look at the media type. */
    #described(): Response {
      if (this.#unread === null) return this
      // The constructor throws a TypeError if the body is being read.
      return new Response(this.#opened().body, { headers: this.headers })
    }

    /** Reads the body in one piece, unless it is already a stream. */
    async #read<T>(
      native: (this: Response) => Promise<T>,
      convert: (octets: Uint8Array<ArrayBuffer>) => T,
    ): Promise<T> {
      if (this.#unread === null || this.#isTaken || this.#streamed !== undefined) return native.call(this.#opened())
      this.#isTaken = true
      return convert(await this.#unread.read())
    }

    // Node's types declare these members as properties, and a class cannot override properties by accessors.
    static {
      const native = Response.prototype
      const fact = <T>(get: (facts: Facts) => T): PropertyDescriptor => ({
        get(this: RetrievedResponse) {
          return get(this.#facts)
        },
      })
      const ofBody = (name: 'body' | 'bodyUsed'): PropertyDescriptor => ({
        get(this: RetrievedResponse) {
          if (name === 'bodyUsed' && this.#isTaken) return true
          return Reflect.get(native, name, this.#opened())
        },
      })
      const method = <T>(call: (response: RetrievedResponse) => T): PropertyDescriptor => ({
        value(this: RetrievedResponse) {
          return call(this)
        },
      })
      Object.defineProperties(RetrievedResponse.prototype, {
        constructor: { value: Response },
        url: fact(({ url }) => url),
        redirected: fact(({ redirected }) => redirected),
        statusText: fact(({ statusText }) => statusText),
        // Node's fetch gives this type for every origin.
        type: fact(() => 'basic'),
        body: ofBody('body'),
        bodyUsed: ofBody('bodyUsed'),
        text: method((response) => response.#read(native.text, (octets) => utf8.decode(octets))),
        json: method((response) => response.#read(native.json, (octets) => JSON.parse(utf8.decode(octets)))),
        arrayBuffer: method((response) => response.#read(native.arrayBuffer, ({ buffer }) => buffer)),
        bytes: method((response) => response.#read(nativeBytes, (octets) => octets)),
        blob: method(async (response) => native.blob.call(response.#described())),
        formData: method(async (response) => native.formData.call(response.#described())),
        clone: method((response) => {
          const { body } = native.clone.call(response.#opened())
          return new RetrievedResponse(body, response.headers, response.#facts)
        }),
      })
    }
  }
}

let responseClass: ReturnType<typeof makeResponseClass> | undefined

const utf8 = new TextDecoder()

/** Stands for Response.bytes() on Nodes that lack it. */
async function nativeBytes(this: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await this.arrayBuffer())
}

/** Makes a Response whose body has been read. */
function usedUp(): Response {
  const response = new Response('')
  void response.text()
  return response
}

/** Makes a Response with properties that its constructor cannot set. */
export function webResponse(
  body: ResponseBody | UnreadBody,
  headers: FieldLines | Headers,
  { url, redirected, status, statusText }: Facts,
): Response {
  responseClass ??= makeResponseClass()
  return new responseClass(body, headers, { url, redirected, status, statusText })
}

/** Whether the status forbids a body (RFC 9110). Response's constructor insists on this. */
export function hasNoContent({ mechanism, metadata }: Representation): boolean {
  return mechanism === 'http' && (metadata.status === 204 || metadata.status === 205 || metadata.status === 304)
}

/** Makes the web's Response of a representation. `body` has its octets; null means none. */
export function responseOf(representation: Representation, body: ResponseBody | UnreadBody): Response {
  const { url, redirects, mechanism, metadata } = representation
  const { status, reason = '' } = mechanism === 'http' ? metadata : { status: 200, reason: 'OK' }
  return webResponse(body, fieldLinesOf(representation), {
    url: withoutFragment(url),
    redirected: redirects.length > 0,
    status,
    statusText: reason,
  })
}

/** Removes the fragment, as the Fetch Standard does. */
function withoutFragment(url: string): string {
  const end = url.indexOf('#')
  return end < 0 ? url : url.slice(0, end)
}

function contentTypeOf({ mechanism, metadata, charset }: Representation, mediaType: string): string {
  if (mechanism === 'data') return metadata.contentType
  return charset === null ? mediaType : `${mediaType};charset=${charset}`
}

function fieldLinesOf(representation: Representation): FieldLines {
  const { mediaType, size, modified, mechanism, metadata } = representation
  const { headers, decoded, fields = [] } = mechanism === 'http' ? metadata : {}
  const lines: Record<string, string> = { ...headers }
  if (decoded !== undefined) {
    // The body is decoded, so these fields no longer describe it. The web's fetch keeps them; if a program passes such
    // a Response on, it sends plain octets that are labelled as gzip.
    delete lines['content-encoding']
    delete lines['content-length']
  }
  if (mediaType !== null) lines['content-type'] ??= contentTypeOf(representation, mediaType)
  if (size !== null && !hasNoContent(representation)) lines['content-length'] ??= String(size)
  if (modified !== null) lines['last-modified'] ??= modified.toUTCString()
  const cookies = fields.filter(([name]) => name.length === 10 && name.toLowerCase() === 'set-cookie')
  // Each cookie keeps its own line, because a cookie may contain a comma (RFC 6265 3).
  return cookies.length === 0
    ? lines
    : [...Object.entries(lines), ...cookies.map(([name, value]): [string, string] => [name, value])]
}
