import { isUtf8 } from 'node:buffer'
import { type LdapPage, type LdapPlan, ldapRequests, utf8Octets } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { BerError } from '../wire/framing/ber.ts'
import type { Connection } from '../wire/transport/connection.ts'
import { openConnection } from '../wire/transport/socket.ts'
import { type Answer, type LdapResult, readAnswer } from './answers.ts'
import { type MessagePhase, MessageReader, noLdap } from './messages.ts'
import { noTls, resultWords } from './result-errors.ts'

/** The object identifier of the notice of disconnection (RFC 4511 4.4.1). */
const disconnectionName = '1.3.6.1.4.1.1466.20036'

/** A connection to a directory, and the operation under way on it: one at a time. */
export class LdapSession {
  readonly plan: LdapPlan
  readonly context: RetrievalContext
  readonly #connection: Connection
  #reader: MessageReader
  /** The message ID of the last request; the answers to it carry the same one. */
  #id = 0
  /** The name that has logged in; null: nobody. */
  login: string | null = null

  private constructor(plan: LdapPlan, context: RetrievalContext, connection: Connection) {
    this.plan = plan
    this.context = context
    this.#connection = connection
    this.#reader = new MessageReader(connection, context)
  }

  /** Connects, over the local socket if the plan names one, and begins TLS as the plan says. */
  static async open(plan: LdapPlan, context: RetrievalContext): Promise<LdapSession> {
    const connection = await openConnection(placeOf(plan, context), plan)
    const session = new LdapSession(plan, context, connection)
    try {
      if (plan.tls === 'explicit') await session.#startTls()
    } catch (error) {
      session.close()
      throw error
    }
    return session
  }

  async #startTls(): Promise<void> {
    await this.#connection.sendMessage(ldapRequests.startTls(++this.#id))
    const result = await this.#result('extended', 'tls')
    if (result.code !== 0) throw noTls(this.context, result)
    // Octets sent in the clear must not pass for octets sent through TLS.
    if (this.#reader.holds) {
      const message = 'Octets came before TLS had begun; the connection was closed.'
      throw this.context.error('protocol-violation', message)
    }
    await this.#connection.startTls(this.plan)
    this.#reader = new MessageReader(this.#connection, this.context)
  }

  /** Logs in by a simple bind (RFC 4513 5.1). Events show it without the password. */
  async bind(user: string, password: string): Promise<LdapResult> {
    const request = (secret: string): string => ldapRequests.bind(this.#id, utf8Octets(user), utf8Octets(secret))
    this.#id++
    await this.#connection.sendMessage(request(password), request('<password>'))
    return this.#result('bind', 'login')
  }

  /** Sends the search; its answers come by peek() and next(). `sizeLimit`: the most entries; 0: no limit. */
  async search(sizeLimit: number, page: LdapPage | null): Promise<void> {
    await this.#connection.sendMessage(ldapRequests.search(++this.#id, this.plan, sizeLimit, page))
  }

  /** The operation of the next answer, which stays unread. */
  async peek(): Promise<number> {
    return (await this.#reader.peekOperation()) ?? this.#throwClosed('request')
  }

  /** The next answer to the last request. */
  async next(phase: MessagePhase): Promise<Answer> {
    const { context } = this
    const message = (await this.#reader.next(phase)) ?? this.#throwClosed(phase)
    const answer = this.#read(message)
    if (answer.kind === 'result') {
      context.emit({ type: 'received', url: context.url, octets: Buffer.from(message).toString('latin1') })
    }
    if (answer.id === 0) throw this.#unsolicited(answer, phase)
    if (answer.id === this.#id) return answer
    const wrong = `The server answered the message ${answer.id}, where ${this.#id} was sent; the connection was closed.`
    throw context.error('protocol-violation', wrong, { phase })
  }

  /** Whether the next answer has come already. */
  get holdsAnswer(): boolean {
    return this.#reader.holdsMessage
  }

  /** Says goodbye, as RFC 4511 4.3 wants it, and ends the connection. */
  async end(): Promise<void> {
    await this.#connection.sendMessage(ldapRequests.unbind(++this.#id))
    this.#connection.end()
  }

  close(): void {
    this.#connection.close()
  }

  #read(message: Uint8Array): Answer {
    try {
      return readAnswer(message)
    } catch (error) {
      throw error instanceof BerError ? noLdap(this.context, error) : error
    }
  }

  async #result(of: 'bind' | 'extended', phase: 'tls' | 'login'): Promise<LdapResult> {
    const answer = await this.next(phase)
    if (answer.kind === 'result' && answer.of === of) return answer.result
    throw this.context.error('protocol-violation', `The server did not answer the ${of} request.`, { phase })
  }

  /** The error for a message that answers nothing: the server's notice that it will close the connection. */
  #unsolicited(answer: Answer, phase: MessagePhase): Error {
    const { context } = this
    if (answer.kind !== 'result' || answer.name !== disconnectionName) {
      return context.error('protocol-violation', 'The server sent a message that answers nothing.', { phase })
    }
    const reply = resultWords(answer.result)
    const code = phase === 'body' ? 'partial' : 'server-refused'
    const message = `The server ends the connection; try later: ${reply}`
    return context.error(code, message, { phase, reply, transient: true })
  }

  #throwClosed(phase: MessagePhase): never {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message = 'The server closed the connection before it had answered; try again.'
    throw this.context.error(code, message, { phase, transient: true })
  }
}

/** The context, with the way over the plan's local socket if it names one: no proxy leads there. */
function placeOf({ socket }: LdapPlan, context: RetrievalContext): RetrievalContext {
  if (socket === null) return context
  const network = { ...(context.network ?? { connectTo: [], key: '' }), socketPath: socket }
  return { ...context, proxy: null, network }
}

/** Whether octets, one a character, are UTF-8, as names in LDAP are (RFC 4511 4.1.3). */
export function isText(octets: string): boolean {
  return isUtf8(Buffer.from(octets, 'latin1'))
}
