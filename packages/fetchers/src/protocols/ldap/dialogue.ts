import { isUtf8 } from 'node:buffer'
import { type LdapPage, type LdapPlan, type LdapSearch, ldapRequests, utf8Octets } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { BerError } from '../../wire/framing/ber.ts'
import { ConnectionDialogue } from '../../wire/pool/connection-dialogue.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import { type Answer, type LdapResult, readAnswer } from './answers.ts'
import { type MessagePhase, MessageReader, noLdap } from './messages.ts'
import { noTls, resultWords } from './result-errors.ts'

/** The object identifier of the notice of disconnection (RFC 4511 4.4.1). */
const disconnectionName = '1.3.6.1.4.1.1466.20036'

/** The result of an operation. */
export type Result = Extract<Answer, { readonly kind: 'result' }>

/** The requests and answers of a connection to a directory: one operation at a time. */
export class LdapDialogue extends ConnectionDialogue<MessageReader> {
  /** The message ID of the last request. The answers to it have the same ID. */
  #id = 0
  /** The operation of the last request. */
  #asked: Result['of'] = 'search'
  /** The name that has logged in. Null: nobody. */
  login: string | null = null
  /** True if the server accepted the login that the connection proves (SASL EXTERNAL). */
  isExternal = false
  /** True if the server remembers the place of a page that was not asked for. */
  #isWithinPages = false
  /** True if a refused login has ended the previous one (RFC 4511 4.2.1). */
  #isRefused = false
  /** True if the connection has served another retrieval before. */
  #isReused = false

  constructor(connection: Connection, context: RetrievalContext) {
    super(connection, context, MessageReader)
  }

  /** Whether another search would get the same answers as on a new connection. */
  get isAsNew(): boolean {
    return !this.#isWithinPages && !this.#isRefused
  }

  override attach(context: RetrievalContext): void {
    super.attach(context)
    this.#isReused = true
  }

  /** Begins TLS. Throws `protocol-violation` if octets in the clear follow the answer. */
  async startTls(plan: LdapPlan): Promise<void> {
    await this.#send('extended', ldapRequests.startTls)
    const { result } = await this.#result('tls')
    if (result.code !== 0) throw noTls(this.context, result)
    await this.beginTls(plan)
  }

  /** Logs in by a simple bind (RFC 4513 5.1). Events show it without the password. */
  async bind(user: string, password: string): Promise<LdapResult> {
    const secret = utf8Octets(password)
    this.hide(secret)
    await this.#send(
      'bind',
      (id) => ldapRequests.bind(id, utf8Octets(user), secret),
      (id) => ldapRequests.bind(id, utf8Octets(user), '<password>'),
    )
    const { result } = await this.#result('login')
    this.isExternal = false
    this.#isRefused = result.code !== 0
    return result
  }

  /** Asks for the login that the connection proves. A server that refuses it serves an anonymous client. */
  async bindExternal(): Promise<void> {
    await this.#send('bind', ldapRequests.externalBind)
    const { result } = await this.#result('login')
    this.isExternal = result.code === 0
  }

  /** Sends the search. peek() and next() give its answers. `sizeLimit` limits the entries; 0: no limit. */
  async search(search: LdapSearch, sizeLimit: number, page: LdapPage | null): Promise<void> {
    await this.#send('search', (id) => ldapRequests.search(id, search, sizeLimit, page))
  }

  /** Sends an Unbind, as RFC 4511 4.3 wants. */
  async farewell(): Promise<void> {
    await this.connection.sendMessage(ldapRequests.unbind(++this.#id))
  }

  /** Returns the operation of the next answer, which stays unread. */
  async peek(): Promise<number> {
    return (await this.reader.peekOperation()) ?? this.#throwClosed('request')
  }

  /** Reads the next answer to the last request. A result is the end. */
  async next(phase: MessagePhase): Promise<Answer> {
    const { context } = this
    const message = (await this.reader.next(phase)) ?? this.#throwClosed(phase)
    const answer = this.#read(message)
    if (answer.kind === 'result') {
      const octets = this.hidden(Buffer.from(message).toString('latin1'))
      context.emit({ type: 'received', url: context.url, octets })
    }
    if (answer.id === 0) throw this.#unsolicited(answer, phase)
    if (answer.id !== this.#id) {
      const wrong = `The server answered message ${answer.id}, but ${this.#id} was sent; the connection was closed.`
      throw context.error('protocol-violation', wrong, { phase })
    }
    if (answer.kind !== 'result') return answer
    if (answer.of !== this.#asked) {
      const what = this.#asked === 'search' ? 'search' : `${this.#asked} request`
      throw context.error('protocol-violation', `The server did not answer the ${what}.`, { phase })
    }
    this.isAsking = false
    this.#isWithinPages = answer.cookie !== ''
    const words = Buffer.from(this.hidden(Buffer.from(answer.result.words).toString('latin1')), 'latin1')
    return { ...answer, result: { ...answer.result, words } }
  }

  /** Whether the next answer has already arrived. */
  get holdsAnswer(): boolean {
    return this.reader.holdsMessage
  }

  async #send(asked: Result['of'], request: (id: number) => string, shown = request): Promise<void> {
    this.#asked = asked
    this.isAsking = true
    this.#isWithinPages = false
    const id = ++this.#id
    await this.connection.sendMessage(request(id), shown(id))
  }

  /** Reads the answer to a request that has only one. */
  async #result(phase: 'tls' | 'login'): Promise<Result> {
    const answer = await this.next(phase)
    if (answer.kind === 'result') return answer
    throw this.context.error('protocol-violation', `The server did not answer the ${this.#asked} request.`, { phase })
  }

  #read(message: Uint8Array): Answer {
    try {
      return readAnswer(message)
    } catch (error) {
      throw error instanceof BerError ? noLdap(this.context, error) : error
    }
  }

  /**
   * Makes the error for a message that answers nothing. It may be the server's notice that it closes the connection.
   */
  #unsolicited(answer: Answer, phase: MessagePhase): Error {
    const { context } = this
    if (answer.kind !== 'result' || answer.name !== disconnectionName) {
      return context.error('protocol-violation', 'The server sent an unexpected message.', { phase })
    }
    this.connection.close()
    const reply = resultWords(answer.result)
    // Servers end idle connections, but another connection may be served.
    const code = phase === 'body' ? 'partial' : this.#isReused ? 'receive-failed' : 'server-refused'
    const message = `The server ends the connection; try later: ${reply}`
    return context.error(code, message, { phase, reply, transient: true })
  }

  #throwClosed(phase: MessagePhase): never {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    const message = 'The server closed the connection before it had answered; try again.'
    throw this.context.error(code, message, { phase, transient: true })
  }
}

/** Whether octets, one a character, are UTF-8, as names in LDAP are (RFC 4511 4.1.3). */
export function isText(octets: string): boolean {
  return isUtf8(Buffer.from(octets, 'latin1'))
}
