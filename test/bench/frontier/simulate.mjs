import { Heap } from './heap.mjs'
import { dead, makeHosts, throttling } from './hosts.mjs'

/** Times are in seconds. The numbers of Redis' commands are those of packages/queue. */
const defaults = {
  urls: 1e9,
  hosts: 1e7,
  workers: 1_000,
  /** Turns that a worker has at a time. */
  turns: 50,
  /** Between two requests to a host. */
  pace: 1,
  /** A turn ends after so many URLs, or so long. */
  share: { urls: 200, seconds: 60 },
  /** Each of these is one script in Redis. */
  commands: { begin: 3, end: 2, record: 100, renew: 15 },
  shards: 8,
  /** A worker ends without a word so often; its hosts are free when their locks end and the check finds them. */
  death: { every: 600, lock: 30, check: 30 },
  /** A throttling host asks for this pause; a dead one is tried so often, with growing pauses, and then given up. */
  pause: 60,
  tries: 4,
  seed: 1,
}

/**
 * Lets workers take the turns of hosts, in virtual time, as packages/queue does: the next host is the one that waits
 * longest, and belongs to one worker until its turn is over.
 */
export function simulate(options = {}) {
  const given = { ...defaults, ...options }
  const random = mulberry(given.seed)
  const hosts = makeHosts(given, random)
  const { left, paces, kinds, sizes, at } = hosts
  const slots = given.workers * given.turns
  const isBusy = new Uint8Array(given.hosts)
  const tries = new Uint8Array(given.hosts)
  const shards = new Float64Array(given.shards)
  const hours = []
  const ready = new Ring(given.hosts)
  const delayed = new Heap()
  const running = new Heap()
  const turn = { host: new Int32Array(slots).fill(-1), began: new Float64Array(slots), count: new Uint32Array(slots) }
  const ends = new Float64Array(slots)
  const free = Array.from({ length: slots }, (_, slot) => slots - 1 - slot)
  const classes = Array.from({ length: 9 }, () => ({ hosts: 0, urls: 0, done: 0, last: 0, wait: 0 }))
  const seen = { done: 0, lost: 0, turns: 0, deaths: 0, again: 0, overlaps: 0, busy: 0 }
  const marks = []
  let now = 0
  let nextDeath = given.death.every

  for (let host = 0; host < given.hosts; host++) {
    ready.add(host)
    const size = classes[Math.floor(Math.log10(sizes[host]))]
    size.hosts++
    size.urls += sizes[host]
  }

  const count = (host, commands) => {
    shards[host % given.shards] += commands
    const hour = Math.floor(now / 3600)
    hours[hour] = (hours[hour] ?? 0) + commands
  }

  const begin = (slot, host) => {
    if (isBusy[host] === 1) seen.overlaps++
    isBusy[host] = 1
    // Until its first turn, a host waits for the list before it, which is no unfairness.
    if (at[host] >= 0) {
      const size = classes[Math.floor(Math.log10(sizes[host]))]
      size.wait = Math.max(size.wait, now - at[host])
    }
    const most = Math.min(given.share.urls, Math.max(1, Math.floor(given.share.seconds / paces[host])))
    turn.host[slot] = host
    turn.began[slot] = now
    turn.count[slot] = kinds[host] === dead ? 0 : Math.min(left[host], most)
    ends[slot] = now + (kinds[host] === dead ? 10 : turn.count[slot] * paces[host])
    running.add(ends[slot], slot)
    seen.turns++
  }

  /** Takes what a turn has retrieved off the host, and gives the host back. */
  const end = (slot, got, wait) => {
    const host = turn.host[slot]
    const { record, renew } = given.commands
    const parts = Math.ceil(got / record) + Math.floor((now - turn.began[slot]) / renew)
    count(host, given.commands.begin + parts + given.commands.end)
    turn.host[slot] = -1
    isBusy[host] = 0
    left[host] -= got
    seen.done += got
    seen.busy += now - turn.began[slot]
    at[host] = now
    if (left[host] === 0) finish(host)
    else if (wait > 0) delayed.add(now + wait, host)
    else ready.add(host)
    if (seen.done + seen.lost >= (hosts.total * (marks.length + 1)) / 100) marks.push(now)
  }

  const finish = (host) => {
    const size = classes[Math.floor(Math.log10(sizes[host]))]
    size.done++
    size.last = now
  }

  const waitOf = (host) => {
    if (kinds[host] === throttling && random() < 0.5) return given.pause
    if (kinds[host] !== dead) return 0
    if (++tries[host] < given.tries) return given.pause * 2 ** tries[host]
    // The breaker: all that is left fails at once, with the reason.
    seen.lost += left[host]
    left[host] = 0
    return 0
  }

  const die = () => {
    seen.deaths++
    const worker = Math.floor(random() * given.workers)
    const until = given.death.lock + random() * given.death.check
    for (let slot = worker * given.turns; slot < (worker + 1) * given.turns; slot++) {
      const host = turn.host[slot]
      if (host === -1) continue
      const got = kinds[host] === dead ? 0 : Math.floor((now - turn.began[slot]) / paces[host])
      // What was under way is asked for once more.
      seen.again++
      end(slot, Math.min(got, turn.count[slot]), until)
      // A new worker takes its place; the event of the old turn is passed over.
      ends[slot] = -1
      free.push(slot)
    }
  }

  for (;;) {
    while (free.length > 0 && ready.size > 0) begin(free.pop(), ready.take())
    const next = Math.min(running.earliest, delayed.earliest)
    if (next === Number.POSITIVE_INFINITY) break
    if (nextDeath < next) {
      now = nextDeath
      nextDeath += given.death.every
      die()
    } else if (delayed.earliest <= running.earliest) {
      now = next
      ready.add(delayed.take())
    } else {
      const slot = running.take()
      // The turn of a worker that has ended.
      if (turn.host[slot] === -1 || ends[slot] !== next) continue
      now = next
      end(slot, turn.count[slot], waitOf(turn.host[slot]))
      free.push(slot)
    }
  }
  return { ...seen, total: hosts.total, seconds: now, slots, marks, shards: [...shards], hours, classes }
}

/** First in, first out; each host stands in it once at most. */
class Ring {
  #hosts
  #first = 0
  size = 0

  constructor(most) {
    this.#hosts = new Uint32Array(most)
  }

  add(host) {
    this.#hosts[(this.#first + this.size++) % this.#hosts.length] = host
  }

  take() {
    const host = this.#hosts[this.#first]
    this.#first = (this.#first + 1) % this.#hosts.length
    this.size--
    return host
  }
}

/** Numbers from 0 to 1 that follow from a seed. */
function mulberry(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
