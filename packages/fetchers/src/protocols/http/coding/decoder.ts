import zlib from 'node:zlib'
import type { ErrorCode } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { chunksOf, sourceOf } from '../../../kit/byte-source.ts'
import { Inflater, type ZlibStream } from './inflater.ts'

/** A content coding (RFC 9110 8.4.1) that we can undo. */
export interface Coding {
  readonly name: string
  /** Makes a decoder for a body that begins with this octet. */
  open(first: number): ZlibStream
  /** What may follow the end of the coding. */
  readonly after: 'nothing' | 'zeros' | 'another'
  /**
   * Whether the last octet is not part of the coding, although zlib waits for more. `last` holds the last five octets;
   * `decoded` says how many octets have been decoded.
   */
  hasTail?(last: Buffer, decoded: number): boolean
}

// Larger than zlib's own 16 KiB, so that it switches to its thread and back less often.
const chunkSize = 64 * 1024

const gzip: Coding = {
  name: 'gzip',
  open: () => zlib.createGunzip({ chunkSize }),
  // Node's decoder itself reads further members (RFC 1952 2.2). Files that came from a tape or a block device are
  // padded with zeros.
  after: 'zeros',
  // zlib takes any octet as the first of a member until it sees the second. Often a line end follows a member (PHP's):
  // we know it by the length before it (RFC 1952 2.3.1). After a second member, it counts as a member that was cut.
  hasTail: (last, decoded) => decoded > 0 && last[4] !== 0x1f && last.readUInt32LE(0) === decoded % 2 ** 32,
}

const deflate: Coding = {
  name: 'deflate',
  // RFC 9110 8.4.1.2 means the zlib format, but some servers send bare deflate. The low half of zlib's first octet is 8
  // (RFC 1950 2.2). In bare deflate that would be a stored block with a set bit in its padding, which no program
  // writes.
  open: (first) => ((first & 0x0f) === 8 ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize })),
  after: 'nothing',
}

const brotli: Coding = { name: 'br', open: () => zlib.createBrotliDecompress({ chunkSize }), after: 'nothing' }

type CreateZstd = (options: { chunkSize: number; params: Readonly<Record<number, number>> }) => ZlibStream

/** The parameter ZSTD_d_windowLogMax of zstd.h. RFC 9659 3 allows no window over 8 MiB, zstd itself 128. */
const zstdWindow = { 100: 23 }

function zstd(create: CreateZstd): Coding {
  return { name: 'zstd', open: () => create({ chunkSize, params: zstdWindow }), after: 'another' }
}

/**
 * Returns the codings in the order in which we ask for them. This is a function because few retrievals need zlib, which
 * is slow to load.
 */
function knownCodings(): readonly Coding[] {
  // zstd's decoder exists from Node 22.15 on.
  const { createZstdDecompress } = zlib as { createZstdDecompress?: CreateZstd }
  return [gzip, deflate, brotli, ...(createZstdDecompress === undefined ? [] : [zstd(createZstdDecompress)])]
}

/** Returns the names of the codings, as in Accept-Encoding. */
export const codingNames = (): readonly string[] => knownCodings().map(({ name }) => name)

/** Returns the coding of a lower-case name. x-gzip means gzip (RFC 9110 8.4.1.3). */
export function codingOf(name: string): Coding | undefined {
  return knownCodings().find((coding) => coding.name === (name === 'x-gzip' ? 'gzip' : name))
}

/**
 * A higher ratio means a decompression bomb (threats.md 40). Zeros reach 1032:1 in deflate, so small bodies may exceed
 * it.
 */
const maxRatio = 250
const ratioFrom = 64 * 1024 * 1024

/** Counts the octets of a body that came from the server. */
export interface Wire {
  octets: number
}

/**
 * Undoes one coding. Throws `partial` if the coding has no end, `protocol-violation` for octets that are not in it or
 * follow its end, and `limit-exceeded` for a bomb. An empty body gives no octets and no error.
 */
export function decode(coded: ByteSource, coding: Coding, wire: Wire, context: RetrievalContext): ByteSource {
  return sourceOf(decodedChunks(coded, coding, wire, context))
}

async function* decodedChunks(
  coded: ByteSource,
  coding: Coding,
  wire: Wire,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  const { deadline } = context
  let inflater: Inflater | null = null
  let hasEnded = false
  let decoded = 0
  let last = Buffer.alloc(0)
  const free = (): void => inflater?.free()
  async function* decodedBy(current: Inflater): AsyncGenerator<Uint8Array, void, void> {
    while (true) {
      const chunk = await current.next().catch((cause) => {
        deadline.throwIfAborted()
        throw coding.hasTail?.(last, decoded) ? tailError(coding, context) : codingError(cause, coding, context)
      })
      if (chunk === null) return
      decoded += chunk.length
      if (decoded > ratioFrom && decoded > maxRatio * wire.octets) throw bombError(context)
      yield chunk
    }
  }
  // The retrieval may end between two reads.
  const forget = deadline.onAbort(free)
  try {
    for await (const chunk of chunksOf(coded)) {
      let octets = chunk
      last = Buffer.concat([last, chunk.subarray(-5)]).subarray(-5)
      while (octets.length > 0) {
        if (hasEnded && coding.after !== 'another') {
          if (coding.after === 'nothing' || octets.some((octet) => octet !== 0)) throw tailError(coding, context)
          break
        }
        inflater ??= new Inflater(coding.open(octets[0] ?? 0))
        inflater.write(octets)
        yield* decodedBy(inflater)
        octets = inflater.rest
        if (octets.length === 0) continue
        hasEnded = true
        inflater.free()
        inflater = null
      }
    }
    inflater?.end()
    if (inflater !== null) yield* decodedBy(inflater)
  } finally {
    forget()
    free()
  }
}

function codingError(cause: unknown, { name }: Coding, context: RetrievalContext): Error {
  const { code, message } = cause as { code?: string; message?: string }
  const extras = { phase: 'body', cause } as const
  // This is zlib's "unexpected end of file", for every coding.
  if (code === 'Z_BUF_ERROR') {
    return context.error('partial', `The body ended before the end of its ${name} coding; try again.`, extras)
  }
  const what = `The body is no valid ${name}, which it should be coded in (${message})`
  return uncompressedAdvised(context, 'protocol-violation', what, cause)
}

function tailError({ name }: Coding, context: RetrievalContext): Error {
  return uncompressedAdvised(context, 'protocol-violation', `The body goes on after the end of its ${name} coding`)
}

function bombError(context: RetrievalContext): Error {
  const what = `The body becomes over ${maxRatio} times as large when it is decoded`
  return uncompressedAdvised(context, 'limit-exceeded', what)
}

function uncompressedAdvised(context: RetrievalContext, code: ErrorCode, what: string, cause?: unknown): Error {
  const advice = { option: 'http.compressed' } as const
  return context.error(code, `${what}; try it without ${adviceText(advice)}.`, { phase: 'body', advice, cause })
}
