import type { ByteSource } from '../../contract/byte-source.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { type UnreadBody, unreadError } from '../../wire/pool/unread-watch.ts'
import type { RemoteFile } from '../../wire/read-ahead.ts'
import { SftpStatus } from './channel.ts'
import { endOfFile, packet } from './packets.ts'
import type { SftpSession } from './session.ts'
import { operationError } from './ssh-errors.ts'

/** Makes the body of an open file. Calls `over` after it is closed. */
export function openFile(
  session: SftpSession,
  handle: Buffer,
  context: RetrievalContext,
  over: () => void,
): RemoteFile {
  return {
    // Every server takes reads of 32 KiB (draft-ietf-secsh-filexfer-02 3).
    pieceSize: 32 * 1024,
    // 2 MiB are under way, which keeps 200 Mbit/s busy over 80 ms.
    ahead: 64,
    async readPart(position, length, phase) {
      try {
        const request = [packet.read, handle, BigInt(position), length] as const
        const octets = (await session.ask(context, phase, '', request, packet.data)).octets()
        if (octets.length <= length) return octets
      } catch (error) {
        if (error instanceof SftpStatus && error.status === endOfFile) return new Uint8Array(0)
        throw error
      }
      throw context.error('protocol-violation', `The server sent more than the ${length} octets that were asked for.`)
    },
    failure: (cause) => operationError(context, cause),
    close() {
      session.release(handle)
      over()
    },
  }
}

/** The octets of an open file. They are given up if nobody reads them while other retrievals wait for a place. */
export class FileBody implements ByteSource, UnreadBody {
  readonly #octets: ByteSource
  readonly #context: RetrievalContext
  #isEvicted = false
  unreadSince: number | null = performance.now()

  constructor(octets: ByteSource, context: RetrievalContext) {
    this.#octets = octets
    this.#context = context
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isEvicted) throw unreadError(this.#context)
    this.unreadSince = null
    try {
      return await this.#octets.read()
    } finally {
      this.unreadSince = performance.now()
    }
  }

  cancel(): Promise<void> {
    return this.#octets.cancel()
  }

  evict(): void {
    this.#isEvicted = true
    void this.cancel()
  }
}
