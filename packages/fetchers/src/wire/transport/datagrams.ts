import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { BlockList, isIPv6 } from 'node:net'
import { adviceText, type Phase } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { addressesOf } from './lookup.ts'
import { connectError } from './socket-error.ts'

/** The most packets that wait to be read; further ones are lost, as UDP may lose any. */
const maxWaiting = 256

/** The first wait before a packet is sent again; each further one is twice as long (RFC 1123 4.2.3.2). */
const firstWait = 1000

/** The milliseconds until packets are sent again, twice as many each time. `accept` may change them. */
export interface Patience {
  wait: number
}

/** The place that packets go to: one address, which the policy allows. */
interface Destination {
  readonly address: string
  readonly port: number
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/**
 * Opens a UDP socket for packets to and from one address, which the policy allows. Rejects with host-not-found,
 * connect-failed or refused. The caller closes it, also when the deadline ends the retrieval. A proxy carries no UDP,
 * so the retrieval is refused if there is one.
 */
export async function openDatagrams(
  context: RetrievalContext,
  peer: { readonly host: string; readonly port: number },
): Promise<Datagrams> {
  const { proxy, deadline, emit, url, stopwatch } = context
  if (proxy) {
    const advice = { option: 'proxy' } as const
    const message = `Refused: the proxy ${proxy.url} carries no UDP. Leave out ${adviceText(advice)} for this host.`
    throw context.error('refused', message, { phase: 'policy', advice })
  }
  const to = await deadline.within('lookup', () => destination(context, peer))
  const socket = createSocket(isIPv6(to.address) ? 'udp6' : 'udp4')
  const forget = deadline.onAbort(() => socket.close())
  try {
    const bound = once(socket, 'listening')
    socket.bind({ port: to.localPort ?? 0, ...(to.localAddress !== undefined && { address: to.localAddress }) })
    await deadline.within('connect', () => bound)
  } catch (cause) {
    forget()
    if (deadline.reason === null) socket.close()
    throw deadline.reason ?? connectError(context, peer, cause)
  }
  forget()
  stopwatch?.mark('connected')
  emit({ type: 'connected', url, address: to.address, port: to.port, tls: false, proxy: null })
  return new Datagrams(socket, to, context)
}

async function destination(
  context: RetrievalContext,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Destination> {
  const { network } = context
  let target: { host: string; port: number; localAddress?: string; localPort?: number } = { host, port }
  if (network !== undefined) {
    const { targetOf, waysTo } = await import('./ways.ts')
    const [way] = await waysTo(context, network, { ...targetOf(network, host, port), tls: 'none' })
    if (way === undefined || 'path' in way) {
      const advice = { option: 'network.socketPath' } as const
      const message = `Refused: ${adviceText(advice)} leads to no UDP server. Leave it out.`
      throw context.error('refused', message, { phase: 'policy' })
    }
    const { localAddress, localPort } = way
    target = {
      host: way.host ?? host,
      port: way.port,
      ...(localAddress && { localAddress }),
      ...(localPort && { localPort }),
    }
  }
  const found = await addressesOf(context, target.host, target.port).catch((cause: unknown) => {
    if (Object(cause).name === 'RetrievalError') throw cause
    throw connectError(context, target, cause)
  })
  const [first] = found
  if (first === undefined) throw context.error('host-not-found', `${host} has no address.`, { phase: 'lookup' })
  return { address: first.address, port: target.port, localAddress: target.localAddress, localPort: target.localPort }
}

/**
 * Packets to and from one address. A server may answer from another port than it was asked at (RFC 1350 4): the first
 * answer that is accepted fixes it, and packets from elsewhere are ignored.
 */
export class Datagrams {
  readonly #socket: Socket
  readonly #context: RetrievalContext
  readonly #address: string
  readonly #peer = new BlockList()
  /** The port that the server is asked at. */
  readonly #asked: number
  #port: number
  #isFixed = false
  #waiting: { readonly octets: Uint8Array; readonly port: number }[] = []
  #wake: () => void = () => {}
  #failure: Error | undefined
  #isClosed = false
  /** True: the socket itself is closed. */
  #isOver = false
  /** The packets that the system has not taken yet. */
  #sending = 0

  constructor(socket: Socket, { address, port }: Destination, context: RetrievalContext) {
    this.#socket = socket
    this.#context = context
    this.#address = address
    this.#port = port
    this.#asked = port
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    this.#peer.addAddress(address.replace(/%.*/, ''), family)
    socket.on('message', (octets, from) => {
      if (!this.#peer.check(from.address.replace(/%.*/, ''), family)) return
      if (this.#isFixed && from.port !== this.#port) return
      if (this.#waiting.length < maxWaiting) this.#waiting.push({ octets, port: from.port })
      this.#wake()
    })
    socket.on('error', (error) => {
      this.#failure = error
      this.#wake()
    })
    socket.once('close', () => {
      this.#isClosed = true
      this.#isOver = true
      this.#wake()
    })
  }

  /** The address of the server. */
  get address(): string {
    return this.#address
  }

  /** Lets the server answer from any port again, for another request. */
  restart(): void {
    this.#port = this.#asked
    this.#isFixed = false
    this.#waiting = []
  }

  /** Sends one packet, one octet a character; `shown`: report it as an event. */
  send(octets: string, shown: boolean = false): void {
    if (this.#isClosed) return
    const { emit, url, stopwatch } = this.#context
    if (shown) {
      emit({ type: 'sent', url, octets })
      stopwatch?.requested()
    }
    this.#sending++
    // A packet that cannot be sent is as good as lost.
    this.#socket.send(Buffer.from(octets, 'latin1'), this.#port, this.#address, () => {
      this.#sending--
      if (this.#isClosed) this.#end()
    })
  }

  /**
   * The first packet that `accept` takes: it gives undefined for any other, which is ignored. Sends `again` whenever
   * nothing has come for a while, each time twice as long. Rejects with `timeout` after limits.idleTimeout.
   */
  async receive<T>(
    phase: Phase,
    again: () => void,
    accept: (octets: Uint8Array) => T | undefined,
    patience: Patience = { wait: firstWait },
  ): Promise<T> {
    return await this.#context.deadline.within(phase, async () => {
      for (;;) {
        const packet = this.#waiting.shift()
        if (packet !== undefined) {
          if (this.#isFixed && packet.port !== this.#port) continue
          const accepted = accept(packet.octets)
          if (accepted === undefined) continue
          this.#isFixed = true
          this.#port = packet.port
          return accepted
        }
        if (this.#failure !== undefined)
          throw connectError(this.#context, { host: this.#address, port: this.#port }, this.#failure)
        if (this.#isClosed) throw this.#context.error('receive-failed', 'The socket was closed.', { phase })
        if (await this.#quiet(patience.wait)) {
          patience.wait *= 2
          again()
        }
      }
    })
  }

  /** Waits for a packet, an error or the end; true: the time was over first. */
  #quiet(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve(false)
      }
    })
  }

  /** Closes the socket once all packets have been sent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#wake()
    this.#end()
  }

  #end(): void {
    if (this.#sending > 0 || this.#isOver) return
    this.#isOver = true
    this.#socket.close()
  }
}
