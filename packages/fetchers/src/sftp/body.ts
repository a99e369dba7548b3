import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { RemoteFile } from '../wire/read-ahead.ts'
import { statusError } from './errors.ts'
import type { SftpSession } from './session.ts'

/** An open file. Every server takes reads of 32 KiB (draft-ietf-secsh-filexfer-02 3). */
export function openFile(session: SftpSession, handle: Buffer, context: RetrievalContext): RemoteFile {
  return {
    pieceSize: 32 * 1024,
    // 2 MiB are under way, which keeps 200 Mbit/s busy over 80 ms.
    ahead: 64,
    async readPart(position, length, phase) {
      const buffer = Buffer.allocUnsafeSlow(length)
      const count = await session.call<number>(phase, '', (sftp, done) =>
        sftp.read(handle, buffer, 0, length, position, done),
      )
      return new Uint8Array(buffer.buffer, 0, count)
    },
    failure: (cause) => (RetrievalError.is(cause) ? cause : statusError(context, cause)),
    close: () => session.close(),
  }
}
