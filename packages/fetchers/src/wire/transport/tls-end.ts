import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { getSystemErrorName } from 'node:util'

/** The sockets of TLS that are watched, and whether they have ended without close_notify. */
const ends = new WeakMap<Readable, { isCut: boolean }>()

/** Whether isCut() can tell for this socket: it is one of TLS that was opened with `provesEnd`. */
export function provesEnd(socket: Readable): boolean {
  return ends.has(socket)
}

/** Whether TLS has ended without close_notify: anybody on the way may have cut off what was to come. */
export function isCut(socket: Readable): boolean {
  return ends.get(socket)?.isCut === true
}

/** What a connection is within Node. */
interface Handle {
  /** False while the socket's buffer is full. */
  readonly reading?: boolean
  /** The connection below TLS. */
  readonly _parent?: Handle
  /** Returns 0, or a negative number of the system: EALREADY if the connection is being read. */
  readStart?(): number
  readStop?(): number
}

/** `socket._handle` is another one after an address that did not answer. */
function handleOf(socket: TLSSocket): Handle | null | undefined {
  return (socket as unknown as { readonly _handle?: Handle | null })._handle
}

/**
 * Watches how TLS ends: by close_notify (RFC 8446 6.1), or because TCP ends, which anybody on the way can forge. Node
 * calls push() for both alike. libuv stops reading a connection before it reports that the connection has ended, so
 * whether it is being read tells which of them it was (Node 20 to 24). No octet passes through here, which would take
 * up to half more of the time.
 */
export function watchEnd(socket: TLSSocket): void {
  // A runtime other than Node may have no such handles; then the end proves nothing, as without TLS.
  if (typeof handleOf(socket)?._parent?.readStart !== 'function') return
  const end = { isCut: false }
  ends.set(socket, end)
  const push = socket.push.bind(socket)
  let isEnded = false
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    // The end of TCP makes a second call after close_notify.
    if (chunk === null && !isEnded) {
      isEnded = true
      end.isCut = hasTcpEnded(handleOf(socket))
    }
    return push(chunk, encoding)
  }
}

/** Whether the connection below this one of TLS has ended, asked while TLS reports its own end. */
function hasTcpEnded(handle: Handle | null | undefined): boolean {
  // No end of TCP is heard while the socket does not want to read.
  if (handle?.reading === false) return false
  const result = handle?._parent?.readStart?.() ?? 0
  if (result === 0) handle?._parent?.readStop?.()
  return result === 0 || getSystemErrorName(result) !== 'EALREADY'
}
