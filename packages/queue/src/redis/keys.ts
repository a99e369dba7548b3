/** The names in Redis of one shard. All are in one slot of a cluster, since they have the same text in braces. */
export class ShardKeys {
  /** The name of the shard's queue in BullMQ. */
  readonly queue: string
  /** BullMQ's prefix. */
  readonly prefix: string
  /** What the names of our own keys begin with; the scripts know the rest. */
  readonly base: string

  constructor(prefix: string, name: string, shard: number) {
    this.queue = `${name}-${shard}`
    this.prefix = `{${prefix}:${name}:${shard}}`
    this.base = `${this.prefix}:`
  }

  /** BullMQ's record of a job. */
  job(turn: string): string {
    return `${this.base}${this.queue}:${turn}`
  }

  /** BullMQ's lock of a job, whose value is the token of its owner. */
  lock(turn: string): string {
    return `${this.job(turn)}:lock`
  }
}

/** The names in Redis that a queue has once. */
export class QueueKeys {
  /** A hash of what holds for the whole queue. */
  readonly settings: string
  /** A sorted set of the workers by the time when they were seen last. */
  readonly workers: string

  constructor(prefix: string, name: string) {
    this.settings = `{${prefix}:${name}}:settings`
    this.workers = `{${prefix}:${name}}:workers`
  }
}
