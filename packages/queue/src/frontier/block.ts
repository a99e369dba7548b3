import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** A URL as a queue keeps it. */
export interface QueuedUrl {
  readonly url: string
  /** The name of a login that workers know. */
  readonly login?: string
  /** How many links led from an added URL to this one. Default 0. */
  readonly depth?: number
  /** The page of another server that named it. */
  readonly from?: string
}

/** URLs of one host that are kept and taken together. */
export interface Block {
  /** How often they were tried before. */
  readonly tries: number
  readonly urls: readonly QueuedUrl[]
}

const version = 1
const deflated = 0x80
/** The most octets that a block may have once it is inflated: it came from Redis, where others may write. */
const maxText = 64 * 1024 * 1024
const mostTries = 255

/**
 * Packs URLs: octet 1 is the version, and says whether the text is deflated; octet 2 the number of tries; octets 3 and
 * 4 the number of URLs. The text has a line a URL, with the other fields behind tabs, if there are any.
 */
export function packBlock({ tries, urls }: Block): Buffer {
  const text = Buffer.from(urls.map(lineOf).join('\n'))
  const small = deflateRawSync(text)
  const isSmaller = small.length < text.length
  const head = Buffer.of(isSmaller ? version | deflated : version, Math.min(tries, mostTries), 0, 0)
  head.writeUInt16BE(urls.length, 2)
  return Buffer.concat([head, isSmaller ? small : text])
}

export function unpackBlock(block: Buffer): Block {
  const [kind = 0, tries = 0] = block
  if ((kind & ~deflated) !== version) {
    throw new Error(`A block of URLs in Redis has version ${kind & ~deflated}: a newer Retriever has written it.`)
  }
  const body = block.subarray(4)
  const text = (kind & deflated) === 0 ? body : inflateRawSync(body, { maxOutputLength: maxText })
  return { tries, urls: text.toString().split('\n').map(readLine) }
}

function lineOf({ url, login = '', depth = 0, from = '' }: QueuedUrl): string {
  return [url, login, depth || '', from].join('\t').trimEnd()
}

function readLine(line: string): QueuedUrl {
  const [url = '', login = '', depth = '', from = ''] = line.split('\t')
  return {
    url,
    ...(login !== '' && { login }),
    ...(depth !== '' && { depth: Number(depth) }),
    ...(from !== '' && { from }),
  }
}

/** Indexes of URLs in a block as the scripts read them: two octets each. */
export function packIndexes(indexes: readonly number[]): Buffer {
  const packed = Buffer.alloc(indexes.length * 2)
  for (const [at, index] of indexes.entries()) packed.writeUInt16BE(index, at * 2)
  return packed
}

export function unpackIndexes(packed: Buffer): number[] {
  return Array.from({ length: packed.length / 2 }, (_, at) => packed.readUInt16BE(at * 2))
}

/** Whether a bit is set, as Redis counts bits: the first one is the highest of the first octet. */
export function hasBit(bits: Buffer, index: number): boolean {
  return ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
}
