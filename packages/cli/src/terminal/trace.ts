import { octetsToText } from '@retriever/core'
import type { RetrievalEvent, Timings } from '@retriever/fetchers'
import type { TlsFacts } from '@retriever/fetchers/internal'
import { exitCodeOf } from '../exit-codes.ts'
import { shownFinding } from '../options/option-hints.ts'
import { formatTime } from './output.ts'

type Event<Type extends RetrievalEvent['type']> = Extract<RetrievalEvent, { type: Type }>

/** What the trace remembers about one retrieval. */
interface Traced {
  /** The mechanism and port of the last URL, and its host and port as one text. */
  readonly mechanism: string
  readonly port: number | null
  readonly place: string
  /** Whether the retrieval has opened a connection, or has said that it reuses one. */
  isConnected: boolean
}

/** The lines of -v: what the client does (`*`), sends (`>`) and receives (`<`). */
export class Trace {
  readonly #retrievals = new Map<number, Traced>()
  /** The addresses of servers by host and port, since later retrievals may reuse their connections. */
  readonly #addresses = new Map<string, string>()
  /** The certificates that have been shown: FTP gets one on each data connection. */
  readonly #certificates = new Set<string>()

  lines(event: RetrievalEvent): string[] {
    switch (event.type) {
      case 'resolved':
        return this.#resolved(event)
      case 'waiting':
        return [`* waiting for a connection${event.ahead === 0 ? '' : `; ${event.ahead} wait before this one`}`]
      case 'looked-up':
        return [
          `* ${event.host} has the ${event.addresses.length > 1 ? 'addresses' : 'address'} ${event.addresses.join(', ')}`,
        ]
      case 'connected':
        return [`* ${this.#connected(event)}`]
      case 'secured':
        return this.#secured(event)
      case 'sent':
        return [...this.#reused(event), ...quoted('>', event.octets)]
      case 'received':
        return quoted('<', event.octets)
      case 'redirected':
        // A redirect of Prospero has no status.
        return [`* redirected${event.status === 0 ? '' : ` (${event.status})`} to ${event.location}`]
      case 'cached':
        return [`* ${fromCache[event.how]}${event.age === null ? '' : `, ${event.age} s old`}`]
      case 'done':
        this.#retrievals.delete(event.id)
        return [doneLine(event)]
      case 'unread':
        return ['* others wait until this body is read']
      default:
        return []
    }
  }

  /** The URL and its findings. Warnings are shown even without -v; `retrieve explain` says more. */
  #resolved({ id, url, explanation, findings }: Event<'resolved'>): string[] {
    const { host, port } = explanation.plan
    const isTyped = !this.#retrievals.has(id)
    this.#retrievals.set(id, {
      mechanism: explanation.mechanism,
      port: typeof port === 'number' ? port : null,
      place: `${host}:${port}`,
      isConnected: false,
    })
    const told = findings.filter(({ code, severity }) => {
      // A person who typed the port knows that it is unusual.
      return severity !== 'warning' && !(isTyped && code === 'non-default-port')
    })
    const remarks = told.map(shownFinding).map(({ severity, message }) => `* ${severity}: ${message}`)
    return [`* ${url}`, ...remarks]
  }

  #connected({ id, address, port, proxy }: Event<'connected'>): string {
    const known = this.#retrievals.get(id)
    // A data connection of FTP goes to another port than the commands.
    const isData = known?.mechanism === 'ftp' && known.port !== port && proxy === null
    const what = `connected to ${address}, port ${port}${proxy === null ? '' : `, through ${proxy}`}`
    if (isData) return `${what}, for the data`
    if (known !== undefined) {
      known.isConnected = true
      this.#addresses.set(known.place, `${address}, port ${port}`)
    }
    return what
  }

  #reused({ id }: Event<'sent'>): string[] {
    const known = this.#retrievals.get(id)
    if (known === undefined || known.isConnected) return []
    known.isConnected = true
    const address = this.#addresses.get(known.place)
    return address === undefined ? [] : [`* connected already to ${address}`]
  }

  /** `TLSv1.3, TLS_AES_256_GCM_SHA384, h2`, and the certificate, unless an earlier connection had the same one. */
  #secured(event: Event<'secured'>): string[] {
    const { version, cipher, alpn, resumed } = event
    const agreed = [version, cipher, alpn, resumed ? 'session resumed' : null].filter((fact) => fact !== null)
    const certificate = certificateOf(event)
    if (certificate === null || this.#certificates.has(certificate)) return [`* ${agreed.join(', ')}`]
    this.#certificates.add(certificate)
    return [`* ${agreed.join(', ')}`, `* certificate: ${certificate}`]
  }
}

