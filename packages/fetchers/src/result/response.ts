import type { Representation } from './representation.ts'

type ResponseBody = ReadableStream<Uint8Array> | Uint8Array | string | null
type FieldLines = Record<string, string> | [name: string, value: string][]

/** The properties of a Response that its constructor cannot set. */
interface Facts {
  readonly url: string
  readonly redirected: boolean
  readonly status: number
  readonly statusText: string
}

/** A Response as fetch() gives it, and its copies by clone(), too. */
class RetrievedResponse extends Response {
  readonly #facts: Facts

  constructor(body: ResponseBody, headers: FieldLines | Headers, facts: Facts) {
    // Some servers send 999. The constructor of Response refuses it, but the web's fetch gives it.
    const isOdd = facts.status > 599
    super(body, { status: isOdd ? 599 : facts.status, headers })
    this.#facts = facts
    if (isOdd) Object.defineProperty(this, 'status', { value: facts.status })
  }

  // The types of Node declare these members as properties, which a class cannot override by accessors.
  static {
    const getter = <T>(get: (facts: Facts) => T): PropertyDescriptor => ({
      get(this: RetrievedResponse) {
        return get(this.#facts)
      },
    })
    Object.defineProperties(RetrievedResponse.prototype, {
      url: getter(({ url }) => url),
      redirected: getter(({ redirected }) => redirected),
      statusText: getter(({ statusText }) => statusText),
      // Node's fetch gives this type for every origin.
      type: getter(() => 'basic'),
      constructor: { value: Response },
      clone: {
        value(this: RetrievedResponse): Response {
          const { body, headers } = Response.prototype.clone.call(this)
          return new RetrievedResponse(body, headers, this.#facts)
        },
      },
    })
  }
}

/** Makes a Response with properties that its constructor cannot set. */
export function webResponse(
  body: ResponseBody,
  headers: FieldLines | Headers,
  { url, redirected, status, statusText }: Facts,
): Response {
  return new RetrievedResponse(body, headers, { url, redirected, status, statusText })
}

/** RFC 9110: answers with these statuses have no body, and the constructor of Response insists on it. */
export function hasNoContent({ mechanism, metadata }: Representation): boolean {
  return mechanism === 'http' && (metadata.status === 204 || metadata.status === 205 || metadata.status === 304)
}

/** Makes the web's Response of a representation; `body` has its octets, or is null for none. */
export function responseOf(representation: Representation, body: ResponseBody): Response {
  const { url, redirects, mechanism, metadata } = representation
  const { status, reason = '' } = mechanism === 'http' ? metadata : { status: 200, reason: 'OK' }
  return webResponse(body, fieldLinesOf(representation), {
    url: withoutFragment(url),
    redirected: redirects.length > 0,
    status,
    statusText: reason,
  })
}

/** The Fetch Standard shows a URL without its fragment. */
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
    // The body is decoded, so these fields no longer describe it. The web's fetch keeps them, and anyone who passes
    // such a Response on sends plain octets labelled as gzip.
    delete lines['content-encoding']
    delete lines['content-length']
  }
  if (mediaType !== null) lines['content-type'] ??= contentTypeOf(representation, mediaType)
  if (size !== null && !hasNoContent(representation)) lines['content-length'] ??= String(size)
  if (modified !== null) lines['last-modified'] ??= modified.toUTCString()
  const cookies = fields.filter(([name]) => name.length === 10 && name.toLowerCase() === 'set-cookie')
  // Each cookie keeps its line, because a cookie may contain a comma (RFC 6265 3).
  return cookies.length === 0
    ? lines
    : [...Object.entries(lines), ...cookies.map(([name, value]): [string, string] => [name, value])]
}
