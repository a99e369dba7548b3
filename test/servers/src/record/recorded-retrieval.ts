import { type AccessPlan, type Mechanism, RetrievalError, redact } from '@retriever/core'
import {
  type EmittedEvent,
  type Entry,
  type Outcome,
  type RetrievalContext,
  type Retrieved,
  sourceOf,
  withoutSecrets,
} from '@retriever/fetchers/plugin'
import { asError, type BodyEnd, RecordedSource } from './recorded-source.ts'
import { requestShown } from './request-key.ts'
import type { Secrets } from './secrets.ts'

/** How many entries of a listing a line holds. */
const maxEntries = 10_000

interface RecordingEntries {
  readonly list: Entry[]
  cut?: true
  error?: unknown
}

interface Destination {
  readonly secrets: Secrets
  readonly maxBody: number
  write(line: object): void
  /** Called after the line is written. */
  over(): void
}

/** One call of a fetcher. It becomes one line of the transcript when its body is over. */
export class RecordedRetrieval {
  /** The context to give to the fetcher. */
  readonly context: RetrievalContext
  readonly #secrets: Secrets
  readonly #destination: Destination
  readonly #head: Record<string, unknown>
  #events: unknown[] = []
  readonly #answerEvents: unknown[] = this.#events
  /** The answer. Until one comes, it says that the recording ended before. */
  #answer: Readonly<Record<string, unknown>>
  #body: RecordedSource | undefined
  #bodyEnd: BodyEnd | undefined
  #entries: RecordingEntries | undefined
  /** How many loops over the entries are running. */
  #listing = 0
  #readEntries: Retrieved['entries']
  /** Set while the entries are read again: the caller does not get their remarks. */
  #readingAgain: Promise<void> | undefined
  #isOver = false

