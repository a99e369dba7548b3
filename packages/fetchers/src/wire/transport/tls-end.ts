import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { getSystemErrorName } from 'node:util'

/** The TLS sockets that are watched, and whether they ended without close_notify. */
const ends = new WeakMap<Readable, { isCut: boolean }>()

/** Whether isCut() can tell for this socket: it has TLS and was opened with `provesEnd`. */
export function provesEnd(socket: Readable): boolean {
  return ends.has(socket)
}

/** Whether TLS ended without close_notify. If so, anybody on the way may have cut off the rest. */
export function isCut(socket: Readable): boolean {
  return ends.get(socket)?.isCut === true
}

/** A connection as Node represents it internally. */
interface Handle {
  /** False if the socket's buffer is full. */
  readonly reading?: boolean
  /** The connection below TLS. */
  readonly _parent?: Handle
  /** Returns 0, or a negative error number of the system: EALREADY if the connection is being read. */
  readStart?(): number
  readStop?(): number
}

/** Reads `socket._handle` anew each time, because it changes if an address did not answer. */
function handleOf(socket: TLSSocket): Handle | null | undefined {
  return (socket as unknown as { readonly _handle?: Handle | null })._handle
}

/**
 * Watches how TLS ends: by close_notify (RFC 8446 6.1), or by the end of TCP, which anybody on the way can forge. Node
 * calls push() for both. libuv stops reading a connection before it reports the end of TCP, so whether the connection
 * is still being read tells the two apart (Node 20 to 24). No octet passes through here: that would take up to half
 * more time.
 */
export function watchEnd(socket: TLSSocket): void {
  // A runtime other than Node may lack these handles. The end then proves nothing, as without TLS.
  if (typeof handleOf(socket)?._parent?.readStart !== 'function') return
  const end = { isCut: false }
  ends.set(socket, end)
  const push = socket.push.bind(socket)
  let isEnded = false
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    // After close_notify, the end of TCP makes a second call.
    if (chunk === null && !isEnded) {
      isEnded = true
      end.isCut = hasTcpEnded(handleOf(socket))
    }
    return push(chunk, encoding)
  }
}

/** Whether the connection below TLS has ended. Call it while TLS reports its own end. */
function hasTcpEnded(handle: Handle | null | undefined): boolean {
  // While the socket does not want to read, the end of TCP goes unnoticed.
  if (handle?.reading === false) return false
  const result = handle?._parent?.readStart?.() ?? 0
  if (result === 0) handle?._parent?.readStop?.()
  return result === 0 || getSystemErrorName(result) !== 'EALREADY'
}
