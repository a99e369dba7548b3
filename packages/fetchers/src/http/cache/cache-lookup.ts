import { RetrievalError, utf8Octets } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { discard } from '../connection/discard.ts'
import type { Answer } from '../exchange.ts'
import { describe } from '../response.ts'
import { type CacheRequest, couldAnswer, varyOf } from './cache-request.ts'
import { ageOf, type Dated, isStorable, staleIfError, usableAs } from './freshness.ts'
import {
  type BodyReader,
  conditionOf,
  fieldsToKeep,
  type Store,
  type Stored,
  storedHead,
  updatedBy304,
} from './stored.ts'
import { StoredBody } from './stored-body.ts'
import { type Kept, StoringBody } from './storing-body.ts'

/** Sends a request as the wishes of the context have it. */
export type Send = (context: RetrievalContext) => Promise<Answer>

/** More answers to one URL, which differ by what Vary names, are hardly asked for again: the oldest goes. */
const maxVariants = 8

/** A stored answer, and its body, open, where one is asked for. */
interface Held {
  readonly stored: Stored
  readonly reader: BodyReader | null
}

/** One request that may be answered out of the cache. */
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
    const held = await this.#find()
    const use = held && usableAs(held.stored, directives, Date.now())
    if (held !== null && use !== null) return this.#serve(held, use === 'fresh' ? 'hit' : 'stale')
    try {
      if (directives['only-if-cached']) throw this.#absent()
      return held === null ? await this.#fetch() : await this.#validate(held)
    } catch (error) {
      await held?.reader?.close()
      throw error
    }
  }

  /** The newest that could answer, fresh or not. */
  async #find(): Promise<Held | null> {
    const { key, method } = this.#request
    const { deadline } = this.#context
    const all = await deadline.unlimited(() => this.#store.read(key))
    const [stored] = all
      .filter((one) => couldAnswer(one, this.#request))
      .sort((one, other) => other.responseTime - one.responseTime)
    if (stored === undefined) return null
    if (method === 'HEAD') return { stored, reader: null }
    const opening = this.#store.open(stored)
    try {
      const reader = await deadline.unlimited(() => opening)
      if (reader !== null) return { stored, reader }
    } catch (error) {
      this.#track(opening.then((late) => late?.close()).catch(() => {}))
      throw error
    }
    await this.#remove(stored)
    return null
  }

  async #fetch(): Promise<Answer> {
    const requestTime = Date.now()
    return this.#keep(await this.#send(this.#context), requestTime)
  }

  /** RFC 9111 4.3. */
  async #validate(held: Held): Promise<Answer> {
    const { stored } = held
    const condition = conditionOf(stored)
    const context = this.#context
    const requestTime = Date.now()
    let answer: Answer
    try {
      // The stored tag is of this very origin.
      answer = await this.#send({ ...context, isOtherOrigin: false, request: { ...context.request, ...condition } })
    } catch (error) {
      if (!isUnreachable(error) || context.deadline.reason !== null || !this.#standsIn(stored)) throw error
      return this.#serveInstead(held, error.message)
    }
    const { head, body } = answer
    if (head.status === 304 && condition !== null) {
      await discard(body, context)
      const fresh = updatedBy304(stored, head, requestTime, Date.now())
      if (fresh !== null) return this.#serveAgain({ ...held, stored: fresh })
      await held.reader?.close()
      return this.#fetch()
    }
    if (isFailure(head.status) && this.#standsIn(stored)) {
      await discard(body, context)
      return this.#serveInstead(held, head.reply)
    }
    await held.reader?.close()
    return this.#keep(answer, requestTime)
  }

  #standsIn(stored: Stored): boolean {
    return staleIfError(stored, this.#request.directives, Date.now())
  }

  /** The server has said that it is still the same. */
  async #serveAgain(held: Held): Promise<Answer> {
    const { stored } = held
    // The 304 may have made another answer of it: for another Vary, or one that is not to be kept.
    const vary = varyOf(stored.fields, this.#request)
    if (isStorable(stored)) await this.#attempt(() => this.#put({ ...stored, vary }))
    else await this.#remove(stored)
    return this.#serve(held, 'revalidated')
  }

  #serveInstead(held: Held, why: string): Answer {
    const { emit, url } = this.#context
    emit({
      type: 'remark',
      url,
      message: `It is out of the cache and may be out of date, since the server failed: ${why}`,
    })
    return this.#serve(held, 'stale')
  }

  #serve({ stored, reader }: Held, how: 'hit' | 'revalidated' | 'stale'): Answer {
    const { emit, url } = this.#context
    const age = Math.floor(ageOf(stored, Date.now()) / 1000)
    emit({ type: 'cached', url, how, age })
    const body = new StoredBody(reader, stored, this.#context, () => this.#remove(stored))
    return { head: storedHead(stored, age), body, proxy: null, isWhole: true, cache: { hit: true, age } }
  }

  /** Has the answer kept as its body is read, if it may be. */
  async #keep(answer: Answer, requestTime: number): Promise<Answer> {
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
      await this.#attempt(() => commit({ body: null, length: 0, check: 0 }))
      return passed
    }
    // Where the end of the connection alone is the end of the body, nobody knows whether it is whole.
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

  /** In place of those that could have answered the request. */
  async #put(stored: Stored): Promise<void> {
    const { key } = this.#request
    const others = (await this.#store.read(key)).filter(
      (other) => other.method !== stored.method || !couldAnswer(other, { ...this.#request, method: other.method }),
    )
    await this.#store.write(key, [stored, ...others].slice(0, maxVariants))
  }

  async #remove(stored: Stored): Promise<void> {
    const { key } = this.#request
    await this.#attempt(async () => {
      const all = await this.#store.read(key)
      await this.#store.write(
        key,
        all.filter(({ method, body }) => method !== stored.method || body !== stored.body),
      )
    })
  }

  /** What the cache cannot write is written another time. */
  async #attempt(operation: () => Promise<void>): Promise<void> {
    await this.#context.deadline.unlimited(() => operation().catch(() => {}))
  }

  #absent(): RetrievalError {
    const message = 'The cache has it not, or not fresh, and only-if-cached lets nobody be asked.'
    return this.#context.error('http-error', message, { status: 504, phase: 'request' })
  }
}

/** RFC 5861 4. */
function isFailure(status: number): boolean {
  return status === 500 || (status >= 502 && status <= 504)
}

/** The server was not there, or gave no answer. A certificate that proves nothing is none of this. */
function isUnreachable(error: unknown): error is RetrievalError {
  const codes: readonly string[] = ['host-not-found', 'connect-failed', 'receive-failed']
  return RetrievalError.is(error) && codes.includes(error.code)
}
