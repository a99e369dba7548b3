import { type Key, Keys } from '@retriever/fetchers/internal'
import { keyOfItem } from './item.ts'
import type { Line, Opened, UrlLine } from './line.ts'

/** The events of a URL, as numbers. */
const states = ['', 'begun', 'done', 'failed'] as const
export type State = 'begun' | 'done' | 'failed'

/** How long the system may keep octets in memory before it writes them: Linux 35 s, others up to a minute or two. */
const unwrittenFor = 10 * 60_000
/** The steps in which the beginning of that time is kept, in milliseconds. */
const step = 10_000

/** What the journal says about each URL: what happened last, and where the line is. 30 to 45 octets for each. */
export class Memory {
  readonly #lines = new Keys({ hasValues: true })
  /** The positions and times of lines in the last minutes. */
  #recent: { readonly at: number; readonly time: number }[] = []
  #last: Opened | null = null
  #isEnded = false
  #isWhole = false
  /** The position of the first line of the run whose file may be incomplete; infinite if all are sure. */
  unsureFrom: number = Number.POSITIVE_INFINITY
  /** Whether the machine has run since the first of these lines, so that no octets of their files were lost. */
  isSameBoot = true

  get last(): Opened | null {
    return this.#last
  }

  /** Whether the last run came to the end of its URLs. */
  get isWhole(): boolean {
    return this.#isEnded && this.#isWhole
  }

  /** Takes in a line that stands at this position. */
  add(line: Line, at: number): void {
    this.#keepTime(Date.parse(line.at), at)
    if (line.event === 'opened') {
      this.#last = line
      this.#isEnded = false
    } else if (line.event === 'ended') {
      this.#isEnded = true
      this.#isWhole = line.isWhole
    } else if (line.event !== 'listed') this.set(keyOfItem(line), line.event, at)
  }

  set(key: Key, event: UrlLine['event'], at: number): void {
    this.#lines.set(key, at * states.length + states.indexOf(event))
  }

  /** The last event of a URL, and the position of its line; null if the journal does not have it. */
  get(key: Key): { readonly state: State; readonly at: number } | null {
    const value = this.#lines.get(key)
    const state = states[value % states.length]
    return state === undefined || state === '' ? null : { state, at: Math.floor(value / states.length) }
  }

  /**
   * Decides which files may be incomplete. A process that was stopped may have given no name to what it wrote last, and
   * of a machine that stopped, the files of the last minutes may lack octets.
   */
  conclude(boot: string | null): void {
    const isSame = boot !== null && this.#last?.boot === boot
    this.isSameBoot = isSame && this.#last?.unsure === undefined
    const own = this.isWhole && isSame ? Number.POSITIVE_INFINITY : (this.#recent[0]?.at ?? Number.POSITIVE_INFINITY)
    const before = this.isWhole ? Number.POSITIVE_INFINITY : (this.#last?.unsure ?? Number.POSITIVE_INFINITY)
    this.unsureFrom = Math.min(own, before)
    this.#recent = []
  }

  #keepTime(time: number, at: number): void {
    const newest = this.#recent.at(-1)
    if (newest === undefined || time - newest.time >= step) this.#recent.push({ at, time })
    // The first one kept is at least as old as the time, so that no line is missed.
    while ((this.#recent[1]?.time ?? Number.POSITIVE_INFINITY) < time - unwrittenFor) this.#recent.shift()
  }
}
