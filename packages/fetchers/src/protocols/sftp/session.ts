import type { Socket } from 'node:net'
import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ReusableSession } from '../../wire/pool/session-pool.ts'
import { type UnreadBody, UnreadWatch } from '../../wire/pool/unread-watch.ts'
import type { Answer, SftpChannel } from './channel.ts'
import type { Link } from './link.ts'
import { type Field, packet } from './packets.ts'
import { Lost, violation } from './ssh-errors.ts'

/**
 * One SSH connection with its SFTP channel. Many retrievals use it at a time. A body that nobody reads holds up none of
 * them, because its consumer asks for each part; it only occupies a place.
 */
export class SftpSession implements ReusableSession, UnreadBody {
  served = 0
  readonly unreadWatch: UnreadWatch = new UnreadWatch(this)
  readonly isShared = true
  /** The bodies of the files that are open. */
  readonly bodies: Set<UnreadBody> = new Set()
  readonly #socket: Socket
  readonly #channel: SftpChannel
  readonly #link: Link
  /** True after an answer did not come in time. No further retrieval should begin here. */
  isDoubtful = false
  /** How many requests have answers that a retrieval still needs, or has given up. */
  #pending = 0

  constructor(socket: Socket, channel: SftpChannel, link: Link) {
    this.#socket = socket
    this.#channel = channel
    this.#link = link
    link.onFailure((loss) => channel.fail(new Lost(loss)))
  }

  /** False while we wait for an answer that perhaps nobody wants any more: the server may have gone silent. */
  get isUsable(): boolean {
    return !this.isLost && this.#pending === 0
  }

  get isLost(): boolean {
    return this.#link.failure !== null || this.#socket.destroyed
  }

  attach(): void {
    this.#socket.ref()
  }

  detach(): void {
    this.#socket.unref()
  }

  close(): void {
    this.#socket.destroy()
  }

  get unreadSince(): number | null {
    return this.#longestUnread?.unreadSince ?? null
  }

  evict(): void {
    const body = this.#longestUnread
    if (body === undefined) return
    this.bodies.delete(body)
    body.evict()
  }

  get #longestUnread(): UnreadBody | undefined {
    const unread = [...this.bodies].filter(({ unreadSince }) => unreadSince !== null)
    return unread.sort((one, other) => Number(one.unreadSince) - Number(other.unreadSince))[0]
  }

  /**
   * Sends a request of one retrieval and returns its answer, which must have this type. `shown` is the request as
   * traces show it. Rejects with the server's SftpStatus, or with the loss.
   */
  async ask(
    context: RetrievalContext,
    phase: Phase,
    shown: string,
    [type, ...fields]: readonly [type: number, ...fields: readonly Field[]],
    wanted: number,
  ): Promise<Answer['fields']> {
    const { deadline, emit, url, stopwatch } = context
    if (shown !== '') {
      emit({ type: 'sent', url, octets: `${shown}\r\n` })
      stopwatch?.requested()
    }
    const answer = await deadline
      .within(phase, () => this.#answer(type, fields))
      .catch((error: unknown) => {
        if (deadline.reason?.code === 'timeout') this.isDoubtful = true
        throw error instanceof Lost ? error.errorFor(context) : error
      })
    if (answer.type === wanted) return answer.fields
    this.close()
    throw violation(context, `packet ${answer.type} came in place of ${wanted}`)
  }

  /** Closes a file or directory. The answer does not matter. */
  release(handle: Buffer): void {
    if (!this.isLost) this.#channel.ask(packet.close, handle).catch(() => {})
  }

  async #answer(type: number, fields: readonly Field[]): Promise<Answer> {
    const { failure } = this.#link
    if (failure !== null) throw new Lost(failure)
    this.#pending++
    try {
      return await this.#channel.ask(type, ...fields)
    } finally {
      this.#pending--
    }
  }
}
