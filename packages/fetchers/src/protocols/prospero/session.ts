import { type ErrorCode, octetsToText, type Phase, printable } from '@retriever/core'
import { prosperoToken } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { type Datagrams, openDatagrams } from '../../wire/transport/datagrams.ts'
import { RoundTrip } from '../../wire/transport/retransmission.ts'
import { Exchange, type Identity } from './exchange.ts'
import { type Failure, type Reply, readReply, type Target } from './replies.ts'
import { TokenError } from './tokens.ts'
import type { Server } from './urls.ts'

/** What version 5 calls an object: name and version. */
type ObjectName = Pick<Target, 'hsoname' | 'version'>

/** A reply, and the server's own lines. */
export interface Answered extends Reply {
  readonly text: string
}

/** The requests of one retrieval to one server. */
export class Session {
  readonly context: RetrievalContext
  readonly #packets: Datagrams
  readonly #identity: Identity
  readonly #roundTrip = new RoundTrip()
  readonly server: Server

  private constructor(packets: Datagrams, server: Server, context: RetrievalContext, identity: Identity) {
    this.#packets = packets
    this.server = server
    this.context = context
    this.#identity = identity
  }

  static async open({ host, port }: Server, context: RetrievalContext, identity: Identity): Promise<Session> {
    return new Session(
      await openDatagrams(context, { host, port }, { answersFromThere: true }),
      { host, port },
      context,
      identity,
    )
  }

  /** The address of the server. */
  get address(): string {
    return this.#packets.address
  }

  close(): void {
    this.#packets.close()
  }

  /** Asks for attributes of an object. Their names are joined by `+`. */
  async attributes(names: string, object: ObjectName, phase: Phase): Promise<Answered> {
    return await this.ask(attributesCommand(names, object), object, phase)
  }

  /** Asks for the links of a directory: all, or those to these components. */
  async list(object: ObjectName, components: readonly string[] = []): Promise<Answered> {
    return await this.ask(listCommands(object, components), object)
  }

  /**
   * Sends commands about an object. If the server wants to be asked elsewhere, the reply has the place as `forwarded`.
   */
  async ask(commands: string, object: ObjectName, phase: Phase = 'request'): Promise<Answered> {
    const { context } = this
    const answer = await new Exchange(this.#packets, commands, context, this.#identity, this.#roundTrip).run(phase)
    if (answer.kind === 'redirect') {
      const host = `${answer.address}(${answer.port})`
      const forwarded = { hostType: 'INTERNET-D', host, hsoname: object.hsoname, version: object.version }
      return { ...empty, links: [], attributes: [], warnings: [], forwarded, text: '' }
    }
    const { text } = answer
    if (phase === 'request') context.emit({ type: 'received', url: context.url, octets: text })
    const reply = readAnswer(text, context)
    for (const warning of reply.warnings) {
      context.emit({ type: 'remark', url: context.url, message: `The server warns: ${shown([warning])}` })
    }
    return { ...reply, text }
  }
}

/** Reads an answer. Throws `protocol-violation`. */
export function readAnswer(text: string, context: RetrievalContext): Reply {
  try {
    return readReply(text)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw context.error('protocol-violation', `The server's answer is not valid Prospero: ${error.message}.`)
  }
}

const empty = { unresolved: [], failure: null } as const

/** Makes the command for attributes (Prospero protocol 5, 3.7). */
export function attributesCommand(names: string, object: ObjectName): string {
  return `GET-OBJECT-INFO ${prosperoToken(names)} ${nameOf(object)} ${object.version}\n`
}

/** Makes the commands for the links of a directory (Prospero protocol 5, 3.3 and 3.5). */
export function listCommands(object: ObjectName, components: readonly string[] = []): string {
  const version = object.version === '0' ? '' : ` ${object.version}`
  // A slash within a component needs quotes.
  const names = components.map((name) => (name.includes('/') ? `'${name.replaceAll("'", "''")}'` : prosperoToken(name)))
  const path = names.length === 0 ? '' : ` ${names.join('/')}`
  return `DIRECTORY ${nameOf(object)}${version}\nLIST ATTRIBUTES COMPONENTS${path}\n`
}

function nameOf({ hsoname }: ObjectName): string {
  return `ASCII ${prosperoToken(hsoname)}`
}

/** Returns the server's words, safe to show. */
export function shown(words: readonly string[]): string {
  return printable(octetsToText(words.join(' ').trim())).slice(0, 300)
}

/** Makes the error for a failure that the server reports (Prospero protocol 5, 4.4). */
export function failureError(context: RetrievalContext, { kind, words }: Failure): Error {
  const reply = `${kind} ${shown(words)}`.trim()
  if (kind === 'VERSION-NOT-SUPPORTED') {
    return context.error('server-refused', `The server does not speak version 5 of the protocol: ${reply}`, { reply })
  }
  const [code, what] = meanings.get(kind === 'FAILURE' ? (words[0] ?? '') : '') ?? [
    'server-refused',
    'The server refused',
  ]
  return context.error(code, `${what}: ${reply}`, { reply, transient: words[0] === 'SERVER-FAILED' })
}

const denied = ['access-denied', 'The server refuses access'] as const

const meanings = new Map<string, readonly [code: ErrorCode, what: string]>([
  ['NOT-FOUND', ['not-found', 'The server has no such object']],
  ['NOT-A-DIRECTORY', ['not-found', 'The server has no such object or directory']],
  ['NOT-AUTHORIZED', denied],
  ['AUTHENTICATION-REQUIRED', denied],
  ['AUTHENTICATION-DATA', denied],
])

/** Whether the failure says that no object, or no directory, has the name. */
export function isMissing({ failure }: Reply): boolean {
  return failure?.kind === 'FAILURE' && (failure.words[0] === 'NOT-FOUND' || failure.words[0] === 'NOT-A-DIRECTORY')
}
