import type { Duplex } from 'node:stream'
import { type Field, Fields, packet, packetOf } from './packets.ts'

/** The longest packet that OpenSSH takes, too. */
const maxPacket = 256 * 1024

/** A status that the server sent in place of an answer (draft-ietf-secsh-filexfer-02 7). */
export class SftpStatus extends Error {
  override readonly name = 'SftpStatus'
  readonly status: number

  constructor(status: number, words: string) {
    super(words)
    this.status = status
  }
}

/** An answer: its type, and the fields after its number. */
export interface Answer {
  readonly type: number
  readonly fields: Fields
}

interface Request {
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Requests and answers of SFTP version 3 over one channel of SSH (draft-ietf-secsh-filexfer-02). Any number may be
 * under way, and their answers may come in any order. Names are octets: ssh2's own SFTP loses those that are not UTF-8.
 */
export class SftpChannel {
  readonly #stream: Duplex
  readonly #onViolation: (what: string) => void
  readonly #requests = new Map<number, Request>()
  #last = 0
  #chunks: Buffer[] = []
  #length = 0
  /** How many octets the next packet has with its length. 4 until the length is known. */
  #needed = 4
  #version: ((version: number) => void) | undefined

  /** Calls `onViolation` if the server breaks the protocol, since nothing more can be read. */
  constructor(stream: Duplex, onViolation: (what: string) => void) {
    this.#stream = stream
    this.#onViolation = onViolation
    stream.on('data', (chunk: Buffer) => this.#receive(chunk))
  }

  /** Agrees on the version. Never rejects: if the connection is lost, its caller stops waiting. */
  begin(): Promise<number> {
    this.#stream.write(packetOf(packet.init, 3))
    return new Promise((resolve) => (this.#version = resolve))
  }

  /** Sends a request and returns its answer. Rejects with SftpStatus, or with the error that fail() gets. */
  ask(type: number, ...fields: readonly Field[]): Promise<Answer> {
    this.#last = (this.#last + 1) % 0x1_0000_0000
    const id = this.#last
    this.#stream.write(packetOf(type, id, ...fields))
    return new Promise((resolve, reject) => this.#requests.set(id, { resolve, reject }))
  }

  /** Ends all requests that are under way. */
  fail(error: unknown): void {
    for (const { reject } of this.#requests.values()) reject(error)
    this.#requests.clear()
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    try {
      while (this.#length >= this.#needed) {
        const octets = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
        if (this.#needed === 4) {
          this.#chunks = [octets]
          this.#needed = 4 + octets.readUInt32BE()
          if (this.#needed > maxPacket) throw new RangeError(`a packet of ${this.#needed} octets came`)
          if (this.#needed < 9) throw new RangeError('a packet is too short')
          continue
        }
        const rest = octets.subarray(this.#needed)
        this.#chunks = rest.length === 0 ? [] : [rest]
        this.#length = rest.length
        const body = octets.subarray(4, this.#needed)
        this.#needed = 4
        this.#take(body)
      }
    } catch (error) {
      this.#stream.pause()
      this.#onViolation(error instanceof Error ? error.message : String(error))
    }
  }

  #take(body: Buffer): void {
    const type = body[0]
    const fields = new Fields(body.subarray(1))
    const id = fields.number()
    if (type === packet.version) {
      this.#version?.(id)
      this.#version = undefined
      return
    }
    const request = this.#requests.get(id)
    if (request === undefined) throw new RangeError('an answer came that was not asked for')
    this.#requests.delete(id)
    const status = type === packet.status ? fields.number() : 0
    if (status === 0) request.resolve({ type: type as number, fields })
    // Servers of version 2 send no words.
    else request.reject(new SftpStatus(status, body.length > 9 ? fields.text() : ''))
  }
}
