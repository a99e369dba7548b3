import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { type Portion, type Proof, withoutFirst } from '../../../wire/resuming-source.ts'
import { discard } from '../connection/discard.ts'
import { statusError } from '../errors.ts'
import type { SendRequest } from '../exchange.ts'
import type { ResponseHead } from '../response.ts'
import { AnnouncedOctets } from './announced-octets.ts'
import { contentRange } from './content-range.ts'
import { ifRange, isOf, type Validator } from './validator.ts'

/** The wanted octets of one representation: from `at` up to, but not including, `end`. */
export interface Extent {
  readonly at: number
  readonly end: number
}

/** A representation that can be requested by ranges, and what every answer must repeat to belong to it. */
export interface RangedRepresentation {
  readonly ask: SendRequest
  readonly validator: Validator
  /** How many octets the whole has. Null if the server has not said. */
  readonly total: number | null
  /** The Content-Encoding, since the octets are counted as sent. */
  readonly coding: string | null
}

/**
 * Proves by a validator that the rest belongs to the same representation (threats.md R1). Each request has its own
 * deadline, so that silence ends only that request.
 */
export class ValidatorProof implements Proof {
  readonly #context: RetrievalContext
  readonly #representation: RangedRepresentation
  readonly #end: number
  #wasWrong = false

  /** `end` is the end of the wanted octets. */
  constructor(context: RetrievalContext, representation: RangedRepresentation, end: number) {
    this.#context = context
    this.#representation = representation
    this.#end = end
  }

  async ask(offset: number): Promise<Portion> {
    const deadline = this.#context.deadline.attempt()
    try {
      return { octets: await this.#askRest(offset, deadline), deadline }
    } catch (error) {
      deadline.end()
      throw error
    }
  }

  async #askRest(offset: number, deadline: RetrievalContext['deadline']): Promise<AnnouncedOctets> {
    const { ask, validator } = this.#representation
    const range = [offset, this.#end - 1] as const
    const { head, body, proxy } = await ask({ range, ...ifRange(validator), deadline })
    const length = this.#end - offset
    if (this.#isRest(head, offset)) return new AnnouncedOctets(body, length, this.#context, true)
    if (this.#isWhole(head)) return new AnnouncedOctets(withoutFirst(offset, body), length, this.#context, true)
    await discard(body, this.#context)
    if (head.status >= 400 && head.status !== 416) throw statusError(head, '', proxy, this.#context)
    throw this.#wrong(head, offset)
  }

  #isRest(head: ResponseHead, offset: number): boolean {
    const { validator, total, coding } = this.#representation
    const part = head.status === 206 ? contentRange(head) : null
    if (part === null || part.first !== offset || part.last >= this.#end) return false
    const isSameSize = total === null || part.total === null || part.total === total
    return isSameSize && isOf(validator, head) && head.field('content-encoding') === coding
  }

  /** Whether a server without ranges sends exactly the same representation again, from its beginning. */
  #isWhole(head: ResponseHead): boolean {
    const { validator, total, coding } = this.#representation
    const length = head.field('content-length')
    const isSameSize = total !== null && length !== null && Number(length) === total
    return head.status === 200 && isSameSize && isOf(validator, head) && head.field('content-encoding') === coding
  }

  /**
   * Makes the error for a wrong answer. It is transient the first time: if several servers share a name, one may lack
   * what the others have.
   */
  #wrong({ status, reply }: ResponseHead, offset: number): Error {
    const transient = !this.#wasWrong
    this.#wasWrong = true
    const what = `The server has another representation by now, or cannot go on at octet ${offset}`
    const details = { phase: 'body', status, reply, transient } as const
    return this.#context.error('partial', `${what}; retrieve it anew. (${reply})`, details)
  }
}
