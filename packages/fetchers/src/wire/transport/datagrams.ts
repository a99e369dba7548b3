import { randomInt } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { BlockList, isIPv6 } from 'node:net'
import type { Phase } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { addressesOf } from './lookup.ts'
import type { Retransmission } from './retransmission.ts'
import { connectError } from './socket-error.ts'

/** The most packets that wait to be read. Further ones are dropped, as UDP may drop any. */
const maxWaiting = 256

/** Where packets go: one address, which the policy allows. */
interface Destination {
  readonly address: string
  readonly port: number
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/**
 * Opens a UDP socket for packets to and from one address, which the policy allows. Rejects with host-not-found,
 * connect-failed or refused. The caller closes it, also when the deadline ends the retrieval. A proxy carries no UDP,
 * so the retrieval is refused if there is one. `answersFromThere` says that answers come from the port that we ask: the
 * socket is then connected to it, and the system tells at once if nothing listens there.
 */
export async function openDatagrams(
  context: RetrievalContext,
  peer: { readonly host: string; readonly port: number },
  { answersFromThere = false }: { readonly answersFromThere?: boolean } = {},
): Promise<Datagrams> {
  const { proxy, deadline, emit, url, stopwatch } = context
  if (proxy) {
    const advice = { option: 'proxy' } as const
    const message = `Refused: the proxy ${proxy.url} carries no UDP. Leave out ${adviceText(advice)} for this host.`
    throw context.error('refused', message, { phase: 'policy', advice })
  }
  if (context.network?.connect !== undefined) {
    throw context.error('refused', 'Refused: `connect` makes no connections by UDP.', { phase: 'policy' })
  }
  const to = await deadline.within('lookup', () => destination(context, peer))
  const socket = createSocket(isIPv6(to.address) ? 'udp6' : 'udp4')
  const forget = deadline.onAbort(() => socket.close())
  try {
    await deadline.within('connect', () => bind(socket, to, answersFromThere))
    if (answersFromThere) {
      const connected = once(socket, 'connect')
      socket.connect(to.port, to.address)
      await deadline.within('connect', () => connected)
    }
  } catch (cause) {
    forget()
    if (deadline.reason === null) socket.close()
    throw deadline.reason ?? connectError(context, peer, cause)
  }
  forget()
  stopwatch?.mark('connected')
  emit({ type: 'connected', url, address: to.address, port: to.port, tls: false, proxy: null })
  return new Datagrams(socket, to, context, answersFromThere)
}

/** How many times we try to bind before a taken port is an error. */
const maxBinds = 8

/**
 * Binds to the port that the caller wants, or to any. disconnect() would give up a port that the system chose, so
 * `isOwnChoice` makes us choose it.
 */
async function bind(socket: Socket, { localAddress, localPort }: Destination, isOwnChoice: boolean): Promise<void> {
  for (let tries = 1; ; tries++) {
    const port = localPort ?? (isOwnChoice ? randomInt(49_152, 65_536) : 0)
    const bound = once(socket, 'listening')
    socket.bind({ port, ...(localAddress !== undefined && { address: localAddress }) })
    try {
      await bound
      return
    } catch (error) {
      if (localPort !== undefined || Object(error).code !== 'EADDRINUSE' || tries === maxBinds) throw error
    }
  }
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
 * Packets to and from one address. A server may answer from another port than the one we asked (RFC 1350 4): the first
 * accepted answer fixes that port, and packets from elsewhere are ignored.
 */
export class Datagrams {
  readonly #socket: Socket
  readonly #context: RetrievalContext
  readonly #address: string
  readonly #peer = new BlockList()
  /** The port that we ask. */
  readonly #asked: number
  #port: number
  #isFixed = false
  #waiting: { readonly octets: Uint8Array; readonly port: number }[] = []
  #wake: () => void = () => {}
  #failure: Error | undefined
  #isClosed = false
  /** True if the socket itself is closed. */
  #isOver = false
  /** How many packets the system has not taken yet. */
  #sending = 0
  #isConnected: boolean

  constructor(socket: Socket, { address, port }: Destination, context: RetrievalContext, isConnected: boolean) {
    this.#socket = socket
    this.#isConnected = isConnected
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

  /** Lets the server answer the next request from any port again. */
  restart(): void {
    this.#port = this.#asked
    this.#isFixed = false
    this.#waiting = []
  }

  /** Sends one packet, one octet a character. `shown` reports it as an event. */
  send(octets: string, shown: boolean = false): void {
    if (this.#isClosed) return
    const { deadline, emit, url, stopwatch } = this.#context
    deadline.look()
    if (shown) {
      emit({ type: 'sent', url, octets })
      stopwatch?.requested()
    }
    this.#sending++
    // A packet that cannot be sent counts as lost. Only ECONNREFUSED is an error: the server refused an earlier packet.
    const sent = (error: Error | null): void => {
      this.#sending--
      if (this.#isConnected && Object(error).code === 'ECONNREFUSED') {
        this.#failure ??= error ?? undefined
        this.#wake()
      }
      if (this.#isClosed) this.#end()
    }
    const packet = Buffer.from(octets, 'latin1')
    if (this.#isConnected) this.#socket.send(packet, sent)
    else this.#socket.send(packet, this.#port, this.#address, sent)
  }

  /**
   * Waits for the first packet that `accept` takes; `accept` returns undefined for packets to ignore. Rejects with
   * `timeout` after limits.idleTimeout, and with `connect-failed` if the system says that nothing listens there.
   */
  async receive<T>(phase: Phase, again: Retransmission, accept: (octets: Uint8Array) => T | undefined): Promise<T> {
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
        if (await this.#quiet(again.due)) {
          this.#disconnect()
          again.expired()
        }
      }
    })
  }

  /**
   * Disconnects the socket, since a server may first answer from another port, whose packets a connected socket does
   * not get.
   */
  #disconnect(): void {
    if (!this.#isConnected || this.#isFixed) return
    this.#isConnected = false
    this.#socket.disconnect()
  }

  /** Waits for a packet, an error or the end. Returns true if the time was over first. */
  #quiet(due: number): Promise<boolean> {
    return new Promise((resolve) => {
      // Reads packets that arrived while this process was busy before it decides that the time is over.
      let immediate: NodeJS.Immediate | undefined
      const timer = setTimeout(() => (immediate = setImmediate(() => resolve(true))), due - performance.now())
      this.#wake = () => {
        clearTimeout(timer)
        clearImmediate(immediate)
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
