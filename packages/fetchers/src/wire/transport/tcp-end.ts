import type { Socket } from 'node:net'

/** A connection as Node represents it internally. */
interface Handle {
  /** Returns 0, or an error number of the system if there is no peer any more. */
  getpeername?(address: object): number
  /** Returns 0, or an error number. */
  readStart?(): number
}

/**
 * Makes an error of each reset. If a reset is there before the last octets are read, libuv takes it for the regular end
 * (uv__stream_eof, after POLLHUP), and a body that ends with its connection would pass for whole. So, at an end without
 * a peer, the connection is read once more: the system then tells whether the peer had ended it or reset it.
 */
export function watchReset(socket: Socket): void {
  const push = socket.push.bind(socket)
  let isAsked = false
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk === null && !isAsked) {
      isAsked = true
      if (readsAgain(socket)) return true
    }
    return push(chunk, encoding)
  }
}

/** Reads a connection again that has lost its peer. Returns false if it has a peer, or the runtime cannot tell. */
function readsAgain(socket: Socket): boolean {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Handle | null }
  if (typeof handle?.getpeername !== 'function' || handle.getpeername({}) === 0) return false
  return handle.readStart?.() === 0
}
