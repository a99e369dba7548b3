/**
 * The options of one retrieval that change what is sent. Texts are octets, one a character; no secret is among them,
 * since a plan shows `<password>` in its place.
 */
export interface Asked {
  /** Metadata alone. */
  readonly head?: boolean | undefined
  /** The [first, last] octets, or several such ranges; null: to the end; a first below 0: so many before the end. */
  readonly range?: AskedRange | readonly AskedRange[] | undefined
  /** The first octet that is wanted, since those before it are there already. */
  readonly resumeFrom?: number | undefined
  /** HTTP: the octets of the first of several parts that are asked for at a time. */
  readonly segment?: number | undefined
  /** HTTP: whether HTTP/2 is offered within TLS. Default true. */
  readonly http2?: boolean | undefined
  /** The value of If-Range that goes with `resumeFrom` (RFC 9110 13.1.5). */
  readonly ifRange?: string | undefined
  readonly ifChangedSince?: Date | undefined
  readonly ifUnchangedSince?: Date | undefined
  readonly ifNoneMatch?: string | undefined
  readonly accept?: string | undefined
  readonly acceptLanguage?: string | undefined
  /** The content codings that are offered. */
  readonly acceptEncoding?: string | undefined
  /** Fields of HTTP by name; null: the field is not sent. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined
  readonly virtualHost?: string | undefined
  /** Whether a login goes with the first request of HTTP, WebSocket or MQTT, in place of that of the URL. */
  readonly login?: boolean | undefined
  /** The user of this login, which MQTT sends as it is. */
  readonly loginUser?: string | undefined
  /** Whether HTTP gets a login by Digest alone, so that none goes with the first request. */
  readonly digest?: boolean | undefined
  /** Whether a proxy that is asked for the URL itself gets a login with the first request. */
  readonly proxyLogin?: boolean | undefined
  /** The most entries of a listing. */
  readonly limit?: number | undefined
  /** MQTT and WebSocket: the number of messages after which the client leaves. */
  readonly count?: number | undefined
  /** WAIS: documents that those found are to be like. */
  readonly relevantTo?: ReadonlyArray<{ readonly docid: string; readonly wtype: string }> | undefined
  /** Gopher+: whether answers to a form are given. */
  readonly form?: boolean | undefined
  /** FTP: whether EPSV is tried before PASV. Default true. */
  readonly epsv?: boolean | undefined
  /** FTP: whether several commands are sent at a time. Default true. */
  readonly pipelining?: boolean | undefined
}

export type AskedRange = readonly [first: number, last: number | null]

/**
 * The options for a URL at another origin, such as a gateway: neither a login nor fields of the caller go there, except
 * those that say what is accepted, and by whom.
 */
export function askedElsewhere<T extends ForOrigin>(asked: T): Omit<T, 'virtualHost' | 'login' | 'loginUser'> {
  const { virtualHost: _host, login: _login, loginUser: _user, ...others } = asked
  if (asked.headers === undefined) return others
  const harmless = Object.entries(asked.headers).filter(
    ([name, value]) => value === null || /^(?:accept(?:-language)?|user-agent)$/i.test(name),
  )
  return { ...others, headers: Object.fromEntries(harmless) }
}

/** The options that are for the origin of the URL alone. */
interface ForOrigin extends Pick<Asked, 'headers' | 'virtualHost' | 'loginUser'> {
  readonly login?: unknown
}

/** The options where the caller gives none. */
export const nothingAsked: Asked = {}
