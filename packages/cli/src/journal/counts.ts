import { type ErrorCode, errorCodes } from '@retriever/core'
import { Keys } from '@retriever/fetchers/internal'
import type { CommandName } from '../commands/index.ts'
import { keyOfItem } from './item.ts'
import type { Line, UrlLine } from './line.ts'

/** How many URLs are in which state. */
export interface Numbers {
  done: number
  /** Those that failed for good. */
  failed: number
  /** Those that failed, and may be tried again. */
  waiting: number
  /** Those that were being asked for when the last line was written. */
  begun: number
  /** The octets of the files. */
  octets: number
}

const none = (): Numbers => ({ done: 0, failed: 0, waiting: 0, begun: 0, octets: 0 })
type State = Exclude<keyof Numbers, 'octets'>
const states: readonly State[] = ['done', 'failed', 'waiting', 'begun']
const codes = Object.keys(errorCodes) as ErrorCode[]

/** What a journal says in all: its URLs by their last events, by host, and by the reasons of failures. */
export class Counts {
  command: CommandName | null = null
  runs = 0
  /** The milliseconds of all runs. */
  time = 0
  /** How many URLs there are; null if the list was never read to its end. */
  urls: number | null = null
  /** How the last run ended: `whole` at the end of its URLs, `early`, or not, if it still runs or was killed. */
  end: 'whole' | 'early' | 'none' = 'none'
  readonly all: Numbers = none()
  readonly hosts: Map<string, Numbers> = new Map()
  readonly codes: Map<ErrorCode, number> = new Map()
  readonly #keys = new Keys({ hasValues: true })
  #since = 0
  /** The position of the line behind which URLs are being asked for. */
  #runFrom = 0

  /** Takes in a line that stands at this position. */
  add(line: Line, at: number): void {
    const time = Date.parse(line.at)
    if (line.event === 'opened' || line.event === 'ended') this.#noneIsBegun(at)
    if (line.event === 'opened') {
      this.command = line.command
      this.runs++
      this.end = 'none'
    } else {
      this.time += Math.max(time - this.#since, 0)
      if (line.event === 'listed') this.urls = line.urls
      else if (line.event === 'ended') this.end = line.isWhole ? 'whole' : 'early'
      else this.#addUrl(line, at)
    }
    this.#since = time
  }

  /** How many URLs are left; null if that is unknown. */
  get left(): number | null {
    return this.urls === null ? null : Math.max(this.urls - this.all.done - this.all.failed, 0)
  }

  /** Whether the line is the last one of its URL. */
  isLast(line: UrlLine, at: number): boolean {
    return Math.floor(this.#keys.get(keyOfItem(line)) / scale) === at
  }

  /** Counts the URLs that an earlier run had begun as left. */
  #noneIsBegun(at: number): void {
    this.#runFrom = at
    for (const numbers of [this.all, ...this.hosts.values()]) numbers.begun = 0
  }

  #addUrl(line: UrlLine, at: number): void {
    const key = keyOfItem(line)
    const before = this.#keys.get(key)
    const host = hostIn(line.url)
    const ofHost = this.hosts.get(host) ?? none()
    this.hosts.set(host, ofHost)
    const isLeft = states[(before % scale) % states.length] === 'begun' && before < this.#runFrom * scale
    if (before !== 0 && !isLeft) this.#count(ofHost, before % scale, -1)
    const state: State = line.event === 'failed' ? (line.again === null ? 'failed' : 'waiting') : line.event
    const code = line.event === 'failed' ? codes.indexOf(line.code) + 1 : 0
    const now = code * states.length + states.indexOf(state)
    this.#count(ofHost, now, 1)
    this.#keys.set(key, at * scale + now)
    if (line.event !== 'done') return
    for (const numbers of [this.all, ofHost]) numbers.octets += line.size ?? 0
  }

  #count(ofHost: Numbers, packed: number, by: number): void {
    const state = states[packed % states.length]
    const code = codes[Math.floor(packed / states.length) - 1]
    for (const numbers of [this.all, ofHost]) if (state !== undefined) numbers[state] += by
    if (code !== undefined) this.codes.set(code, (this.codes.get(code) ?? 0) + by)
  }
}

/** A position, and behind it the state and the code, in one number. */
const scale = 256

/** The host of a URL in its normal form; "" if it names none. */
function hostIn(url: string): string {
  return /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(url)?.[1] ?? ''
}
