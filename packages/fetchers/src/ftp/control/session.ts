import type { Socket } from 'node:net'
import type { FtpCommands, FtpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { makeRingMemory, type RingMemory } from '../../wire/transport/ring-reader.ts'
import { openSocket, serverAddress } from '../../wire/transport/socket.ts'
import { greet, upgrade } from '../login.ts'
import { Control } from './control.ts'
import { type Reply, wordsOf } from './replies.ts'
import type { ServerQuirks } from './server-quirks.ts'

/** Servers close a passive port that nobody connects to: pyftpdlib after 30 s, vsftpd after 60. */
const portLifetime = 15_000

/** A body that comes through a session. */
export interface Lodger {
  /** Since when nobody has read it, by performance.now(); null: somebody reads. */
  readonly unreadSince: number | null
  /** Gives its session up for those who wait for one. */
  evict(): void
}

type Server = Pick<FtpSession, 'welcome' | 'address' | 'isGreetedIn'>

/** A control connection and what is known of the server's state: who is logged in, where we are, what comes next. */
export class FtpSession {
  readonly control: Control
  readonly quirks: ServerQuirks
  /** The greeting's words. */
  readonly welcome: string
  /** Where data connections go: the control connection's peer, or what its proxy was told. */
  readonly address: string
  isLoggedIn = false
  /** It was greeted by 230: no login is wanted. */
  readonly isGreetedIn: boolean
  /** The key (wire/pool/pool-key.ts) of who has really logged in, where the URL does not say it all: a password was asked for. */
  loginKey: string | null = null
  /** Retrievals that it has served. */
  uses = 0
  /** The CWDs since the entry directory, one a segment (RFC 1738 3.2.2). */
  directory: readonly string[] = []
  /** What PWD calls the entry directory; null: not known. */
  entry: string | null = null
  type: FtpCommands['type'] | null = null
  /** OPTS UTF8 ON has been said. */
  isInUtf8 = false
  /** SIZE and MDTM have been answered here: a transfer that breaks off could be taken up. */
  tellsAttributes = false
  /** The data connection did not come about, and the server is left waiting for it. */
  isStranded = false
  /** The port of the transfer under way, where it was asked for behind the transfer before; null: by itself. */
  aheadPort: number | null = null
  /** What comes through it at the moment. */
  body: Lodger | null = null
  #ringMemory: RingMemory | undefined
  #ahead: { readonly reply: Promise<Reply>; readonly since: number } | null = null
  #unlink: () => void

  private constructor(
    control: Control,
    quirks: ServerQuirks,
    { welcome, address, isGreetedIn }: Server,
    unlink: () => void,
  ) {
    this.control = control
    this.quirks = quirks
    this.welcome = welcome
    this.address = address
    this.isGreetedIn = isGreetedIn
    this.#unlink = unlink
  }

  /** Connects, waits for the greeting, and starts TLS where the plan has it. The login comes with the first flight. */
  static async open(plan: FtpPlan, context: RetrievalContext, quirks: ServerQuirks): Promise<FtpSession> {
    const socket = await connect(plan, context)
    const control = new Control(context, socket)
    control.isTelnet = quirks.telnet
    const address = serverAddress(context, socket, plan.host)
    const unlink = context.deadline.onAbort(() => control.close())
    try {
      const greeting = await greet(control, context)
      if (plan.tls === 'explicit') await upgrade(control, plan, context)
      const server = { welcome: wordsOf(greeting), address, isGreetedIn: greeting.code === 230 }
      return new FtpSession(control, quirks, server, unlink)
    } catch (error) {
      unlink()
      control.end()
      context.deadline.throwIfAborted()
      throw error
    }
  }

  /** For the data of one transfer after the other. */
  get ringMemory(): RingMemory {
    this.#ringMemory ??= makeRingMemory()
    return this.#ringMemory
  }

  /** Another retrieval's from now on: it ends with that one's signal. */
  attach(context: RetrievalContext): void {
    this.control.attach(context)
    this.#unlink = context.deadline.onAbort(() => this.control.close())
  }

  /** Nobody's. */
  detach(): void {
    this.aheadPort = null
    this.body = null
    this.#unlink()
    this.control.detach()
  }

  /** Closes, with a QUIT where the server still listens. */
  end(): void {
    this.#unlink()
    this.control.end()
  }

  /** Whether RFC 1738's path, one CWD a segment from the entry directory, can be taken from where we are. */
  reaches(cwd: readonly string[]): boolean {
    if (this.entry !== null || this.isIn(cwd)) return true
    // An empty segment may lead back to the entry directory, or nowhere.
    return this.isAbove(cwd) && (this.directory.length === 0 || !cwd.includes(''))
  }

  /** Whether it is there already. */
  isIn(cwd: readonly string[]): boolean {
    return cwd.length === this.directory.length && this.isAbove(cwd)
  }

  /** Whether more CWDs lead there, or it is there. */
  isAbove(cwd: readonly string[]): boolean {
    return this.directory.every((segment, index) => segment === cwd[index])
  }

  /** Asks for the next retrieval's port behind this one's command. */
  prefetchPort(): void {
    this.#ahead = { reply: this.control.postBehind(this.quirks.passive), since: performance.now() }
  }

  /** The reply to what was asked ahead, which is still to be claimed. */
  get prefetchedPort(): Promise<Reply> | null {
    return this.#ahead?.reply ?? null
  }

  /** A transfer has ended well: so ports that are asked for ahead are good ones here. */
  noteCarried(): void {
    if (this.aheadPort !== null) this.quirks.ahead ??= true
  }

  /** The port that was asked for ahead, if it may still be open; the caller answers for it. */
  takeAhead(): Promise<Reply> | null {
    const ahead = this.#ahead
    this.#ahead = null
    return ahead !== null && performance.now() - ahead.since < portLifetime ? ahead.reply : null
  }

  /** A transfer has not gone well: perhaps because of the command behind its own or of its port, where nobody knows yet: true then. */
  noteDropped(): boolean {
    const isTrial = (this.#ahead !== null || this.aheadPort !== null) && this.quirks.ahead === undefined
    const isOurs = this.control.transferDropped || isTrial
    if (isOurs) this.quirks.ahead = false
    return isOurs
  }
}

/** The socket is the session's own afterwards: it may outlive the retrieval. */
async function connect({ host, port, tls }: FtpPlan, context: RetrievalContext): Promise<Socket> {
  const opening = new AbortController()
  const unlink = context.deadline.onAbort(() => opening.abort())
  try {
    return await openSocket(context, { host, port, tls: tls === 'implicit' ? 'implicit' : 'none' }, opening.signal)
  } finally {
    unlink()
  }
}
