import type { ByteSource } from '../plugin/byte-source.ts'
import type { OctetSource } from '../wire/framing/lines.ts'
import type { Connection } from '../wire/transport/connection.ts'

/** The octets of an item, which has a connection of its own: it is closed at the end, on errors, and by cancel(). */
export class ItemBody implements ByteSource {
  readonly #octets: ByteSource
  readonly #connection: Connection

  constructor(octets: ByteSource, connection: Connection) {
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

/** The octets up to the end of the connection, which ItemBody closes. */
export function plainOctets(source: OctetSource): ByteSource {
  return { read: () => source.read('body'), cancel: async () => {} }
}
