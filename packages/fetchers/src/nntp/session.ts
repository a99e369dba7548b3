import { type NntpPlan, octetsToText, printable, type RetrievalError, utf8Octets } from '@retriever/core'
import type { Credentials, RetrievalContext } from '../fetcher.ts'
import { dotBody } from '../wire/dot.ts'
import { LineReader } from '../wire/lines.ts'
import { type Reply, readReply, refusal, replyWords } from '../wire/reply.ts'
import { type Connection, openConnection } from '../wire/socket.ts'

/** A plan that names its server. */
export type ServerPlan = NntpPlan & { readonly host: string }

/**
 * One connection to a news server. Commands are sent at once, without asking for CAPABILITIES: what the server wants before
 * (a login, MODE READER) it says in its refusal, and then the refused commands are sent again.
 */
export class NntpSession {
  readonly #connection: Connection
  readonly #lines: LineReader
  readonly #plan: ServerPlan
  readonly #context: RetrievalContext
  /** The GROUP command that holds now; servers may forget it at a login (RFC 4643 2.2) and after MODE READER. */
  #group: string | undefined
  #loggedIn = false
  #reader = false

  private constructor(connection: Connection, plan: ServerPlan, context: RetrievalContext) {
    this.#connection = connection
    this.#lines = new LineReader(connection, context)
    this.#plan = plan
    this.#context = context
  }

  /** Connects and waits for the greeting: a server of another protocol gets nothing from us (security.md section 2). */
  static async open(plan: ServerPlan, context: RetrievalContext): Promise<NntpSession> {
    const connection = await openConnection(context, plan)
    const session = new NntpSession(connection, plan, context)
    try {
      const greeting = await readReply(session.#lines, context, 'greeting')
      if (session.#lines.holds) {
        const message = 'The server answered before it was asked; the connection was closed.'
        throw context.error('protocol-violation', message, { phase: 'greeting' })
      }
      if (greeting.code === 200 || greeting.code === 201) return session
      throw refusal(context, 'server-refused', 'The news server serves nobody now; try later', greeting)
    } catch (error) {
      session.close()
      throw error
    }
  }

  /**
   * Sends commands in one go (RFC 3977 3.5 lets all but a few be pipelined) and returns the reply to the last one, or the first
   * that is no success. Logs in, or asks for reader mode, where the server wants that first.
   */
  async exchange(...commands: readonly string[]): Promise<Reply> {
    while (true) {
      const reply = await this.#send(commands)
      const unlock = this.#unlocking(reply)
      if (unlock === undefined || !(await unlock())) return reply
      const [first = ''] = commands
      // The group was selected by an earlier exchange: select it again.
      if (this.#group !== undefined && !first.startsWith('GROUP ')) await this.#send([this.#group])
    }
  }

  /** The multi-line block after the last reply. Whoever stops reading it, or has read it all, ends the session. */
  async *block(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* dotBody(this.#lines, this.#context)
      this.#quit()
    } finally {
      this.close()
    }
  }

  /** QUIT without waiting for the answer (a courtesy, RFC 3977 5.4), then the end. */
  end(): void {
    this.#quit()
    this.close()
  }

  close(): void {
    this.#connection.close()
  }

  #quit(): void {
    if (this.#context.deadline.reason !== null) return
    // Nothing depends on it, and the server may have left already.
    this.#connection.sendLine('QUIT').catch(() => {})
  }

  async #send(commands: readonly string[]): Promise<Reply> {
    for (const command of commands) await this.#connection.sendLine(command)
    for (let left = commands.length; ; left--) {
      const reply = await readReply(this.#lines, this.#context, 'request')
      const done = reply.code >= 200 && reply.code < 300
      if (reply.code === 211) this.#group = commands[commands.length - left]
      if (left === 1) return reply
      if (done) continue
      if (this.#unlocking(reply) !== undefined) await this.#skip(left - 1)
      return reply
    }
  }

  /** The replies to commands that could only fail, because one before them had. */
  async #skip(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      const reply = await readReply(this.#lines, this.#context, 'request')
      if (reply.code >= 400) continue
      const message = `The server answered "${replyWords(reply)}" to a command that needs the one it had refused before.`
      throw this.#context.error('protocol-violation', message, { reply: replyWords(reply) })
    }
  }

  /** What can be done, once each, so that the same command is taken. It returns false where that did not help. */
  #unlocking({ code, text }: Reply): (() => Promise<boolean>) | undefined {
    // RFC 4643 2.2; 450 is RFC 2980's.
    if ((code === 480 || code === 450) && !this.#loggedIn) return () => this.#logIn({ code, text })
    // INN's transit mode: `401 MODE-READER`. Older ones do not know the command yet, or say 502 (RFC 3977 3.2.1).
    const transit = code === 500 || code === 502 || (code === 401 && /^MODE-READER\b/i.test(text))
    if (transit && this.#group === undefined && !this.#reader) return () => this.#modeReader()
    return undefined
  }

  async #modeReader(): Promise<boolean> {
    this.#reader = true
    await this.#connection.sendLine('MODE READER')
    const reply = await readReply(this.#lines, this.#context, 'request')
    if (reply.code === 480) return this.#logIn(reply)
    // Servers without modes know no such command; then the first refusal stands.
    return reply.code === 200 || reply.code === 201
  }

  /** RFC 4643 2.3. The only commands that hold a secret. */
  async #logIn(challenge: Reply): Promise<true> {
    this.#loggedIn = true
    const { user, password } = await this.#credentials(challenge)
    await this.#connection.sendLine(`AUTHINFO USER ${user}`)
    let reply = await readReply(this.#lines, this.#context, 'login')
    if (reply.code === 381) {
      await this.#connection.sendLine(`AUTHINFO PASS ${password}`, 'AUTHINFO PASS <password>')
      reply = await readReply(this.#lines, this.#context, 'login', password)
    }
    if (reply.code !== 281) throw this.#loginRefused(reply, user)
    return true
  }

  #loginRefused(reply: Reply, user: string): RetrievalError {
    if (reply.code === 483) return tlsNeeded(this.#context, reply)
    // 481, 482 and 452 refuse the login (RFC 4643, RFC 2980), 502 the person; the others refuse the command.
    const denied = [481, 482, 452, 502].includes(reply.code)
    const what = denied
      ? `The server does not accept the login of ${printable(octetsToText(user))}`
      : 'The login failed'
    return refusal(this.#context, denied ? 'auth-failed' : 'server-refused', what, reply)
  }

  async #credentials(challenge: Reply): Promise<Credentials> {
    const { password, host, port } = this.#plan
    const user = this.#plan.user || null
    if (user !== null && password !== null) return { user, password }
    const name = user === null ? null : octetsToText(user)
    const realm = `${name === null ? '' : `${name}@`}${host}`
    const known = await this.#context.credentials({ realm, host, port, user: name })
    if (known !== null) return { user: utf8Octets(known.user), password: utf8Octets(known.password) }
    const message = 'The server wants a user and password; give them in the URL, or through the credentials option'
    throw refusal(this.#context, 'auth-required', message, challenge)
  }
}

/** 483: RFC 4642 5; a login, or the whole server, only over TLS. */
export function tlsNeeded(context: RetrievalContext, reply: Reply): RetrievalError {
  const message = 'The server wants TLS for this; use nntps:// or snews:// (port 563)'
  return refusal(context, 'server-refused', message, reply)
}
