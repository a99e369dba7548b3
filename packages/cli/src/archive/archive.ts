import type { AccessPlans, Mechanism } from '@retriever/core'
import type { Client } from '@retriever/fetchers'
import { type Fetcher, type Outcome, type RetrievalContext, wrapFetchers } from '@retriever/fetchers/plugin'
import { FetchedResource } from './fetched-resource.ts'
import { archivedExchange } from './http-exchange.ts'
import { Payloads } from './payloads.ts'
import { type ArchiveOptions, WarcWriter } from './warc-writer.ts'

/** What the copies of one archive share. */
export interface Shared {
  readonly writer: WarcWriter
  readonly payloads: Payloads
  /** Aborts when the command is broken off: bodies that are not whole are then left out. */
  readonly signal: AbortSignal
}

/** The archive of --warc: all that the clients of a command bring goes into it. */
export class Archive {
  readonly #shared: Shared
  /** The addresses of servers, by host and port: a later retrieval may use a connection of an earlier one. */
  readonly #addresses = new Map<string, string>()

  /** Makes the first file. Throws `write-failed`. */
  constructor(options: ArchiveOptions, software: string, signal: AbortSignal) {
    this.#shared = { writer: new WarcWriter(options, software), payloads: new Payloads(), signal }
  }

  /** Keeps a copy of what the client brings from now on. */
  attach(client: Client): void {
    wrapFetchers(client, <M extends Mechanism>(fetcher: Fetcher<M>) => {
      const { mechanism } = fetcher
      // The octets of these URLs are in the URLs themselves.
      if (mechanism === 'data') return fetcher
      const retrieve = (plan: AccessPlans[M], context: RetrievalContext): Promise<Outcome<M>> =>
        mechanism === 'http' ? this.#http(fetcher, plan, context) : this.#other(client, fetcher, plan, context)
      return { ...fetcher, mechanism, retrieve }
    })
  }

  /** Resolves when all that came so far is written. Rejects with `write-failed`. */
  written(): Promise<void> {
    return this.#shared.writer.written()
  }

  /** Resolves when all is written. Rejects with `write-failed`. */
  close(): Promise<void> {
    return this.#shared.writer.close()
  }

  #http<M extends Mechanism>(
    fetcher: Fetcher<M>,
    plan: AccessPlans[M],
    context: RetrievalContext,
  ): Promise<Outcome<M>> {
    const { onExchange, url } = context
    return fetcher.retrieve(plan, {
      ...context,
      onExchange: (exchange, body) =>
        archivedExchange(this.#shared, url, exchange, onExchange?.(exchange, body) ?? body),
    })
  }

  async #other<M extends Mechanism>(
    client: Client,
    fetcher: Fetcher<M>,
    plan: AccessPlans[M],
    context: RetrievalContext,
  ): Promise<Outcome<M>> {
    const resource = new FetchedResource(this.#shared, this.#addresses, client, plan, context)
    try {
      return await resource.answered(await fetcher.retrieve(plan, resource.context))
    } catch (error) {
      await resource.failed(error)
      throw error
    }
  }
}
