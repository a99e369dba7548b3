import type { AccessPlans } from '@retriever/core'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { overMaxSize } from '../../kit/size-limit.ts'
import { type Datagrams, openDatagrams } from '../../wire/transport/datagrams.ts'
import { Backoff } from '../../wire/transport/retransmission.ts'
import { tftp } from './about.ts'
import { NetasciiDecoder } from './netascii.ts'
import { acknowledgement, errorPacket, type Packet, parsePacket } from './packets.ts'
import { type Agreement, Transfer, transferError } from './transfer.ts'

type TftpPlan = AccessPlans['tftp']

/**
 * Makes a fetcher for TFTP (RFC 1350) with the options blksize, tsize and windowsize (RFC 2347 to 2349, 7440), over
 * UDP.
 */
export function tftpFetcher(): Fetcher<'tftp'> {
  return { ...tftp, retrieve }
}

async function retrieve(plan: TftpPlan, context: RetrievalContext): Promise<Retrieved<'tftp'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'TFTP sends no parts of a file; retrieve the whole.', { phase: 'policy' })
  }
  const packets = await openDatagrams(context, plan)
  try {
    const { agreed, first } = await begin(plan, packets, context)
    if (context.request.head !== true && (agreed.size ?? 0) > context.limits.maxSize) {
      throw overMaxSize(context, agreed.size ?? 0)
    }
    const isText = plan.mode === 'netascii'
    // In netascii the number of octets changes in transfer.
    const size = isText ? null : agreed.size
    const transfer = new Transfer(packets, { ...agreed, size }, first, context)
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: isText ? 'text/plain' : null,
      charset: null,
      size,
      modified: null,
      // A block that is not full ends the file.
      completeness: size === null ? 'terminated' : 'verified',
      metadata: { blockSize: agreed.blockSize, windowSize: agreed.windowSize },
      body: isText ? textOf(transfer) : transfer,
    }
  } catch (error) {
    packets.close()
    throw error
  }
}

interface Begun {
  readonly agreed: Agreement
  /** The first block, if the server agrees to no options. */
  readonly first: Uint8Array | null
}

/** The errors by which servers refuse options: 8 (RFC 2347); older ones use 0 (not defined) and 4 (illegal). */
const optionErrors: ReadonlySet<number> = new Set([0, 4, 8])

/** Asks for the file. If a server refuses options, it is asked again without any. */
async function begin(plan: TftpPlan, packets: Datagrams, context: RetrievalContext): Promise<Begun> {
  const [request = ''] = plan.wire
  const packet = await ask(request, packets)
  if (packet.kind !== 'error' || !optionErrors.has(packet.code)) return answered(packet, packets, context)
  packets.restart()
  const [, name = '', mode = ''] = request.split('\0')
  return answered(await ask(`\0${name}\0${mode}\0`, packets), packets, context)
}

/** Sends the request until the server sends a packet. */
async function ask(request: string, packets: Datagrams): Promise<Packet> {
  packets.send(request, true)
  return await packets.receive('request', new Backoff(() => packets.send(request)), (octets) => {
    const packet = parsePacket(octets)
    return packet?.kind === 'data' && packet.block !== 1 ? undefined : packet
  })
}

function answered(packet: Packet, packets: Datagrams, context: RetrievalContext): Begun {
  if (packet.kind === 'error') throw transferError(packet, context, 'request')
  const plain = { blockSize: 512, windowSize: 1, size: null }
  if (packet.kind === 'data') {
    if (packet.octets.length <= plain.blockSize) return { agreed: plain, first: packet.octets }
    throw context.error('protocol-violation', 'The server sends more than 512 octets in a block, without asking.')
  }
  const { values } = packet
  const shown = [...values].map(([name, value]) => `${name}\0${value}\0`).join('')
  context.emit({ type: 'received', url: context.url, octets: `\0\x06${shown}` })
  const agreed = {
    blockSize: agreedValue('blksize', plain.blockSize, 8, 1428, packet.values),
    windowSize: agreedValue('windowsize', plain.windowSize, 1, 8, packet.values),
    size: values.has('tsize') ? agreedValue('tsize', 0, 0, Number.MAX_SAFE_INTEGER, packet.values) : null,
  }
  if (Object.values(agreed).some(Number.isNaN)) {
    packets.send(errorPacket(8, 'Not asked for'))
    throw context.error('protocol-violation', 'The server agrees to values that were not asked for.')
  }
  // Block 0 acknowledges the options (RFC 2347).
  packets.send(acknowledgement(0))
  return { agreed, first: null }
}

/** Reads the value of an option. NaN if the option was not asked for. */
function agreedValue(
  name: string,
  otherwise: number,
  least: number,
  most: number,
  values: ReadonlyMap<string, string>,
): number {
  const text = values.get(name)
  if (text === undefined) return otherwise
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return value >= least && value <= most ? value : Number.NaN
}

function textOf(transfer: Transfer): ByteSource {
  const decoder = new NetasciiDecoder()
  let isOver = false
  return {
    async read() {
      while (!isOver) {
        const octets = await transfer.read()
        isOver = octets === null
        const text = octets === null ? decoder.end() : decoder.push(octets)
        if (text.length > 0) return text
      }
      return null
    },
    cancel: () => transfer.cancel(),
  }
}
