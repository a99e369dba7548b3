import type { RetrievalContext } from '../../contract/fetcher.ts'
import { secretForms } from '../../kit/text/secret-forms.ts'
import type { Connection } from '../transport/connection.ts'
import type { Dialogue } from './dialogue-session.ts'

/** Reads the answers that one connection brings to one retrieval. */
interface AnswerReader {
  /** True if octets have arrived that nobody has read. */
  readonly holds: boolean
}

/**
 * The connection of a dialogue and its reader. It carries one request at a time, for one retrieval after the other.
 * Events and messages do not show the secrets that it sends.
 */
export class ConnectionDialogue<Reader extends AnswerReader> implements Dialogue {
  readonly #readerOf: new (
    connection: Connection,
    context: RetrievalContext,
  ) => Reader
  #connection: Connection
  #context: RetrievalContext
  #reader: Reader
  #secrets: readonly string[] = []
  /** True until the whole answer has arrived. */
  protected isAsking = false

  constructor(
    connection: Connection,
    context: RetrievalContext,
    readerOf: new (connection: Connection, context: RetrievalContext) => Reader,
  ) {
    this.#readerOf = readerOf
    this.#connection = connection
    this.#context = context
    this.#reader = new readerOf(connection, context)
  }

  get connection(): Connection {
    return this.#connection
  }

  get context(): RetrievalContext {
    return this.#context
  }

  get reader(): Reader {
    return this.#reader
  }

  get isIdle(): boolean {
    return !this.isAsking && !this.#reader.holds && this.#connection.isQuiet
  }

  /** Only an idle dialogue is attached, so no reader holds octets that would be lost. */
  attach(context: RetrievalContext): void {
    this.#context = context
    this.#connection = this.#connection.handOver(context)
    this.#reader = new this.#readerOf(this.#connection, context)
  }

  /** Masks all forms of a password in events and messages, in case the server repeats one. */
  hide(...secrets: readonly string[]): void {
    this.#secrets = secretForms(...secrets)
  }

  protected hidden(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '<password>'), text)
  }

  /** Begins TLS after the server has agreed to it. */
  protected async beginTls(peer: { readonly host: string; readonly port: number }): Promise<void> {
    await this.#connection.startTls(peer, this.#reader)
    this.#reader = new this.#readerOf(this.#connection, this.#context)
  }
}
