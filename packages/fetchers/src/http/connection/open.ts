import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { type ByteSource, SocketSource } from '../../wire/transport/byte-source.ts'
import { RingReader } from '../../wire/transport/ring-reader.ts'
import { openProxySocket, openSocket } from '../../wire/transport/socket.ts'
import type { HttpConnection } from './connection.ts'
import { forwarder } from './forward.ts'
import { Http1Connection } from './http1.ts'

/**
 * Opens a connection under the retrieval's deadline; once open, it belongs to the pool. `http2` says whether HTTP/2 may
 * be offered.
 */
export async function openHttpConnection(
  context: RetrievalContext,
  plan: HttpPlan,
  http2: boolean,
): Promise<HttpConnection> {
  const lifetime = new AbortController()
  const unlink = context.deadline.onAbort(() => lifetime.abort())
  const proxy = forwarder(plan, context)
  // TLS and proxies read from the socket themselves.
  const ringReader = plan.tls === 'none' && !context.proxy ? new RingReader() : undefined
  const alpn = http2 ? ['h2', 'http/1.1'] : ['http/1.1']
  try {
    const socket = await (proxy === null
      ? openSocket(context, { ...plan, alpn }, lifetime.signal, ringReader?.onread)
      : openProxySocket(context, proxy, lifetime.signal))
    ringReader?.attach(socket)
    const peerAddress = context.proxy === null ? socket.remoteAddress : undefined
    if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2' && proxy === null) {
      const { Http2Connection } = await import('./http2.ts')
      // The socket may have closed while that was loaded, and a session would never say so.
      if (socket.destroyed) {
        const message = 'The server closed the connection without an answer; try again.'
        throw context.error('receive-failed', message, { phase: 'request', transient: true })
      }
      return new Http2Connection(socket, plan, context.limits.maxReply, peerAddress)
    }
    const source: ByteSource = ringReader ?? new SocketSource(socket)
    return new Http1Connection(socket, source, context.limits.maxReply, proxy, peerAddress)
  } finally {
    unlink()
  }
}
