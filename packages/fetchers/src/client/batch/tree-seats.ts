import type { Resolution } from '@retriever/core'
import { Representation } from '../../body/representation.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { handoffError } from '../handoff/handoff.ts'
import { checkRetrieve } from '../options/checks.ts'
import type { ClientParts } from '../parts.ts'
import type { Retrieval } from '../retrieval.ts'
import { Roster, type Rostered } from '../roster.ts'
import type { Settings } from '../settings.ts'
import { capsOfTree, placesOf } from './places-of.ts'
import { Seat, type Seats, siteOf } from './seat.ts'
import { Share } from './share.ts'

/** The retrievals of one call of walk() or mirror(): each takes a place of the client. */
export class TreeSeats {
  readonly #parts: ClientParts
  readonly #seats: Seats
  /** Those that wait for their first place, by the signal that ends them. */
  readonly #waiting = new Map<AbortSignal | undefined, Roster<TreeSeat>>()
  readonly #forget: () => void
  /** The settings by the options, which most retrievals of a tree have in common. */
  readonly #settings = new WeakMap<RetrieveOptions, Settings>()
  #isClosed = false
  #count = 0

  private constructor(parts: ClientParts, seats: Seats) {
    this.#parts = parts
    this.#seats = seats
    this.#forget = parts.onClose(() => {
      this.#isClosed = true
      for (const waiting of this.#waiting.values()) release(waiting)
    })
  }

  /** `concurrency`: how many may run at a time. */
  static async open(parts: ClientParts, concurrency: number): Promise<TreeSeats> {
    const share = new Share(capsOfTree(parts, concurrency), () => {})
    return new TreeSeats(parts, { places: await placesOf(parts), share, inFlight: parts.retriever.inFlight })
  }

  /** Does what Client.retrieve() does. */
  async retrieve(url: string | Resolution, options: RetrieveOptions = {}): Promise<Representation> {
    const { retriever } = this.#parts
    const { base, signal } = options
    const settings = this.#settingsOf(options)
    const resolution = retriever.resolve(url, base)
    const seat = new TreeSeat(this.#seats, resolution.url, this.#count++, 0, siteOf(resolution, this.#seats))
    const isOver = this.#isClosed || signal?.aborted === true
    const place = isOver ? null : seat.waitAmong(this.#waitingFor(signal))
    return seat.run(place, () => retriever.begin(resolution, options, seat, { settings }), resolution)
  }

  /** Checks the options, too. */
  #settingsOf(options: RetrieveOptions): Settings {
    const known = this.#settings.get(options)
    if (known !== undefined) return known
    const { retriever } = this.#parts
    checkRetrieve(options, retriever.options)
    const settings = retriever.settingsOf(options)
    this.#settings.set(options, settings)
    return settings
  }

  /** The tree is over. */
  end(): void {
    this.#forget()
    this.#seats.places.remove(this.#seats.share)
  }

  #waitingFor(signal: AbortSignal | undefined): Roster<TreeSeat> {
    const known = this.#waiting.get(signal)
    if (known !== undefined) return known
    const waiting = new Roster<TreeSeat>()
    this.#waiting.set(signal, waiting)
    signal?.addEventListener('abort', () => release(waiting), { once: true })
    return waiting
  }
}

/** One retrieval of a tree. */
class TreeSeat extends Seat implements Rostered {
  slot = -1

  waitAmong(waiting: Roster<TreeSeat>): Promise<void> {
    waiting.add(this)
    return this.wait().finally(() => waiting.delete(this))
  }

  /** Keeps the place until the body is finished. */
  async run(place: Promise<void> | null, begin: () => Retrieval, resolution: Resolution): Promise<Representation> {
    try {
      await place
      this.retrieval = begin()
      const opened = await this.retrieval.run(resolution)
      if (!(opened instanceof Representation)) throw handoffError(this.url, opened)
      void opened.finished.then(() => this.leave())
      return opened
    } catch (error) {
      this.leave()
      throw error
    }
  }
}

/** Lets them begin without a place: they fail at once, because the client is closed or the signal has aborted. */
function release(waiting: Roster<TreeSeat>): void {
  for (const seat of waiting.clear()) seat.release()
}
