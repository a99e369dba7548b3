import { randomBytes } from 'node:crypto'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ExactReader } from '../../wire/exact-reader.ts'

/** The opcodes of RFC 6455 5.2. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface FrameHead {
  readonly isLast: boolean
  readonly opcode: number
  readonly length: number
}

/**
 * Makes the error for a server that breaks RFC 6455. `code` is that of the Close frame that the server gets (7.4.1).
 */
export type Violate = (what: string, code?: 1002 | 1007) => Error

export async function readHead(reader: ExactReader, context: RetrievalContext, violation: Violate): Promise<FrameHead> {
  const [first = 0, second = 0] = await exactly(2, reader, context)
  const opcode = first & 0x0f
  if ((first & 0x70) !== 0) throw violation('a frame has reserved bits')
  if (opcode > opcodes.pong || (opcode > opcodes.binary && opcode < opcodes.close)) {
    throw violation(`the opcode ${opcode} is unknown`)
  }
  if ((second & 0x80) !== 0) throw violation('a frame of the server is masked')
  const short = second & 0x7f
  const isLast = (first & 0x80) !== 0
  if (opcode >= opcodes.close && short > 125) throw violation('a control frame is too long')
  if (opcode >= opcodes.close && !isLast) throw violation('a control frame is fragmented')
  if (short < 126) return { isLast, opcode, length: short }
  const octets = await exactly(short === 126 ? 2 : 8, reader, context)
  const length = short === 126 ? octets.readUInt16BE() : Number(octets.readBigUInt64BE())
  if (!Number.isSafeInteger(length)) throw violation('the length of a frame is out of range')
  return { isLast, opcode, length }
}

/** Reads `count` octets. Rejects with `partial` at the end of the connection. */
export async function exactly(count: number, reader: ExactReader, context: RetrievalContext): Promise<Buffer> {
  const octets = count === 0 ? Buffer.alloc(0) : await reader.exactly(count, 'body')
  if (octets !== null) return octets
  const message = 'The connection ended although the server has not closed the WebSocket; try again.'
  throw context.error('partial', message, { phase: 'body' })
}

/** Makes a control frame, masked (RFC 6455 5.3), one octet a character. */
export function controlFrame(opcode: number, octets: Uint8Array = new Uint8Array(0)): string {
  const mask = randomBytes(4)
  const masked = octets.map((octet, index) => octet ^ (mask[index % 4] ?? 0))
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | octets.length]), mask, masked]).toString('latin1')
}

/** Makes a Close frame with a code. */
export function closeFrame(code: number): string {
  return controlFrame(opcodes.close, Buffer.from([code >> 8, code & 255]))
}
