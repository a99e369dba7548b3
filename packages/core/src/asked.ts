/**
 * The options of one retrieval that change what is sent. Texts are octets, one a character; no secret is among them,
 * since a plan shows `<password>` in its place.
 */
export interface Asked {
  /** Whether only metadata is wanted. */
  readonly head?: boolean | undefined
  /**
   * Octets [first, last], or several such ranges. A last of null means the end; a first of -5 means the last 5 octets.
   */
  readonly range?: AskedRange | readonly AskedRange[] | undefined
  /** The first octet to retrieve; the caller has those before it. */
  readonly resumeFrom?: number | undefined
  /** HTTP: how many octets the first of several parallel parts has. */
  readonly segment?: number | undefined
  /** HTTP: whether HTTP/2 is offered within TLS. Default true. */
  readonly http2?: boolean | undefined
  /** The value of If-Range, which qualifies `resumeFrom` (RFC 9110 13.1.5). */
  readonly ifRange?: string | undefined
  readonly ifChangedSince?: Date | undefined
  readonly ifUnchangedSince?: Date | undefined
  readonly ifNoneMatch?: string | undefined
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
  /** The content codings to offer. */
  readonly acceptEncoding?: string | undefined
  /** HTTP fields by name; a field whose value is null is not sent. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  readonly virtualHost?: string | undefined
  /** Whether the first request of HTTP, WebSocket or MQTT carries a login that replaces that of the URL. */
  readonly login?: boolean | undefined
  /** The user of `login`, whom the packets of MQTT show. */
  readonly loginUser?: string | undefined
  /** Whether the HTTP login uses Digest only, so that the first request carries none. */
  readonly digest?: boolean | undefined
  /** Whether the first request that a proxy forwards carries the proxy's login. */
  readonly proxyLogin?: boolean | undefined
  /** The most entries that a listing may have. */
  readonly limit?: number | undefined
  /** MQTT and WebSocket: the client leaves after this many messages. */
  readonly count?: number | undefined
  /** WAIS: the search finds documents like these. */
  readonly relevantTo?: ReadonlyArray<{ readonly docid: string; readonly wtype: string }> | undefined
  /** Gopher+: whether the caller answers a form. */
  readonly form?: boolean | undefined
  /** FTP: whether the client tries EPSV before PASV. Default true. */
  readonly epsv?: boolean | undefined
  /** FTP: whether the client sends several commands at a time. Default true. */
  readonly pipelining?: boolean | undefined
}

export type AskedRange = readonly [first: number, last: number | null]

/**
 * Keeps the options that may go to another origin, such as a gateway. The login does not go there, and of the caller's
 * fields only Accept, Accept-Language and User-Agent do.
 */
export function askedElsewhere<T extends ForOrigin>(asked: T): Omit<T, 'virtualHost' | 'login' | 'loginUser'> {
  const { virtualHost: _host, login: _login, loginUser: _user, ...others } = asked
  if (asked.headers === undefined) return others
  const harmless = Object.entries(asked.headers).filter(
    ([name, value]) => value === null || /^(?:accept(?:-language)?|user-agent)$/i.test(name),
  )
  return { ...others, headers: Object.fromEntries(harmless) }
}

/** The options that only the origin of the URL may get. */
interface ForOrigin extends Pick<Asked, 'headers' | 'virtualHost' | 'loginUser'> {
  readonly login?: unknown
}

/** The options of a caller who gives none. */
export const nothingAsked: Asked = {}
