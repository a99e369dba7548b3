import { createHash, randomBytes } from 'node:crypto'
import { type AccountOptions, type Accounts, accountChecks, isAccount, seedAccounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { type Checks, checkOptions } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { answerFor, type RtspAnswer } from './answers.ts'

export interface RtspServerOptions extends ServerOptions, AccountOptions {}

export const rtspChecks: Checks<RtspServerOptions> = { ...serverChecks, ...accountChecks }

/** An RTSP server (RFC 2326): OPTIONS and DESCRIBE, logins, redirects, and every status. It plays nothing. */
export async function startRtspServer(options: RtspServerOptions = {}): Promise<TestServer> {
  checkOptions('startRtspServer', options, rtspChecks)
  const { accounts = seedAccounts, auth = 'none' } = options
  const listener = new Listener(
    {
      name: 'rtsp',
      scheme: 'rtsp',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        const dialogue = new Dialogue(serverConnection(connection, server), accounts, auth === 'required')
        while (await dialogue.answer());
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

const realm = 'Test "RTSP"'

class Dialogue {
  readonly #connection: ServerConnection
  readonly #accounts: Accounts
  readonly #isClosed: boolean
  /** `/fresh` and `/stale` use a nonce of this connection. */
  readonly #nonce = randomBytes(8).toString('hex')
  #renewals = 0

  constructor(connection: ServerConnection, accounts: Accounts, isClosed: boolean) {
    this.#connection = connection
    this.#accounts = accounts
    this.#isClosed = isClosed
  }

  /** Answers one request. Resolves to false if the connection is over. */
  async answer(): Promise<boolean> {
    const connection = this.#connection
    const request = await connection.readLine()
    if (request === undefined) return false
    const fields = new Map<string, string>()
    for (let line = await connection.readLine(); line; line = await connection.readLine()) {
      const colon = line.indexOf(':')
      fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    const [method = '', target = ''] = request.split(' ')
    const path = /^rtsps?:\/\/[^/?#]+((?:[/?][^#]*)?)$/.exec(target)?.[1] ?? '*'
    if (await connection.sendFault(request, method, path, 'greeting')) return false
    if (connection.faults.stall === 'response') {
      await connection.stall()
      return false
    }
    const number = fields.get('cseq') ?? '0'
    return this.#send(number, this.#answerTo(method, target, path, fields.get('authorization') ?? ''))
  }

  #answerTo(method: string, target: string, path: string, authorization: string): RtspAnswer {
    if (method === 'OPTIONS') return { status: '200 OK', fields: ['Public: OPTIONS, DESCRIBE'] }
    if (method !== 'DESCRIBE') return { status: '405 Method Not Allowed', fields: ['Allow: OPTIONS, DESCRIBE'] }
    const wanted = /^\/(digest|basic|stale|fresh)$/.exec(path)?.[1] ?? (this.#isClosed ? 'both' : null)
    if (wanted === null) return answerFor(path, target)
    if (path === '/stale' && authorization !== '' && this.#renewals === 0) {
      this.#renewals = 1
      return this.#refusal('digest', ', stale=true')
    }
    return this.#admits(authorization, target) ? answerFor('/stream', target) : this.#refusal(wanted, '')
  }

  #refusal(wanted: string, more: string): RtspAnswer {
    const digest = `Digest realm=${JSON.stringify(realm)}, nonce="${this.#nonce}${this.#renewals}"${more}`
    const challenges = [
      ...(wanted === 'basic' ? [] : [digest]),
      ...(wanted === 'basic' || wanted === 'both' ? [`Basic realm=${JSON.stringify(realm)}`] : []),
    ]
    return {
      status: '401 Unauthorized',
      fields: challenges.map((challenge) => `WWW-Authenticate: ${challenge}`),
      body: 'A login is needed.\n',
    }
  }

  #admits(authorization: string, target: string): boolean {
    const [, token] = /^Basic (\S+)$/i.exec(authorization) ?? []
    if (token !== undefined) {
      const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(token, 'base64').toString('latin1')) ?? []
      return isAccount(this.#accounts, user, password)
    }
    const param = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(authorization)?.[1] ?? ''
    if (param('nonce') !== `${this.#nonce}${this.#renewals}`) return false
    const md5 = (text: string) => createHash('md5').update(text).digest('hex')
    const proofs = Object.entries(this.#accounts).map(([user, password]) =>
      md5(`${md5(`${user}:${realm}:${password}`)}:${param('nonce')}:${md5(`DESCRIBE:${target}`)}`),
    )
    return proofs.includes(param('response'))
  }

  async #send(number: string, { status, fields = [], body, raw }: RtspAnswer): Promise<boolean> {
    const connection = this.#connection
    if (raw !== undefined) {
      await connection.send(raw.replaceAll('{CSEQ}', number))
      return false
    }
    const length = body === undefined ? [] : [`Content-Length: ${Buffer.from(body).length}`]
    await connection.send(`${[`RTSP/1.0 ${status}`, `CSeq: ${number}`, ...fields, ...length].join('\r\n')}\r\n\r\n`)
    return body === undefined || connection.sendBody(Buffer.from(body))
  }
}