const fromCache: Readonly<Record<Event<'cached'>['how'], string>> = {
  hit: 'out of the cache',
  revalidated: 'out of the cache, as the server has confirmed',
  stale: 'out of the cache, and no longer fresh',
  stored: 'kept in the cache',
}

/** The lines of a command or reply, each with its mark. */
function quoted(mark: string, octets: string): string[] {
  const lines = octets.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.map((line) => `${mark} ${octetsToText(line)}`.trimEnd())
}

/** `subject CN=www.example.org; issuer CN=Example CA; valid 12 more days`; null if nothing is known. */
function certificateOf({ subject, issuer, expires, trusted }: TlsFacts): string | null {
  if (subject === null && issuer === null && expires === null) return null
  const facts = [
    subject === null ? 'no subject' : `subject ${subject}`,
    issuer === null ? 'no issuer' : `issuer ${issuer}`,
    expires === null ? null : validity(expires, Date.now()),
    trusted ? null : 'not valid for this host, but allowed',
  ]
  return facts.filter((fact) => fact !== null).join('; ')
}

const day = 24 * 60 * 60 * 1000

/** `valid 12 more days`, `expired 3 days ago`: the time from now to the end of a certificate's validity. */
export function validity(expires: string, now: number): string {
  const days = Math.floor(Math.abs(Date.parse(expires) - now) / day)
  const span = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`
  if (Date.parse(expires) < now) return `expired ${span} ago`
  return days === 0 ? `valid for ${span} more` : `valid ${days} more ${days === 1 ? 'day' : 'days'}`
}

function doneLine({ received, error, timings }: Event<'done'>): string {
  const isFailed = error !== null && exitCodeOf(error) !== 0
  const total = timings.ended === null ? '' : ` in ${formatTime(timings.ended)}`
  const steps = stepsOf(timings)
  const octets = received === 1 ? '1 octet' : `${received} octets`
  return `* ${isFailed ? 'failed' : 'done'}: ${octets}${total}${steps === '' ? '' : ` (${steps})`}`
}

/** The steps of a retrieval in order, each with the word that -v has for the time up to its end. */
const steps = [
  ['redirected', 'redirects'],
  ['retried', 'retries'],
  ['waited', 'queue'],
  ['lookedUp', 'lookup'],
  ['connected', 'connect'],
  ['secured', 'TLS'],
  ['requested', 'request'],
  ['responded', 'answer'],
  ['ended', 'body'],
] as const satisfies readonly (readonly [keyof Timings, string])[]

/** The time of each step that happened: `lookup 1 ms, connect 3 ms, request 1 ms, answer 20 ms, body 4 ms`. */
function stepsOf(timings: Timings): string {
  let before = 0
  const shown: string[] = []
  for (const [name, word] of steps) {
    const at = timings[name]
    if (at === null) continue
    const isBody = name === 'ended' && timings.responded !== null
    shown.push(`${name !== 'ended' || isBody ? word : 'wait'} ${formatTime(Math.max(at - before, 0))}`)
    before = Math.max(at, before)
  }
  // A single step would only repeat the total.
  return shown.length < 2 ? '' : shown.join(', ')
}
