import { once } from 'node:events'
import type { Connection } from '../connection.ts'

/** What a client sends first if it already knows that the server speaks HTTP/2 (RFC 9113, 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Whether the client has chosen HTTP/2, by ALPN, or without TLS by its first octets, which stay unread. */
export async function speaksHttp2(connection: Connection): Promise<boolean> {
  if (connection.tls) return (await connection.alpn) === 'h2'
  const { stream } = connection
  let begun: Buffer = Buffer.alloc(0)
  // HTTP/1.1 has no method `PRI`, but PROPFIND begins with `PR`.
  while (begun.length < 3 && !stream.readableEnded && !stream.destroyed) {
    const chunk: Buffer | null = stream.read()
    if (chunk) begun = Buffer.concat([begun, chunk])
    else await Promise.race([once(stream, 'readable'), once(stream, 'end'), once(stream, 'close')])
  }
  if (begun.length > 0) stream.unshift(begun)
  return begun.length >= 3 && PREFACE.subarray(0, begun.length).equals(begun.subarray(0, PREFACE.length))
}
