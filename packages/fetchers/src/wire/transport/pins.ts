import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'

/**
 * Throws `certificate` and closes the connection if `tls.pins` does not name the server's public key. It is called
 * after the handshake, before anything else is sent.
 */
export function checkPin(
  context: RetrievalContext,
  where: string,
  socket: Socket,
  option: 'tls.pins' | 'tls.proxy.pins' = 'tls.pins',
): void {
  const { pins } = context.tls
  if (pins === undefined || !(socket instanceof TLSSocket)) return
  // FTP's data connection resumes the session of its control connection. That key was checked, and only the same server
  // can resume its session. Node shows no certificate then.
  if (socket.isSessionReused()) return
  const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
  const pin = key === undefined ? 'none' : `sha256//${createHash('sha256').update(key).digest('base64')}`
  if (pins.includes(pin)) return
  socket.destroy()
  const advice = { option }
  const message = `The public key of ${where} is ${pin}, which ${adviceText(advice)} does not name; another server may answer there.`
  throw context.error('certificate', message, { phase: 'tls', advice })
}
