import type { RemoteInfo } from 'node:dgram'
import { type Check, type Checks, checkOptions, count, flag } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { files } from './seed.ts'
import { UdpListener } from './udp-listener.ts'

export interface TftpServerOptions extends Omit<ServerOptions, 'tls'> {
  /** Whether the server knows options; without them it behaves as in 1992 (RFC 1350). Default true. */
  readonly options?: boolean
  /** Whether a request with options gets error 8 (RFC 2347). Default false. */
  readonly refusesOptions?: boolean
  /** The data packet, counted from 1, whose first sending is lost. Default 0: none. */
  readonly loses?: number
  /** Whether another socket sends forged data to the client. Default false. */
  readonly forges?: boolean
}

const { tls: _tls, ...checks } = serverChecks
export const tftpChecks: Checks<TftpServerOptions> = {
  ...checks,
  options: flag,
  refusesOptions: flag,
  loses: count as Check,
  forges: flag,
}

/** A read-only TFTP server (RFC 1350, 2347 to 2349, 7440), over UDP. */
export async function startTftpServer(options: TftpServerOptions = {}): Promise<TestServer> {
  checkOptions('startTftpServer', options, tftpChecks)
  const server = new UdpListener('tftp', options, (request, from, listener) => {
    serve(request, from, listener, options)
  })
  return server.listen(options.port ?? 0)
}

function serve(request: Buffer, from: RemoteInfo, server: UdpListener, options: TftpServerOptions): void {
  const [, opcode = '', name = '', mode = '', ...rest] =
    /^\0([\x01\x02])([^\0]*)\0([^\0]*)\0(.*)$/s.exec(request.toString('latin1')) ?? []
  const words = (rest[0] ?? '').split('\0')
  server.record(`${opcode === '\x01' ? 'RRQ' : 'other'} ${name} ${mode}`, opcode === '\x01' ? 'RRQ' : 'other', name)
  const { stall } = server.faults
  if (stall === 'greeting' || stall === 'response') return
  const socket = server.newSocket((answer) => acknowledge(answer))
  server.track(socket)
  const send = (octets: Buffer): void => socket.send(octets, from.port, from.address)
  const finish = (octets: Buffer): void => socket.send(octets, from.port, from.address, () => server.release(socket))
  const fail = (code: number, text: string): void =>
    finish(Buffer.from(`\0\x05\0${String.fromCharCode(code)}${text}\0`))
  const raw = server.state.reply(name, 'RRQ')
  if (raw !== undefined) {
    finish(Buffer.from(raw, 'latin1'))
    return
  }
  const file = Object.hasOwn(files, name) ? files[name] : undefined
  const hasOptions = words.length > 1 && options.options !== false
  if (opcode !== '\x01' || file === undefined || (hasOptions && options.refusesOptions)) {
    if (opcode !== '\x01') fail(4, 'Read only')
    else if (file === undefined) fail(1, 'File not found')
    else fail(8, 'No options')
    return
  }
  const octets = mode.toLowerCase() === 'netascii' ? netascii(file) : file
  const given = new Map(words.map((word, at) => [word.toLowerCase(), Number(words[at + 1])] as const))
  const option = (name: string, otherwise: number, least: number, most: number): number => {
    const value = (hasOptions ? given.get(name) : undefined) ?? otherwise
    return Number.isInteger(value) ? Math.min(Math.max(value, least), most) : otherwise
  }
  // RFC 2348: 8 to 65464 octets; RFC 7440: 1 to 65535 blocks.
  const blockSize = option('blksize', 512, 8, 65_464)
  const windowSize = option('windowsize', 1, 1, 65_535)
  const { shortBody = 0 } = server.faults
  const sent = octets.subarray(0, Math.max(octets.length - shortBody, 0))
  const last = Math.floor(sent.length / blockSize) + 1
  const half = stall === 'body' ? Math.max(Math.ceil(last / 2), 1) : last
  let lost = options.loses ?? 0

  const block = (number: number): Buffer => {
    const head = Buffer.from([0, 3, (number >> 8) & 255, number & 255])
    return Buffer.concat([head, sent.subarray((number - 1) * blockSize, number * blockSize)])
  }
  const forge = (packet: Buffer): void => {
    const elsewhere = server.newSocket()
    elsewhere.send(packet, from.port, from.address, () => elsewhere.close())
  }
  const sendWindow = (after: number): void => {
    for (let number = after + 1; number <= Math.min(after + windowSize, half); number++) {
      if (options.forges) forge(Buffer.from([0, 3, number >> 8, number & 255, 120]))
      if (number === lost) lost = 0
      else send(block(number))
    }
  }
  let acknowledged = 0
  const acknowledge = (answer: Buffer): void => {
    if (answer[1] === 5) server.release(socket)
    if (answer[1] !== 4) return
    const number = answer.readUInt16BE(2)
    acknowledged += (number - acknowledged) & 0xffff
    if (acknowledged >= last) server.release(socket)
    else sendWindow(acknowledged)
  }
  if (!hasOptions) {
    sendWindow(0)
    return
  }
  const agreed = [
    ['tsize', octets.length] as const,
    ['blksize', blockSize] as const,
    ['windowsize', windowSize] as const,
  ]
  const oack = agreed.filter(([each]) => given.has(each)).map(([each, value]) => `${each}\0${value}\0`)
  send(Buffer.from(`\0\x06${oack.join('')}`))
}

/** RFC 1350 1: a line end is CR LF, and a CR is CR NUL. */
function netascii(octets: Buffer): Buffer {
  return Buffer.from(octets.toString('latin1').replaceAll('\r', '\r\0').replaceAll('\n', '\r\n'), 'latin1')
}
