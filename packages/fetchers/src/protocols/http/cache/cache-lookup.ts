import { RetrievalError } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { discard } from '../connection/discard.ts'
import type { Answer } from '../exchange.ts'
import { describe } from '../response.ts'
import { type CacheRequest, matches, varyOf } from './cache-request.ts'
import { ageOf, type Dated, isStorable, staleIfError, usableAs } from './freshness.ts'
import { conditional, fieldsToKeep, type Store, type Stored, storedHead, updatedBy304 } from './stored.ts'
import { StoredBody } from './stored-body.ts'
import { type Kept, StoringBody } from './storing-body.ts'

/** Sends the request with the options of this context. */
export type Send = (context: RetrievalContext) => Promise<Answer>

/**
 * How many responses of one URL are kept that differ by the fields in Vary. If there are more, the oldest one is
 * removed.
 */
const maxVariants = 8

/** A stored response. Its body is open unless the request is HEAD. */
interface Match {
  readonly stored: Stored
  readonly reader: ByteSource | null
}

/** One request that the cache may answer. */
export class CacheLookup {
  readonly #store: Store
  readonly #maxSize: number
  readonly #request: CacheRequest
  readonly #context: RetrievalContext
  readonly #send: Send
  readonly #track: (ending: Promise<void>) => void

  constructor(
    store: Store,
    maxSize: number,
    request: CacheRequest,
    context: RetrievalContext,
    send: Send,
    track: (ending: Promise<void>) => void,
  ) {
    this.#store = store
    this.#maxSize = maxSize
    this.#request = request
    this.#context = context
    this.#send = send
    this.#track = track
  }