  constructor(
    number: number,
    mechanism: Mechanism,
    plan: AccessPlan,
    context: RetrievalContext,
    destination: Destination,
  ) {
    this.#destination = destination
    this.#secrets = destination.secrets
    this.#noteSecrets(plan, context)
    const url = redact(context.url)
    const error = context.error('aborted', 'The recording ended before the answer came.')
    this.#answer = { outcome: 'error', error }
    this.#head = { number, url, mechanism, request: requestShown(context.request), plan }
    const { acceptedLogins } = context
    this.context = {
      ...context,
      hasListener: true,
      emit: (event) => {
        if (this.#readingAgain !== undefined) return
        this.#note(withoutSecrets(event, url))
        context.emit(event)
      },
      credentials: async (challenge) => {
        const login = await context.credentials(challenge)
        this.#secrets.addLogin(login)
        return login
      },
      ...(acceptedLogins !== undefined && {
        acceptedLogins: {
          recall: (place) => {
            const login = acceptedLogins.recall(place)
            this.#secrets.addLogin(login)
            return login
          },
          keep: (place, login) => acceptedLogins.keep(place, login),
          forget: (place, refused) => acceptedLogins.forget(place, refused),
          claim: (place) => acceptedLogins.claim(place),
          claimed: (place) => acceptedLogins.claimed(place),
        },
      }),
    }
  }

  /** Notes the answer, and returns it in the form that the client should get. */
  answered<M extends Mechanism>(outcome: Outcome<M>): Outcome<M> {
    this.#events = []
    if (outcome.outcome !== 'retrieved') {
      this.#answer = { ...outcome }
      this.#end('whole')
      return outcome
    }
    const { body, entries, ...rest } = outcome
    this.#answer = rest
    for (const [name, value] of headerFields(outcome.metadata)) this.#secrets.addField(name, value)
    this.#readEntries = entries
    const source = new RecordedSource(sourceOf(body), this.#destination.maxBody, (end) => this.#end(end))
    this.#body = source
    this.context.deadline.onAbort(() => this.#end(this.context.deadline.reason ?? 'given up'))
    const retrieved = { ...outcome, body: source }
    return entries === undefined ? retrieved : { ...retrieved, entries: (octets) => this.#noting(entries(octets)) }
  }

  failed(error: unknown): void {
    this.#events = []
    this.#answer = { outcome: 'error', error: asError(error) }
    this.#end('whole')
  }

  /** Writes the line with what has arrived so far. */
  async finish(): Promise<void> {
    await this.#readingAgain
    this.#bodyEnd ??= 'given up'
    this.#write()
  }

  /** Passes the entries on and notes them. The line waits for the last entry. */
  async *#noting(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
    const noted: RecordingEntries = { list: [], cut: true }
    this.#entries = noted
    this.#listing++
    try {
      for await (const entry of entries) {
        if (noted.list.length < maxEntries) noted.list.push(entry)
        yield entry
      }
      const isCut = this.#readingAgain !== undefined && (this.#bodyEnd !== 'whole' || this.#body?.isOverLimit)
      if (!isCut && noted.list.length < maxEntries) delete noted.cut
    } catch (error) {
      noted.error = asError(error)
      throw error
    } finally {
      this.#listing--
      if (this.#bodyEnd !== undefined) this.#write()
    }
  }

  #end(end: BodyEnd): void {
    if (this.#bodyEnd !== undefined) return
    this.#bodyEnd = end
    if (this.#listing > 0) return
    if (this.#body === undefined || this.#readEntries === undefined || this.#entries !== undefined) this.#write()
    else this.#readingAgain = this.#readAgain(this.#readEntries(oneChunk(this.#body.octets)))
  }

  /** Notes the entries if the consumer has read only the octets. */
  async #readAgain(entries: AsyncIterable<Entry>): Promise<void> {
    try {
      for await (const _ of this.#noting(entries));
    } catch {
      // The line has recorded the error.
    }
  }

  #write(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#destination.over()
    const { location, ...answer } = this.#answer
    const { plan, ...head } = this.#head
    const secrets = this.#secrets
    this.#destination.write({
      ...head,
      plan: secrets.hide(plan),
      events: secrets.hide(this.#answerEvents),
      answer: {
        ...secrets.hideMembers(answer),
        // The client follows this URL, so only those parts are hidden that are secrets in any URL.
        ...(typeof location === 'string' && { location: redact(location) }),
        ...(this.#body !== undefined && { body: this.#bodyOf(this.#body) }),
        ...(this.#entries !== undefined && { entries: secrets.hide(this.#entries) }),
      },
    })
  }

  #bodyOf(body: RecordedSource): object {
    const octets = this.#secrets.hideIn(body.octets)
    const text = octets.toString('utf8')
    const isText = Buffer.from(text).equals(octets)
    const end = this.#bodyEnd
    const isAborted = RetrievalError.is(end) && end.code === 'aborted'
    const isCut = (isAborted || end === 'given up') && this.context.request.head !== true
    return {
      ...(isText ? { text } : { base64: octets.toString('base64') }),
      ...((isCut || body.isOverLimit) && { cut: true }),
      ...(RetrievalError.is(end) && !isAborted && { error: this.#secrets.hide(end) }),
      ...(this.#events.length > 0 && { events: this.#secrets.hide(this.#events) }),
    }
  }

  #note(event: EmittedEvent): void {
    this.#events.push(event)
  }

  #noteSecrets(plan: AccessPlan, { url, request, proxy, tls }: RetrievalContext): void {
    const secrets = this.#secrets
    if ('password' in plan && plan.password !== null) {
      secrets.add(plan.password)
      secrets.addBasic('user' in plan ? (plan.user ?? '') : '', plan.password)
    }
    secrets.addParameters(url)
    for (const [name, value] of Object.entries(request.headers ?? {})) if (value !== null) secrets.addField(name, value)
    secrets.add(tls.passphrase)
    if (proxy?.password != null) secrets.addLogin({ user: proxy.user ?? '', password: proxy.password })
  }
}

async function* oneChunk(octets: Uint8Array): AsyncGenerator<Uint8Array> {
  if (octets.length > 0) yield octets
}

/** Returns the fields of an HTTP answer; empty for other metadata. */
function headerFields(metadata: object): readonly (readonly [string, string])[] {
  if (!('fields' in metadata) || !Array.isArray(metadata.fields)) return []
  return metadata.fields.flatMap((field: unknown) => {
    if (!Array.isArray(field)) return []
    const [name, value]: unknown[] = field
    return typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : []
  })
}
