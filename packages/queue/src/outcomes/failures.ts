import { type ErrorCode, redact } from '@retriever/core'
import { packBlock, unpackBlock } from '../frontier/block.ts'
import type { Shard } from '../redis/shard.ts'
import { retryHost, retryUrls } from '../scripts/outcomes.ts'
import type { FailureRecord } from '../turns/recorder.ts'

/** A URL that failed for good. */
export interface QueueFailure {
  /** Without secrets. */
  readonly url: string
  readonly code: ErrorCode
  /** Without secrets. */
  readonly message: string
  readonly time: Date
  /** How often it was tried; for a URL of a host that was given up, how many turns the host had in vain. */
  readonly tries: number
}

/** How many records are read at once, and so the most URLs of a block that retryAll() makes. */
const page = 250

/** A record of the stream. */
interface Found {
  readonly id: string
  readonly turn: string
  readonly record: FailureRecord
}

export async function* failuresOf(shards: readonly Shard[]): AsyncGenerator<QueueFailure> {
  for (const shard of shards) {
    // A host may have been given up several times: its list has the URLs of all of them.
    const seen = new Set<string>()
    for await (const records of pagesOf(shard)) {
      for (const { record, turn } of records) {
        if (record.url !== null) yield failureFrom(record, record.url)
        else if (!seen.has(turn)) for await (const url of givenUp(shard, turn)) yield failureFrom(record, url)
        if (record.url === null) seen.add(turn)
      }
    }
  }
}

function failureFrom({ code, message, time, tries }: FailureRecord, url: string): QueueFailure {
  return { url: redact(url), code, message, time: new Date(time), tries }
}

/** Gives all failed URLs back to their hosts. Resolves to their number. */
export async function retryAll(shards: readonly Shard[]): Promise<number> {
  let count = 0
  for (const shard of shards) {
    for await (const records of pagesOf(shard)) {
      const byTurn = new Map<string, Found[]>()
      for (const found of records) byTurn.set(found.turn, [...(byTurn.get(found.turn) ?? []), found])
      for (const [turn, found] of byTurn) count += await retryTurn(shard, turn, found)
      await shard.addTurns([...byTurn.keys()])
    }
  }
  return count
}

async function retryTurn(shard: Shard, turn: string, found: readonly Found[]): Promise<number> {
  let count = 0
  for (const { id, record } of found) if (record.url === null) count += Number(await shard.run(retryHost, turn, id))
  const single = found.filter(({ record }) => record.url !== null)
  if (single.length === 0) return count
  const urls = single.map(({ record: { url, login, depth, from } }) => ({
    url: url ?? '',
    ...(login !== undefined && { login }),
    ...(depth !== undefined && { depth }),
    ...(from !== undefined && { from }),
  }))
  const block = packBlock({ tries: 0, urls })
  return count + Number(await shard.run(retryUrls, turn, block, ...single.map(({ id }) => id)))
}

/** The records of a shard's failures, page by page. */
export async function* pagesOf({ redis, keys }: Shard): AsyncGenerator<readonly Found[]> {
  let from = '-'
  for (;;) {
    const entries = await redis.xrange(`${keys.base}f`, from, '+', 'COUNT', page)
    const last = entries.at(-1)
    if (last === undefined) return
    yield entries.map(([id, fields]) => foundIn(id, fields))
    from = `(${last[0]}`
  }
}

function foundIn(id: string, [, failure = '', , turn = '']: readonly string[]): Found {
  return { id, turn, record: JSON.parse(failure) as FailureRecord }
}

/** The URLs of a host that was given up. */
async function* givenUp({ redis, keys }: Shard, turn: string): AsyncGenerator<string> {
  const list = `${keys.base}g:${turn}`
  for (let at = 0; ; at += 10) {
    const blocks = await redis.lrangeBuffer(list, at, at + 9)
    if (blocks.length === 0) return
    for (const block of blocks) for (const { url } of unpackBlock(block).urls) yield url
  }
}
