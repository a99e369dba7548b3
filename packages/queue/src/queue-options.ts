import { invalidOption } from '@retriever/fetchers/plugin'
import type { QueueConnection } from './redis/connection.ts'

/** Which queue is opened, and where. */
export interface QueueOptions {
  readonly connection: QueueConnection
  /** Letters, digits and `. _ -`, at most 64. Default `urls`. */
  readonly name?: string
  /**
   * In how many queues of BullMQ it lies, each of which is in one place of a cluster. Who opens a queue first decides;
   * then, another number is `invalid-option`. Default 8, at most 1024.
   */
  readonly shards?: number
  /** The beginning of all names in Redis. As `name`. Default `retriever`. */
  readonly prefix?: string
  /**
   * How many URLs the queue will have at most: duplicates take 20 to 25 octets each up to that, and then four times as
   * many. Who opens a queue first decides; then, another number is `invalid-option`. Default 10,000,000.
   */
  readonly expects?: number
  /**
   * Whether a Bloom filter finds duplicates: it takes two octets for each URL of `expects`, and loses URLs silently. It
   * takes about one of 11,000 new URLs for one that the queue has, and more of them beyond `expects`, or if few hosts
   * have most of the URLs. Who opens a queue first decides; then, the other value is `invalid-option`. Default false.
   */
  readonly bloom?: boolean
  /** Whether a queue that does not exist is made; if not, openQueue() rejects with `not-found`. Default true. */
  readonly create?: boolean
}

/** The options with their defaults. */
export type KnownQueueOptions = Required<Omit<QueueOptions, LastingOption>> & Pick<QueueOptions, LastingOption>

/** What a queue keeps from its first opening; undefined: as it has it. */
export type LastingOption = 'shards' | 'expects' | 'bloom'

/** Throws `invalid-option`. */
export function readQueueOptions(options: QueueOptions): KnownQueueOptions {
  const { connection, name = 'urls', shards, expects, bloom, prefix = 'retriever', create = true } = options
  if (connection === undefined || connection === null) {
    throw invalidOption('connection', 'a URL of Redis, options of ioredis, or a client of it', connection)
  }
  for (const [option, value] of Object.entries({ name, prefix })) {
    if (!/^[\w.-]{1,64}$/.test(value)) throw invalidOption(option, '1 to 64 letters, digits and . _ -', value)
  }
  if (shards !== undefined && (!Number.isInteger(shards) || shards < 1 || shards > 1024)) {
    throw invalidOption('shards', 'a whole number from 1 to 1024', shards)
  }
  if (expects !== undefined && (!Number.isInteger(expects) || expects < 1)) {
    throw invalidOption('expects', 'a whole number of 1 or more', expects)
  }
  if (bloom !== undefined && typeof bloom !== 'boolean') throw invalidOption('bloom', 'true or false', bloom)
  const lasting = {
    ...(shards !== undefined && { shards }),
    ...(expects !== undefined && { expects }),
    ...(bloom !== undefined && { bloom }),
  }
  return { connection, name, prefix, create, ...lasting }
}