  async answer(): Promise<Answer> {
    const { directives } = this.#request
    const match = await this.#find()
    const use = match && usableAs(match.stored, directives)
    if (match !== null && use !== null) return this.#serve(match, use === 'fresh' ? 'hit' : 'stale')
    try {
      if (directives['only-if-cached']) throw notCached(this.#context)
      return match === null ? await this.#fetch() : await this.#validate(match)
    } catch (error) {
      await match?.reader?.cancel()
      throw error
    }
  }

  /** Finds the newest stored response that matches the request, fresh or not. */
  async #find(): Promise<Match | null> {
    const { key, method } = this.#request
    const { deadline } = this.#context
    const all = await deadline.unlimited(() => this.#store.read(key))
    // The newest one is first.
    const stored = all.find((one) => matches(one, this.#request))
    if (stored === undefined) return null
    if (method === 'HEAD') return { stored, reader: null }
    const opened = this.#store.open(stored)
    try {
      const reader = await deadline.unlimited(() => opened)
      if (reader !== null) return { stored, reader }
    } catch (error) {
      this.#track(opened.then((late) => late?.cancel()).catch(() => {}))
      throw error
    }
    await this.#remove(stored)
    return null
  }

  async #fetch(): Promise<Answer> {
    const requestTime = Date.now()
    return this.#keepIfStorable(await this.#send(this.#context), requestTime)
  }

  /** Asks the server whether the stored response is still valid (RFC 9111 4.3). */
  async #validate(match: Match): Promise<Answer> {
    const { stored } = match
    const context = this.#context
    const condition = conditional(context.request, stored)
    const requestTime = Date.now()
    let answer: Answer
    try {
      // The condition's entity tag came from this origin, so it may be sent even if another origin redirected here.
      answer = await this.#send({ ...context, isOtherOrigin: false, request: condition ?? context.request })
    } catch (error) {
      if (!isUnreachable(error) || context.deadline.reason !== null || !this.#isUsableOnError(stored)) throw error
      return this.#serveStale(match, error.message)
    }
    const { head, body } = answer
    if (head.status === 304 && condition !== null) {
      await discard(body, context)
      const fresh = updatedBy304(stored, head, requestTime, Date.now())
      if (fresh !== null) return this.#serveRevalidated({ ...match, stored: fresh })
      await match.reader?.cancel()
      return this.#fetch()
    }
    if (isFailure(head.status) && this.#isUsableOnError(stored)) {
      await discard(body, context)
      return this.#serveStale(match, head.reply)
    }
    await match.reader?.cancel()
    return this.#keepIfStorable(answer, requestTime)
  }

  #isUsableOnError(stored: Stored): boolean {
    return staleIfError(stored, this.#request.directives)
  }

  async #serveRevalidated(match: Match): Promise<Answer> {
    const { stored } = match
    // The fields of the 304 may have another Vary, or forbid storing the response any longer.
    const vary = varyOf(stored.fields, this.#request)
    if (isStorable(stored)) await this.#try(() => this.#put({ ...stored, vary }))
    else await this.#remove(stored)
    return this.#serve(match, 'revalidated')
  }

  #serveStale(match: Match, why: string): Answer {
    const { emit, url } = this.#context
    emit({
      type: 'remark',
      url,
      message: `Served from the cache and possibly out of date, because the server failed: ${why}`,
    })
    return this.#serve(match, 'stale')
  }

  #serve({ stored, reader }: Match, how: 'hit' | 'revalidated' | 'stale'): Answer {
    const { emit, url } = this.#context
    const age = ageOf(stored)
    emit({ type: 'cached', url, how, age })
    const body = new StoredBody(reader, stored, this.#context)
    return { head: storedHead(stored, age), body, proxy: null, isWhole: true, cache: { hit: true, age } }
  }

  /** Stores the response while its body is read, if it may be stored. */
  async #keepIfStorable(answer: Answer, requestTime: number): Promise<Answer> {
    const { method } = this.#request
    const { head, body } = answer
    const passed = { ...answer, cache: { hit: false, age: null } }
    const { size, completeness } = describe(head, answer.provesEnd)
    const dated: Dated = {
      status: head.status,
      fields: fieldsToKeep(head.fields),
      requestTime,
      responseTime: Date.now(),
    }
    if (!isStorable(dated)) return passed
    const commit = async ({ body, length, check }: Kept): Promise<void> => {
      const fields = method === 'GET' ? { ...dated.fields, 'content-length': String(length) } : dated.fields
      const reason = utf8Octets(head.reply.replace(/^\d+ ?/, ''))
      const vary = varyOf(fields, this.#request)
      await this.#put({ ...dated, fields, reason, vary, method, body, length, check })
      const { emit, url, deadline } = this.#context
      if (deadline.reason === null) emit({ type: 'cached', url, how: 'stored', age: null })
    }
    if (method === 'HEAD') {
      await this.#try(() => commit({ body: null, length: 0, check: 0 }))
      return passed
    }
    // If only the end of the connection ends the body, the body may have been cut.
    if (completeness === 'eof-only' || (size ?? 0) > this.#maxSize) return passed
    const keeping = {
      maxSize: this.#maxSize,
      size,
      create: () => this.#store.create(this.#request.key),
      commit,
      track: this.#track,
    }
    return { ...passed, body: new StoringBody(body, this.#context, keeping) }
  }

  /** Stores it in place of the responses that match the same request. */
  async #put(stored: Stored): Promise<void> {
    const { key } = this.#request
    const others = (await this.#store.read(key)).filter(
      (other) => other.method !== stored.method || !matches(other, { ...this.#request, method: other.method }),
    )
    await this.#store.write(key, [stored, ...others].slice(0, maxVariants))
  }

  async #remove(stored: Stored): Promise<void> {
    const { key } = this.#request
    await this.#try(async () => {
      const all = await this.#store.read(key)
      // Each body has a name of its own; only responses to HEAD have none.
      const others = all.filter(({ body }) => body !== stored.body)
      await this.#store.write(key, others)
    })
  }

  /** Runs an operation of the cache. If it cannot write, the retrieval must not fail. */
  async #try(operation: () => Promise<void>): Promise<void> {
    await this.#context.deadline.unlimited(() => operation().catch(() => {}))
  }
}

/** The error for a request with only-if-cached that no stored response answers (RFC 9111 5.2.1.7). */
export function notCached(context: RetrievalContext): RetrievalError {
  const message = 'The cache has no fresh response, and Cache-Control: only-if-cached forbids asking the server.'
  return context.error('http-error', message, { status: 504, phase: 'request' })
}

/** Whether stale-if-error applies to this status (RFC 5861 4). */
function isFailure(status: number): boolean {
  return status === 500 || (status >= 502 && status <= 504)
}

/** Whether the server could not be reached or gave no response. A bad certificate is not such an error. */
function isUnreachable(error: unknown): error is RetrievalError {
  const codes: readonly string[] = ['host-not-found', 'connect-failed', 'receive-failed']
  return RetrievalError.is(error) && codes.includes(error.code)
}
