import { type Finding, RetrievalError } from '@retriever/core'
import type { Representation, RetrievalEvent, Timings } from '@retriever/fetchers'
import type { BodyHash, TlsFacts } from '@retriever/fetchers/internal'

/** A header section as received: its status line, and its fields in order, one octet a character. */
interface Head {
  readonly octets: string
  readonly version: string
  readonly status: number
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** Servers by host and port, since their connections may be kept. */
export type KnownServers = Map<string, KnownServer>

interface KnownServer {
  readonly address: string
  readonly port: number
  readonly local: readonly [address: string, port: number]
  readonly tls?: TlsFacts
  readonly chain?: readonly Uint8Array[]
}

type Secured = Extract<RetrievalEvent, { type: 'secured' }>

/** The facts that the events of one retrieval give, for -w and --json. */
export class Facts {
  url = ''
  /** The full typed URL. */
  typed = ''
  /** The file to which the body is saved; null for standard output. */
  file: string | null = null
  redirects = 0
  retries = 0
  /** The Referer of the last request; null if it had none. */
  referer: string | null = null
  /** Whether all certificates were valid. */
  isTrusted = true
  isProxied = false
  received = 0
  /** The octets of all header sections received, and of all requests or commands sent. */
  headSize = 0
  sentSize = 0
  connections = 0
  /** The address of the last server or proxy that was contacted; "" and 0 if there was none. */
  address = ''
  port = 0
  /** This machine's end of that connection. */
  local: readonly [address: string, port: number] = ['', 0]
  /** The last header section of HTTP. */
  head: Head | null = null
  /** The code of the last reply; 0 if there was none. */
  status = 0
  timings: Timings | null = null
  /** The findings of the URL, and of those to which it redirected. */
  findings: readonly Finding[] = []
  /** What TLS agreed with the server that answered last; null if there was no TLS. */
  tls: TlsFacts | null = null
  /** The certificates of that server in DER, its own first. */
  chain: readonly Uint8Array[] = []
  representation: Representation | null = null
  /** The checksum of the body, if it is wanted. */
  hash: BodyHash | null = null
  /** The octets of the saved file; null if none was saved. */
  size: number | null = null
  readonly #servers: KnownServers
  /** All header sections of HTTP, including those of redirects. */
  readonly #chain: Head[] = []

  constructor(servers: KnownServers) {
    this.#servers = servers
  }

  event(event: RetrievalEvent): void {
    if (event.type === 'resolved') {
      if (this.redirects > 0) this.findings = [...this.findings, ...event.findings]
      this.url = event.url
      this.typed ||= event.url
    } else if (event.type === 'secured') this.#secured(event)
    else if (event.type === 'redirected') this.redirects++
    else if (event.type === 'retried') this.retries++
    else if (event.type === 'sent') {
      this.sentSize += event.octets.length
      this.referer = /^referer: (.*?)\r?$/im.exec(event.octets)?.[1] ?? null
    } else if (event.type === 'received') this.#reply(event)
    else if (event.type === 'connected') {
      this.connections++
      this.isProxied = event.proxy !== null
      this.address = event.address
      this.port = event.port
      this.local = [event.localAddress ?? '', event.localPort ?? 0]
      const { address, port, local } = this
      if (!this.#servers.has(hostOf(event.url))) this.#servers.set(hostOf(event.url), { address, port, local })
    } else if (event.type === 'done') {
      this.received = event.received
      this.timings = event.timings
    }
  }

  /** Notes what TLS agreed. The certificate of an https proxy is not that of the server, so it is ignored. */
  #secured({ type: _type, id: _id, time: _time, attempt: _attempt, url, chain, ...tls }: Secured): void {
    this.isTrusted &&= tls.trusted
    const server = hostOf(url)
    if (
      server
        .replace(/:\d+$/, '')
        .replace(/^\[|\]$/g, '')
        .toLowerCase() !== tls.host.toLowerCase()
    )
      return
    this.tls = tls
    this.chain = chain
    const known = this.#servers.get(server)
    if (known !== undefined) this.#servers.set(server, { ...known, tls, chain })
  }

  #reply({ octets, url }: { readonly octets: string; readonly url: string }): void {
    const server = this.#servers.get(hostOf(url))
    this.address = server?.address ?? this.address
    this.port = server?.port ?? this.port
    this.local = server?.local ?? this.local
    // An earlier retrieval secured a connection that was kept, so its facts are taken over.
    this.tls = server?.tls ?? null
    this.chain = server?.chain ?? []
    this.headSize += octets.length
    this.head = readHead(octets)
    if (this.head !== null) this.#chain.push(this.head)
    this.status = this.head?.status ?? (Number(/^(\d{3}) /m.exec(octets)?.[1] ?? 0) || this.status)
  }

  /** The values of a field of the last header section. */
  fields(name: string): string[] {
    return valuesOf(this.head, name)
  }

  /** The values of a field of all header sections. */
  allFields(name: string): string[] {
    return this.#chain.flatMap((head) => valuesOf(head, name))
  }
}

/** The code of the last reply, or the status of HTTP from a cache or an archive; 0 if there was none. */
export function statusOf({ status, representation }: Facts, error: unknown): number {
  if (status !== 0) return status
  if (RetrievalError.is(error)) return error.status ?? 0
  return representation?.mechanism === 'http' ? representation.metadata.status : 0
}

function valuesOf(head: Head | null, name: string): string[] {
  const fields = head?.fields ?? []
  return fields.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}

/** The host of a URL, and the port if it has one. */
export function hostOf(url: string): string {
  return /^[^:]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)?.[1] ?? ''
}

function readHead(octets: string): Head | null {
  const [, version, status] = /^HTTP\/(\d(?:\.\d)?) (\d{3})/.exec(octets) ?? []
  if (version === undefined) return null
  const lines = octets.trimEnd().split(/\r?\n/).slice(1)
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return { octets, version: version.replace(/\.0$/, ''), status: Number(status), fields }
}
