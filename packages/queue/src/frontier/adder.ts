import { randomBytes } from 'node:crypto'
import type { Shard } from '../redis/shard.ts'
import { addBlock } from '../scripts/frontier.ts'
import { packBlock, type QueuedUrl, unpackIndexes } from './block.ts'
import type { CheckedUrl } from './checked.ts'
import { shardOf, turnOf } from './host.ts'
import type { Sums } from './sums.ts'

/** How many URLs a block has at most: few hundred make deflate worth it, and are soon repeated after a crash. */
const blockSize = 250
/** How many URLs wait in memory for more of their hosts before the largest blocks are sent. */
const mostWaiting = 200_000
/** How many jobs one command of BullMQ adds. */
const turnsAtOnce = 500
/** Stands for no limit of the URLs of a host. */
const unlimited = 0

/** URLs of one turn that were not sent yet. */
interface Group {
  readonly turn: string
  readonly shard: number
  urls: QueuedUrl[]
  sums: Buffer[]
  /** The same sums as text: Redis looks for those of other blocks only. */
  readonly known: Set<string>
}

/** The parts of a queue that its adder uses. */
export interface Frontier {
  readonly shards: readonly Shard[]
  readonly sums: Sums
}

interface AdderOptions {
  readonly turnsOf?: ((host: string) => number) | undefined
  readonly most?: number | undefined
}

/** Groups URLs by host, and adds them to their lists in blocks. */
export class Adder {
  added = 0
  duplicates = 0
  readonly #frontier: Frontier
  readonly #turnsOf: (host: string) => number
  readonly #most: number
  readonly #groups = new Map<string, Group>()
  readonly #id = randomBytes(8).toString('hex')
  /** For each shard, what was sent last: one block at a time, so that a command that is sent twice is known. */
  readonly #sending: Promise<void>[]
  readonly #turns: Set<string>[]
  #waiting = 0
  #number = 0

  /** `turnsOf`: how many turns a host has. `most`: the most URLs that a turn may get in this way. */
  constructor(frontier: Frontier, { turnsOf = () => 1, most = unlimited }: AdderOptions = {}) {
    this.#frontier = frontier
    this.#turnsOf = turnsOf
    this.#most = most
    this.#sending = frontier.shards.map(() => Promise.resolve())
    this.#turns = frontier.shards.map(() => new Set())
  }

  /** Takes a URL. The promise, if there is one, is to be awaited before the next URL. */
  add({ url, login, host, sum }: CheckedUrl, found: Pick<QueuedUrl, 'depth' | 'from'> = {}): Promise<void> | null {
    const parts = this.#turnsOf(host)
    const turn = turnOf(host, parts > 1 ? sum.readUInt32BE(12) % parts : null)
    const group = this.#groupOf(turn, host)
    const key = sum.toString('latin1')
    if (group.known.has(key)) {
      this.duplicates++
      return null
    }
    group.known.add(key)
    group.urls.push({ url, ...(login !== null && { login }), ...found })
    group.sums.push(sum)
    this.#waiting++
    if (group.urls.length >= blockSize) return this.#send(group)
    return this.#waiting >= mostWaiting ? this.#sendLargest() : null
  }

  /** Sends what is left. */
  async end(): Promise<void> {
    for (const group of [...this.#groups.values()]) await this.#send(group)
    await Promise.all(this.#sending)
    for (const shard of this.#turns.keys()) await this.#addTurns(shard)
  }

  #groupOf(turn: string, host: string): Group {
    const found = this.#groups.get(turn)
    if (found !== undefined) return found
    const shard = shardOf(host, this.#frontier.shards.length)
    const made = { turn, shard, urls: [], sums: [], known: new Set<string>() }
    this.#groups.set(turn, made)
    return made
  }

  async #sendLargest(): Promise<void> {
    const groups = [...this.#groups.values()].sort((one, other) => other.urls.length - one.urls.length)
    for (const group of groups) {
      await this.#send(group)
      if (this.#waiting < mostWaiting / 2) return
    }
  }

  /** Resolves once the block before this one of the same shard is sent. */
  async #send(group: Group): Promise<void> {
    this.#groups.delete(group.turn)
    this.#waiting -= group.urls.length
    const before = this.#sending[group.shard]
    const sent = Promise.resolve(before).then(() => this.#sendBlock(group))
    // The next call that awaits this promise gets the error.
    sent.catch(() => {})
    this.#sending[group.shard] = sent
    await before
  }

  async #sendBlock({ turn, shard: at, urls, sums }: Group): Promise<void> {
    const shard = this.#frontier.shards[at]
    if (shard === undefined) return
    let rest = urls.map((url, index) => ({ url, sum: sums[index] ?? Buffer.alloc(0) }))
    while (rest.length > 0) {
      const block = packBlock({ tries: 0, urls: rest.map(({ url }) => url) })
      const all = Buffer.concat(rest.map(({ sum }) => sum))
      const number = ++this.#number
      const job = shard.keys.job(turn)
      const { kind, size } = this.#frontier.sums
      const answer = await shard.run(addBlock[kind], turn, job, size, this.#id, number, block, all, this.#most)
      const [state, more] = answer as [0, Buffer] | [1, number] | [2, number]
      if (state === 2) {
        rest = rest.slice(0, more)
        continue
      }
      if (state === 1) {
        this.added += rest.length
        if (more === 0) await this.#noteTurn(at, turn)
        return
      }
      const known = new Set(unpackIndexes(more))
      this.duplicates += known.size
      rest = rest.filter((_, index) => !known.has(index))
    }
  }

  async #noteTurn(shard: number, turn: string): Promise<void> {
    const turns = this.#turns[shard]
    turns?.add(turn)
    if (turns !== undefined && turns.size >= turnsAtOnce) await this.#addTurns(shard)
  }

  async #addTurns(at: number): Promise<void> {
    const turns = [...(this.#turns[at] ?? [])]
    this.#turns[at]?.clear()
    for (let from = 0; from < turns.length; from += turnsAtOnce) {
      await this.#frontier.shards[at]?.addTurns(turns.slice(from, from + turnsAtOnce))
    }
  }
}
