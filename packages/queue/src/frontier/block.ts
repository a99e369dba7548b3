import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { RetrievalError } from '@retriever/core'

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

/** Throws `protocol-violation`: a block with another number of URLs than it says would never end, or too soon. */
export function unpackBlock(block: Buffer): Block {
  const [kind = 0, tries = 0] = block
  if ((kind & ~deflated) !== version) throw damaged(`has version ${kind & ~deflated}; a newer Retriever may know it`)
  if (block.length < 4) throw damaged('is too short')
  const urls = textOf(block).split('\n').map(readLine)
  const count = block.readUInt16BE(2)
  if (urls.length !== count) throw damaged(`has ${urls.length} URLs, and says that it has ${count}`)
  return { tries, urls }
}

function textOf(block: Buffer): string {
  const body = block.subarray(4)
  try {
    const isDeflated = ((block[0] ?? 0) & deflated) !== 0
    return (isDeflated ? inflateRawSync(body, { maxOutputLength: maxText }) : body).toString()
  } catch (cause) {
    throw damaged('cannot be inflated', cause)
  }
}

function damaged(how: string, cause?: unknown): RetrievalError {
  const message = `A block of URLs in Redis ${how}. Others may write to this Redis; queue.cancel() drops what is left.`
  return new RetrievalError('protocol-violation', message, { phase: 'request', cause })
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
