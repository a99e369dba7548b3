import type { ByteSource } from '../contract/byte-source.ts'
import type { OctetSource } from './framing/lines.ts'
import type { Connection } from './transport/connection.ts'

/** Reads a body that has its own connection, and closes that connection at the end, on errors, and by cancel(). */
export class ConnectionBody implements ByteSource {
  readonly #octets: ByteSource
  readonly #connection: Pick<Connection, 'close'>

  constructor(octets: ByteSource, connection: Pick<Connection, 'close'>) {
    this.#octets = octets
    this.#connection = connection
  }

  async read(): Promise<Uint8Array | null> {
    let chunk: Uint8Array | null = null
    try {
      chunk = await this.#octets.read()
      return chunk
    } finally {
      if (chunk === null) this.#connection.close()
    }
  }

  async cancel(): Promise<void> {
    this.#connection.close()
  }
}

/** Gives all octets up to the end of the connection. */
export function plainOctets(source: OctetSource): ByteSource {
  return { read: () => source.read('body'), cancel: async () => {} }
}
