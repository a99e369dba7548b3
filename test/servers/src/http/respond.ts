import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Accounts, userOf } from '../accounts.ts'
import type { Connection } from '../connection.ts'
import type { ServedFiles } from '../files/served-files.ts'
import type { Listener } from '../listener.ts'
import { type RecordedRequest, recorded } from '../request.ts'
import type { Routes } from '../routes.ts'
import { percentDecode } from '../text.ts'
import { type ResponseWriter, sendAnswer, textAnswer } from './answer.ts'
import { Content } from './content.ts'
import { type HttpHandler, type HttpReply, routedAnswer } from './handler.ts'
import { seedAnswer } from './routes.ts'
import { refusalOf } from './sites.ts'

/** The connection on which a request came, and its server. */
export interface Link {
  readonly connection: Connection
  readonly server: Listener
  readonly http2: boolean
  /** Ends the connection. */
  end(): Promise<void>
}

export interface HttpSettings {
  readonly tree: ServedFiles
  readonly routes: Routes<HttpHandler | HttpReply>
  readonly accounts: Accounts
  /** Whether every path needs a login. */
  readonly authRequired: boolean
  /** The names for which the server answers; see SiteOptions. */
  readonly hosts: readonly string[]
}

/** A request of HTTP/1.1 or HTTP/2. */
export interface Message extends Readable {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersion: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
}

/** What a route may know about a request. */
export interface HttpRequest {
  readonly method: string
  /** The request-target as sent, with the query. */
  readonly target: string
  /** The path of the target, percent-decoded, one char an octet. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The header lines as sent. */
  readonly head: string
  readonly tree: ServedFiles
  readonly ignoreRange: boolean
  /** The account that Authorization names, if its password is right. */
  readonly user: string | undefined
}

/** Answers one request. */
export async function respond(
  message: Message,
  response: ResponseWriter,
  settings: HttpSettings,
  link: Link,
): Promise<void> {
  const { connection } = link
  const { faults } = connection
  const request = read(message, settings, Boolean(faults.ignoreRestart))
  const content = new Content(message)
  const record = recordOf(message, request, content, connection)
  link.server.record(record)
  if (!link.http2 && hasTwoHosts(message)) {
    return sendAnswer(textAnswer(400, 'A request has one Host (RFC 9112 3.2).\n'), request, response, link)
  }
  const refusal = refusalOf(
    { host: hostOf(message), origin: message.headers.origin, fetchSite: fieldOf(message, 'sec-fetch-site') },
    settings.hosts,
  )
  if (refusal) return sendAnswer(textAnswer(refusal.status, `${refusal.reason}\n`), request, response, link)
  if (faults.stall === 'response') {
    await connection.stall()
    return link.end()
  }
  const wrong = connection.takeFault(request.target, request.path)
  if (wrong !== undefined) {
    if (wrong !== '' && !link.http2) await connection.send(wrong)
    return link.end()
  }
  await connection.delay()
  const allowed = request.user !== undefined || !settings.authRequired
  const whole = (): Promise<RecordedRequest> => content.ended.then(() => record)
  const routed = allowed ? await routedAnswer(settings.routes, request.path, whole) : undefined
  await sendAnswer(routed ?? seedAnswer(request, allowed), request, response, link)
}

function read(message: Message, { tree, accounts }: HttpSettings, ignoreRange: boolean): HttpRequest {
  const { method = 'GET', url: target = '/', headers, rawHeaders } = message
  const lines = [`${method} ${target} HTTP/${message.httpVersion}\r\n`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`)
  // A client sends the absolute form to a proxy: `GET http://host/path HTTP/1.1` (RFC 9112, 3.2.2).
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  const path = percentDecode(local.split('?', 1)[0] || '/')
  const user = userOf(accounts, headers.authorization)
  return { method, target, path, headers, head: `${lines.join('')}\r\n`, tree, ignoreRange, user }
}

/** The authority of the target (RFC 9112, 3.2.2), or else the Host; HTTP/2 has `:authority`. */
function hostOf(message: Message): string | undefined {
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i.exec(message.url ?? '') ?? []
  return authority ?? fieldOf(message, ':authority') ?? message.headers.host
}

/** Node keeps the first of several Host fields only. */
function hasTwoHosts({ rawHeaders }: Message): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && /^host$/i.test(text)).length > 1
}

function fieldOf({ headers }: Message, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Records a request. Most tests read no header field, so the fields are made only when a test asks for them. */
function recordOf(message: Message, request: HttpRequest, content: Content, connection: Connection): RecordedRequest {
  const { method, target } = request
  const { rawHeaders } = message
  const line = `${method} ${target} HTTP/${message.httpVersion}`
  let headers: RecordedRequest['headers'] | undefined
  return {
    ...recorded(connection, { line, method, target }),
    get headers() {
      headers ??= fieldsOf(rawHeaders)
      return headers
    },
    get body() {
      return content.octets
    },
  }
}

/**
 * Fields by lower-case name. In HTTP/2, names that begin with a colon are no fields, but `:authority` replaces Host.
 */
function fieldsOf(raw: readonly string[]): Readonly<Record<string, string>> {
  const fields = new Map<string, string>()
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase().replace(/^:authority$/, 'host') ?? ''
    const before = fields.get(name)
    const value = raw[at + 1] ?? ''
    if (!name.startsWith(':')) fields.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(fields)
}
