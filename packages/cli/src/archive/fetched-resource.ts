import { type AccessPlan, type Mechanism, printable, RetrievalError } from '@retriever/core'
import { maskResolution } from '@retriever/core/internal'
import type { Client } from '@retriever/fetchers'
import {
  type EmittedEvent,
  type Outcome,
  type RetrievalContext,
  type Retrieved,
  sourceOf,
  withoutSecrets,
} from '@retriever/fetchers/plugin'
import { Trace } from '../terminal/trace.ts'
import type { Shared } from './archive.ts'
import { newId, type Ready, recordOf } from './records.ts'
import { dialogueType, redirectLine } from './redirect-line.ts'
import { revisitOf } from './revisits.ts'
import { Spool } from './spool.ts'
import { targetUri } from './target-uri.ts'
import { type Cut, TeedSource } from './teed-source.ts'

/** How many octets of a dialogue are kept. */
const maxDialogue = 4 * 1024 * 1024
/** How many addresses are remembered. */
const maxAddresses = 10_000

/**
 * One retrieval by another protocol than HTTP, as Heritrix and wpull archive FTP: a resource record with the body, and
 * a metadata record with what was planned, sent and received.
 */
export class FetchedResource {
  /** The context to give to the fetcher. */
  readonly context: RetrievalContext
  readonly #shared: Shared
  readonly #addresses: Map<string, string>
  readonly #uri: string
  readonly #mechanism: Mechanism
  /** The host and port; undefined if the plan has none. */
  readonly #place: string | undefined
  readonly #isPart: boolean
  readonly #date: string = new Date().toISOString()
  readonly #lines: string[] = []
  #length = 0
  readonly #trace = new Trace()

  constructor(
    shared: Shared,
    addresses: Map<string, string>,
    client: Client,
    plan: AccessPlan,
    context: RetrievalContext,
  ) {
    const { url, request } = context
    this.#shared = shared
    this.#addresses = addresses
    this.#uri = targetUri(url)
    this.#mechanism = plan.mechanism
    this.#place = 'port' in plan ? `${plan.host}:${plan.port}` : undefined
    this.#isPart = request.head === true || request.range !== undefined
    this.#add(`* ${this.#uri}`)
    this.#add(`* plan: ${planOf(client, url)}`)
    this.context = {
      ...context,
      hasListener: true,
      emit: (event) => {
        this.#event(withoutSecrets(event, this.#uri))
        context.emit(event)
      },
    }
  }

  /** Gives the outcome that takes the place of the fetcher's. */
  async answered<M extends Mechanism>(outcome: Outcome<M>): Promise<Outcome<M>> {
    if (outcome.outcome === 'handoff') return outcome
    if (outcome.outcome === 'redirect') {
      this.#add(redirectLine(outcome.status, printable(targetUri(outcome.location))))
      await this.#shared.writer.write([this.#metadata()])
      return outcome
    }
    const { writer, signal } = this.#shared
    const isPart = this.#isPart || (outcome.offset ?? 0) > 0
    if (isPart) this.#add(`* a part is retrieved, from octet ${outcome.offset ?? 0}: it is not kept`)
    const spool = new Spool(writer.folder)
    const body = new TeedSource(sourceOf(outcome.body), {
      write: (octets) => isPart || spool.write(octets),
      startOver: () => spool.startOver(),
      end: async (cut) => {
        if (isPart) await writer.write([this.#metadata()])
        else if (cut !== null && signal.aborted) spool.close()
        else await writer.write(this.#records(outcome, spool, cut))
      },
      fail: (error) => {
        spool.close()
        writer.fail(error)
      },
    })
    return { ...outcome, body }
  }

  /** Keeps the dialogue of a retrieval without a result. */
  async failed(error: unknown): Promise<void> {
    if (this.#shared.signal.aborted) return
    this.#add(`* failed: ${RetrievalError.is(error) ? printable(error.message) : 'a defect'}`)
    await this.#shared.writer.write([this.#metadata()])
  }

  #event(event: EmittedEvent): void {
    if (event.type === 'connected' && event.proxy === null && this.#place !== undefined && !this.#isKnown) {
      if (this.#addresses.size >= maxAddresses) this.#addresses.clear()
      this.#addresses.set(this.#place, event.address)
      this.#isKnown = true
    }
    for (const line of this.#trace.lines({ ...event, id: 0, time: 0, attempt: 1 })) this.#add(line)
  }

  /** Whether the retrieval has opened a connection: the next ones, as for FTP's data, may go elsewhere. */
  #isKnown = false

  #add(line: string): void {
    if (this.#length > maxDialogue) return
    this.#length += line.length
    this.#lines.push(this.#length > maxDialogue ? '* what follows is left out' : line)
  }

  #records({ mediaType, charset }: Retrieved, spool: Spool, cut: Cut | null): readonly Ready[] {
    const { payloads, writer } = this.#shared
    const id = newId()
    const type = mediaType ?? 'application/octet-stream'
    const facts = {
      ...this.#common(),
      id,
      contentType: charset === null ? type : `${type}; charset=${charset}`,
      more: { 'WARC-Truncated': cut ?? undefined },
      indexed: { status: null, mediaType: type },
    }
    const revisit = cut === null ? revisitOf(facts, spool, payloads, writer.folder) : null
    return [revisit ?? recordOf('resource', facts, spool), this.#metadata(id)]
  }

  #metadata(concurrentTo?: string): Ready {
    const block = new Spool(this.#shared.writer.folder)
    block.write(Buffer.from(`${this.#lines.join('\r\n')}\r\n`))
    return recordOf(
      'metadata',
      {
        ...this.#common(),
        contentType: dialogueType(this.#mechanism),
        ...(concurrentTo !== undefined && { concurrentTo }),
      },
      block,
    )
  }

  #common(): { readonly uri: string; readonly date: string; readonly address: string | undefined } {
    const address = this.#place === undefined ? undefined : this.#addresses.get(this.#place)
    return { uri: this.#uri, date: this.#date, address }
  }
}

/** The plan in JSON, without secrets; `unknown` if the URL has a meaning only where it was named. */
function planOf(client: Client, url: string): string {
  try {
    return JSON.stringify(maskResolution(client.resolve(url)).plan)
  } catch {
    return 'unknown'
  }
}
