import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import type { Answer, Asked } from './answer.ts'
import { viaLine } from './fields.ts'
import { forward } from './forward.ts'
import { checkForm, checkTarget, checkToken } from './guard.ts'
import { withSearch } from './listing.ts'
import { type GatewayOptions, readOptions, type Settings } from './options.ts'
import { problem, Refusal } from './problem.ts'
import { retrieved } from './retrieved.ts'
import { makeServer } from './server.ts'

/** A proxy for every URL that its client retrieves. */
export interface Gateway extends AsyncDisposable {
  /**
   * Answers a request whose URL is that of the resource: `fetch(new Request('gopher://h/1/'))`. It never rejects:
   * errors are problem details (RFC 9457). Request normalises URLs of the web's schemes, ftp among them.
   */
  fetch(request: Request): Promise<Response>
  /** A server of node:http that answers as a proxy. It listens once you call its `listen(8071, '127.0.0.1')`. */
  readonly server: Server
  /** Ends all requests and closes the server, but not the client. */
  close(): Promise<void>
}

/** Makes a gateway. Throws RetrievalError `invalid-option`. */
export function createGateway(options: GatewayOptions): Gateway {
  const settings = readOptions(options)
  const core = new GatewayCore(settings)
  const server = makeServer(core)
  core.server = server
  const close = async (): Promise<void> => {
    core.stop.abort()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { fetch: (request) => core.fetch(request), server, close, [Symbol.asyncDispose]: close }
}

/** The state of a gateway, which its server and fetch() share. */
export class GatewayCore {
  readonly settings: Settings
  /** Names this gateway in Via: a request that has it went in a circle. */
  readonly pseudonym: string = `retriever-${randomBytes(6).toString('hex')}`
  /** Aborts when the gateway is closed. */
  readonly stop: AbortController = new AbortController()
  server: Server | null = null
  #open = 0

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** The port of the server; null if it does not listen. */
  get ownPort(): number | null {
    const address = this.server?.address()
    return typeof address === 'object' && address !== null ? address.port : null
  }

  /** Takes one of the places for requests, until the function returned is called. Throws if all are taken. */
  enter(): () => void {
    if (this.#open >= this.settings.limits.requests) {
      throw new Refusal(503, 'The gateway answers as many requests as it may; try again.', [['Retry-After', '1']])
    }
    this.#open++
    let isOpen = true
    return () => {
      if (isOpen) this.#open--
      isOpen = false
    }
  }

  /** Answers a request that has a place. Never rejects. */
  async answer(asked: Asked): Promise<Answer> {
    const { settings, pseudonym } = this
    try {
      return await this.#answer({ ...asked, url: withSearch(asked.url) })
    } catch (error) {
      const { lines, ...rest } = problem(error, asked.headers.accept, settings.messageOf)
      return { ...rest, lines: [...lines, viaLine('1.1', pseudonym)] }
    }
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { client, token } = this.settings
    checkToken(asked.headers['proxy-authorization'], token)
    checkForm(asked, this.pseudonym)
    const resolution = client.resolve(asked.url)
    checkTarget(resolution, this.ownPort)
    if (resolution.plan.mechanism === 'http') return await forward(asked, resolution, this.settings, this.pseudonym)
    if (asked.method !== 'GET' && asked.method !== 'HEAD') {
      throw new Refusal(405, `${resolution.scheme.name} URLs are retrieved by GET and HEAD.`, [['Allow', 'GET, HEAD']])
    }
    const answer = await retrieved(asked, resolution, this.settings)
    return { ...answer, lines: [...answer.lines, viaLine('1.1', this.pseudonym)] }
  }

  /** Carries out Gateway.fetch. */
  async fetch(request: Request): Promise<Response> {
    const { method, url, headers, body, signal } = request
    const lines = [...headers]
    const asked: Asked = {
      ...{ method, url, lines, headers: Object.fromEntries(lines) },
      body: body === null ? null : Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
      signal: AbortSignal.any([signal, this.stop.signal]),
    }
    let leave = (): void => {}
    let answer: Answer
    try {
      leave = this.enter()
      answer = await this.answer(asked)
    } catch (error) {
      answer = problem(error, undefined, this.settings.messageOf)
    }
    const { status, reason = '', lines: given, body: content } = answer
    if (content instanceof Readable) content.once('close', leave)
    else leave()
    const octets = content instanceof Readable ? (Readable.toWeb(content) as ReadableStream<Uint8Array>) : content
    return new Response(octets, { status, statusText: reason, headers: given.map(([name, value]) => [name, value]) })
  }
}
