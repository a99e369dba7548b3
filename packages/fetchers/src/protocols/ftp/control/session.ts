import { authTls, type FtpCommands, type FtpPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { RefusedLogins } from '../../../wire/pool/refused-logins.ts'
import { saysFull } from '../../../wire/pool/says-full.ts'
import type { ReusableSession, SessionProtocol } from '../../../wire/pool/session-pool.ts'
import { type UnreadBody, UnreadWatch } from '../../../wire/pool/unread-watch.ts'
import { makeRingMemory, type RingMemory } from '../../../wire/transport/ring-reader.ts'
import { openSessionSocket, serverAddress } from '../../../wire/transport/socket.ts'
import { startTls } from '../../../wire/transport/start-tls.ts'
import { Control } from './control.ts'
import { full, isFull } from './refusal-words.ts'
import { type Reply, refusedByServer, violation, wordsOf } from './replies.ts'
import { type FtpQuirks, newFtpQuirks, type Preset } from './server-quirks.ts'

/**
 * How many milliseconds we rely on a prefetched port. Servers close an unused passive port: pyftpdlib after 30 s,
 * vsftpd after 60.
 */
const portLifetime = 15_000

/** Makes the functions by which the fetcher's pool opens and picks sessions. */
export function ftpSessions(preset: Preset): SessionProtocol<FtpSession, FtpPlan, FtpQuirks> {
  return {
    newQuirks: () => newFtpQuirks(preset),
    open: FtpSession.open,
    capacity: () => 1,
    pick(sessions, { cwd }) {
      // A session that is already in the directory is better than one that must change to it.
      const picked = sessions.find((session) => session.isIn(cwd)) ?? sessions.find((session) => session.reaches(cwd))
      const [other] = sessions
      if (picked === undefined && other !== undefined) other.quirks.severalDirectories = true
      return picked
    },
    isFull,
    unreadLimit: ({ idleTimeout }) => idleTimeout,
  }
}

type Greeted = Pick<FtpSession, 'welcome' | 'address' | 'isGreetedIn'>

/** A directory, and its name by PWD. */
export interface Anchor {
  readonly name: string
  readonly directory: readonly string[]
}

/** A control connection and what we know of the server's state: the login, the directory, the next port. */
export class FtpSession implements ReusableSession, UnreadBody {
  readonly control: Control
  readonly quirks: FtpQuirks
  readonly refused: RefusedLogins
  /** The words of the greeting. */
  readonly welcome: string
  /** The host of data connections: the peer of the control connection, or the host that its proxy was given. */
  readonly address: string
  isLoggedIn = false
  /** True if the server greeted with 230, so that it wants no login. */
  readonly isGreetedIn: boolean
  loginKey: string | null = null
  served = 0
  readonly unreadWatch: UnreadWatch = new UnreadWatch(this)
  /** The CWDs sent since the entry directory, one for each segment (RFC 1738 3.2.2). */
  directory: readonly string[] = []
  /** A directory to which the session can return. Null: PWD gave no name. Undefined: PWD was not sent. */
  anchor: Anchor | null | undefined
  type: FtpCommands['type'] | null = null
  /** True after OPTS UTF8 ON has been sent. */
  isInUtf8 = false
  /** True after the server has answered SIZE and MDTM, so that a broken transfer can be resumed. */
  hasAttributes = false
  /** True if the data connection could not be opened and the server still waits for it. */
  isWaitingForData = false
  /** The port of this transfer, if it was prefetched during the previous one. Null: it was not. */
  prefetchedPort: number | null = null
  /** The body that is being received. */
  body: UnreadBody | null = null
  #ringMemory: RingMemory | undefined
  #prefetch: { readonly reply: Promise<Reply>; readonly since: number } | null = null
  #unlink: () => void

  private constructor(
    control: Control,
    quirks: FtpQuirks,
    refused: RefusedLogins,
    { welcome, address, isGreetedIn }: Greeted,
    unlink: () => void,
  ) {
    this.control = control
    this.quirks = quirks
    this.refused = refused
    this.welcome = welcome
    this.address = address
    this.isGreetedIn = isGreetedIn
    this.#unlink = unlink
  }

  /**
   * Connects, waits for the greeting, and starts TLS if the plan says so. The login is sent with the first commands.
   */
  static async open(
    plan: FtpPlan,
    context: RetrievalContext,
    quirks: FtpQuirks,
    refused: RefusedLogins,
  ): Promise<FtpSession> {
    const socket = await openSessionSocket(context, plan)
    const control = new Control(context, socket)
    control.isTelnet = quirks.telnet
    const address = serverAddress(context, socket, plan.host)
    const unlink = context.deadline.onAbort(() => control.close())
    try {
      const greeting = await awaitGreeting(control, context)
      if (plan.tls === 'explicit') await upgrade(control, plan, context)
      const server = { welcome: wordsOf(greeting), address, isGreetedIn: greeting.code === 230 }
      return new FtpSession(control, quirks, refused, server, unlink)
    } catch (error) {
      unlink()
      control.end()
      context.deadline.throwIfAborted()
      throw error
    }
  }

  get isUsable(): boolean {
    return this.control.isUsable
  }

  get isLost(): boolean {
    return !this.control.isUsable
  }

  get unreadSince(): number | null {
    return this.body?.unreadSince ?? null
  }

  evict(): void {
    this.body?.evict()
  }

  /** The memory for the data of all transfers, which use it one after the other. */
  get ringMemory(): RingMemory {
    this.#ringMemory ??= makeRingMemory()
    return this.#ringMemory
  }

  /** Makes another retrieval use the session. If that retrieval is aborted, the session is closed. */
  attach(context: RetrievalContext): void {
    this.control.attach(context)
    this.#unlink = context.deadline.onAbort(() => this.control.close())
  }

  detach(): void {
    this.prefetchedPort = null
    this.body = null
    this.#unlink()
    this.control.detach()
  }

  /** Closes the session, with QUIT if the server still listens. */
  close(): void {
    this.#unlink()
    this.control.end()
  }

  /**
   * Whether the session can get from its directory to the one that the path of RFC 1738 means: one CWD for each
   * segment, from the entry directory.
   */
  reaches(cwd: readonly string[]): boolean {
    if (this.isIn(cwd)) return true
    const ways = [this.directory, ...(this.anchor ? [this.anchor.directory] : [])]
    // An empty segment may lead back to the entry directory, or nowhere.
    return ways.some((way) => isPrefix(way, cwd) && (way.length === 0 || !cwd.includes('')))
  }

  /** Whether the session is in this directory. */
  isIn(cwd: readonly string[]): boolean {
    return cwd.length === this.directory.length && this.isAbove(cwd)
  }

  /** Whether the session is in this directory or in one above it. */
  isAbove(cwd: readonly string[]): boolean {
    return isPrefix(this.directory, cwd)
  }

  /** Asks for the port of the next retrieval, after the transfer command of this one. */
  prefetchPort(): void {
    this.#prefetch = { reply: this.control.postBehind(this.quirks.passive), since: performance.now() }
  }

  /** The reply about the prefetched port, until a retrieval takes it. */
  get prefetchReply(): Promise<Reply> | null {
    return this.#prefetch?.reply ?? null
  }

  /** Notes that a transfer succeeded, so that prefetched ports work with this server. */
  noteTransferDone(): void {
    if (this.prefetchedPort !== null) this.quirks.prefetching ??= true
  }

  /** Takes the reply about the prefetched port if the port may still be open. The caller must handle its rejection. */
  takePrefetchReply(): Promise<Reply> | null {
    const ahead = this.#prefetch
    this.#prefetch = null
    return ahead !== null && performance.now() - ahead.since < portLifetime ? ahead.reply : null
  }

  /**
   * Notes that a transfer failed. Returns true if prefetching a port may be the cause; it is then not done again with
   * this server.
   */
  noteTransferFailed(): boolean {
    const isTrial = (this.#prefetch !== null || this.prefetchedPort !== null) && this.quirks.prefetching === undefined
    const isOurs = this.control.transferDropped || isTrial
    if (isOurs) this.quirks.prefetching = false
    return isOurs
  }
}

/**
 * Waits for the greeting: 220, or 230 from a server that wants no login. Nothing is sent before it, so a server of
 * another protocol gets nothing. Call this in the same turn in which the control connection is made.
 */
async function awaitGreeting(control: Control, context: RetrievalContext): Promise<Reply> {
  const reply = await control.greeting()
  if (reply.code === 220 || reply.code === 230) return reply
  if (reply.code >= 400) {
    throw refusedByServer(context, reply, 'the connection', saysFull(reply.text) ? full : undefined)
  }
  const message = `The server greets with "${wordsOf(reply)}", not with 220. Check host and port.`
  throw violation(context, message, wordsOf(reply))
}

/** Sends `AUTH TLS`, and begins TLS after 234 (RFC 4217 4). A server that refuses TLS gets no password in the clear. */
async function upgrade(control: Control, plan: FtpPlan, context: RetrievalContext): Promise<void> {
  const reply = await control.ask('tls', authTls)
  if (reply.code !== 234) {
    throw refusedByServer(context, reply, authTls, {
      code: 'tls-failed',
      advice: 'It does not offer TLS, or not here',
    })
  }
  // If `234 ok\r 230 in\r ` comes in one segment, the second reply would be read as if it had come over TLS.
  control.checkSilent()
  const { socket, agreed } = startTls(context, plan, control.socket)
  control.handshake = socket
  await context.deadline.within('tls', () => agreed)
  control.upgrade(socket)
}

function isPrefix(directory: readonly string[], cwd: readonly string[]): boolean {
  return directory.every((segment, index) => segment === cwd[index])
}
