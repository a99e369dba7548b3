import { type Client, createClient, type Representation } from '@retriever/fetchers'
import type { Random } from '../fuzz/random.ts'
import type { VirtualClock } from './clock.ts'
import { Network, type Pace, type Trouble } from './network.ts'
import { type Asked, secretIn, startServers, type World } from './world.ts'

/** An abort of one retrieval, or of all of them. */
export interface Abort {
  /** The number of the URL whose signal aborts; null: the client is closed. */
  readonly index: number | null
  /** When: in this turn of the clock and so many microtasks later, or within the listener of this event. */
  readonly at: 'turn' | 'event'
  readonly number: number
  readonly depth: number
}

/** The outcome of a URL. */
export interface Outcome {
  readonly asked: Asked
  /** The octets or names that came, whole or not; null: no answer. */
  readonly came: string | null
  readonly error: unknown
  readonly completeness: string | null
  /** True: its consumer wanted no more. */
  readonly isLeft: boolean
  readonly time: number
}

/** How long a run was. The places of further troubles and aborts are drawn from it. */
export interface Counts {
  readonly octets: number
  readonly connections: number
  readonly turns: number
  readonly events: number
}

/** The longest that a run may take, in virtual milliseconds. */
const longest = 600_000

/** One run: a client and its servers in virtual time. */
export class Run {
  readonly network: Network
  readonly world: World
  readonly trouble: Trouble
  readonly abort: Abort | null
  readonly outcomes: (Outcome | undefined)[]
  /** When the abort came, and which of its URLs had no outcome then. */
  aborted: { readonly time: number; readonly pending: readonly number[] } | null = null
  /** An event that shows a password; null: none does. */
  told: string | null = null
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #signals: readonly AbortController[]
  readonly #client: Client
  #turns = 0
  #events = 0

  constructor(clock: VirtualClock, random: Random, world: World, pace: Pace, trouble: Trouble, abort: Abort | null) {
    this.#clock = clock
    this.#random = random
    this.world = world
    this.trouble = trouble
    this.abort = abort
    this.network = new Network(clock, random, pace, trouble)
    startServers(world, this.network)
    this.outcomes = world.asked.map(() => undefined)
    this.#signals = world.asked.map(() => new AbortController())
    this.#client = createClient({
      ...world.options,
      connect: (target) => this.network.connect(target),
      lookup: () => ['203.0.114.7'],
      onEvent: (event) => {
        if ('octets' in event && secretIn(event.octets) !== null) this.told ??= event.octets
        if (abort?.at === 'event' && this.#events === abort.number) this.#strike()
        this.#events++
      },
    })
  }

  /** Runs to the end. Throws an Error if there is no end, or if something stays open behind it. */
  async finish(): Promise<Counts> {
    const clock = this.#clock
    if (this.world.protocol === 'batch') void this.#batch()
    else for (const [index, { start }] of this.world.asked.entries()) clock.after(start, () => void this.#one(index))
    await clock.settle()
    while (this.outcomes.includes(undefined)) {
      const isDue = this.abort?.at === 'turn' && this.abort.number === this.#turns
      this.#turns++
      if (isDue) await this.#strikeLater()
      else if (!clock.step()) throw new Error(`hangs: ${this.#pending} have no outcome, and nothing will happen`)
      await clock.settle()
      if (clock.now > longest) throw new Error(`takes too long: ${this.#pending} have no outcome`)
    }
    const { octets, connections } = this.network
    const counts = { octets, connections, turns: this.#turns, events: this.#events }
    // Half of the clients are closed. The others keep nothing for long.
    if (this.#random.chance(50)) await this.#client.close()
    do await clock.settle()
    while (clock.step())
    const { open } = this.network
    if (open > 0) throw new Error(`${open} connections stay open`)
    return counts
  }

  get #pending(): string {
    return this.world.asked.flatMap(({ url }, index) => (this.outcomes[index] === undefined ? [url] : [])).join(' and ')
  }

  async #strikeLater(): Promise<void> {
    for (let left = this.abort?.depth ?? 0; left > 0; left--) await null
    this.#strike()
  }

  #strike(): void {
    const index = this.abort?.index ?? null
    const all = [...this.outcomes.keys()]
    const pending = all.filter((each) => this.outcomes[each] === undefined && (index === null || index === each))
    this.aborted ??= { time: this.#clock.now, pending }
    if (index === null) void this.#client.close()
    else this.#signals[index]?.abort()
  }

  async #one(index: number): Promise<void> {
    const { url, options } = this.#item(index)
    const progress: Progress = { given: null, came: '', isLeft: false }
    try {
      progress.given = await this.#client.retrieve(url, options)
      await this.#read(index, progress, progress.given)
      this.#note(index, progress)
    } catch (error) {
      this.#note(index, progress, error)
    }
  }

  async #batch(): Promise<void> {
    const indexes = [...this.outcomes.keys()]
    const all = indexes.map((): Progress => ({ given: null, came: '', isLeft: false }))
    const items = indexes.map((index) => this.#item(index))
    try {
      const use = async (given: Representation, { index }: { readonly index: number }): Promise<void> => {
        const progress = all[index] as Progress
        progress.given = given
        await this.#read(index, progress, given)
      }
      for await (const { index, error } of this.#client.mapAll(items, use)) this.#note(index, all[index], error)
    } catch (error) {
      for (const index of indexes) if (this.outcomes[index] === undefined) this.#note(index, all[index], error)
    }
  }

  #item(index: number) {
    const signal = this.#signals[index]?.signal
    return { url: this.world.asked[index]?.url ?? '', options: { ...(signal && { signal }) } }
  }

  /** Reads a body in the way that its URL has. */
  async #read(index: number, progress: Progress, given: Representation): Promise<void> {
    const { names, use } = this.world.asked[index] as Asked
    if (names !== null) {
      for await (const { name } of given.entries()) progress.came += `${name} `
    } else if (use === 'whole') {
      progress.came = Buffer.from(await given.bytes()).toString('latin1')
    } else {
      for await (const chunk of given) {
        progress.came += Buffer.from(chunk).toString('latin1')
        progress.isLeft = use === 'left'
        if (progress.isLeft) return
        await new Promise<void>((resolve) => this.#clock.after(this.#random.pick([1, longestPause]), resolve))
      }
    }
  }

  #note(index: number, { given, came, isLeft }: Progress = nothing, error: unknown = null): void {
    const asked = this.world.asked[index] as Asked
    if (this.outcomes[index] !== undefined) throw new Error(`${asked.url} has two outcomes`)
    const { completeness = null } = given ?? {}
    this.outcomes[index] = { asked, came: given && came, error, completeness, isLeft, time: this.#clock.now }
  }
}

/** How long a slow consumer pauses at most. */
export const longestPause = 40

interface Progress {
  given: Representation | null
  came: string
  isLeft: boolean
}

const nothing: Progress = { given: null, came: '', isLeft: false }
