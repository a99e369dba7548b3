import { randomBytes } from 'node:crypto'
import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { ExactReader } from '../wire/exact-reader.ts'
import { askingForLife } from '../wire/keep-alive.ts'
import type { Connection } from '../wire/transport/connection.ts'

/** RFC 6455 5.2 */
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

interface FrameHead {
  readonly isLast: boolean
  readonly opcode: number
  readonly length: number
}

/**
 * The messages of a WebSocket (RFC 6455 5): texts each end in a line feed, binary messages are as they come. It ends
 * with the server's Close frame; rejects with `partial` if the connection ends without one, with `server-refused` if
 * the server closes because of a failure.
 */
export async function* messages(
  reader: ExactReader,
  connection: Connection,
  context: RetrievalContext,
): AsyncGenerator<Uint8Array> {
  /** The kind of the message whose frames are coming; null: none is. */
  let open: number | null = null
  while (true) {
    const head = await askingForLife(
      context,
      () => send(connection, opcodes.ping, Buffer.alloc(0)),
      () => readHead(reader, context),
    )
    if (head.opcode >= 8) {
      if (await answerControl(head, reader, connection, context)) return
      continue
    }
    const isContinuation = head.opcode === opcodes.continuation
    if (head.opcode > 2 || isContinuation !== (open !== null)) throw violation(context, 'a frame is out of turn')
    open ??= head.opcode
    for (let left = head.length; left > 0; ) {
      const octets = await reader.some(left)
      left -= octets.length
      yield octets
    }
    if (!head.isLast) continue
    if (open === opcodes.text) yield Buffer.from('\n')
    open = null
  }
}

async function readHead(reader: ExactReader, context: RetrievalContext): Promise<FrameHead> {
  const octets = await reader.exactly(2, 'body')
  if (octets === null) throw cut(context)
  const [first = 0, second = 0] = octets
  if ((first & 0x70) !== 0) throw violation(context, 'a frame has reserved bits')
  if ((second & 0x80) !== 0) throw violation(context, 'a frame of the server is masked')
  const short = second & 0x7f
  const isControl = (first & 0x08) !== 0
  if (isControl && (short > 125 || (first & 0x80) === 0)) throw violation(context, 'a control frame is too long')
  const length = short < 126 ? short : await readLength(reader, short === 126 ? 2 : 8, context)
  return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, length }
}

async function readLength(reader: ExactReader, size: 2 | 8, context: RetrievalContext): Promise<number> {
  const octets = await reader.exactly(size, 'body')
  if (octets === null) throw cut(context)
  const length = size === 2 ? octets.readUInt16BE() : Number(octets.readBigUInt64BE())
  if (!Number.isSafeInteger(length)) throw violation(context, 'the length of a frame is out of range')
  return length
}

/** Answers a Ping and a Close. True: the WebSocket is closed. */
async function answerControl(
  { opcode, length }: FrameHead,
  reader: ExactReader,
  connection: Connection,
  context: RetrievalContext,
): Promise<boolean> {
  const octets = length === 0 ? Buffer.alloc(0) : await reader.exactly(length, 'body')
  if (octets === null) throw cut(context)
  if (opcode === opcodes.ping) await send(connection, opcodes.pong, octets)
  if (opcode > opcodes.pong) throw violation(context, `the opcode ${opcode} is unknown`)
  if (opcode !== opcodes.close) return false
  await send(connection, opcodes.close, octets.subarray(0, 2))
  const code = octets.length < 2 ? 1005 : octets.readUInt16BE()
  // RFC 6455 7.4.1: normal, going away, and no code.
  if ([1000, 1001, 1005].includes(code)) return true
  const words = `${code} ${printable(octetsToText(octets.toString('latin1', 2)))}`.trim()
  throw context.error('server-refused', `The server closed the WebSocket because of a failure: ${words}.`, {
    reply: words,
  })
}

/** Sends a control frame, masked (RFC 6455 5.3). */
async function send(connection: Connection, opcode: number, octets: Uint8Array): Promise<void> {
  const mask = randomBytes(4)
  const masked = octets.map((octet, index) => octet ^ (mask[index % 4] ?? 0))
  const frame = Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | octets.length]), mask, masked])
  await connection.sendFrame(frame.toString('latin1'))
}

function cut(context: RetrievalContext): Error {
  const message = 'The connection ended although the server has not closed the WebSocket; try again.'
  return context.error('partial', message, { phase: 'body' })
}

function violation(context: RetrievalContext, what: string): Error {
  return context.error('protocol-violation', `The server broke WebSocket: ${what}.`)
}
