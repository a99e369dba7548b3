import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openServerSocket } from '@retriever/fetchers/internal'
import type { GatewayCore } from '../core.ts'
import { checkPeer, checkTarget, checkToken } from '../guard.ts'
import { problem, Refusal } from '../problem.ts'

/** Answers CONNECT (RFC 9110 9.3.6): a tunnel to port 443, if the policy has tunnels. */
export async function openTunnel(
  core: GatewayCore,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const gone = new AbortController()
  client.once('close', () => gone.abort())
  client.on('error', () => client.destroy())
  const forget = core.untilClosed(() => gone.abort())
  const { settings } = core
  let leave: (() => void) | undefined
  try {
    checkPeer(request, settings.token)
    leave = core.enter(request.socket.remoteAddress ?? '')
    checkToken(request.headers['proxy-authorization'], settings.token)
    const url = targetOf(request.url ?? '', settings.tunnels)
    checkTarget(settings.client.resolve(url), core.ownPorts)
    const server = await openServerSocket(settings.client, url, { signal: gone.signal, isBare: true })
    server.setTimeout(settings.limits.idleTimeout, () => server.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    server.write(head)
    await Promise.allSettled([pipeline(client, server), pipeline(server, client)])
  } catch (error) {
    const { status, lines, body } = problem(error, request.headers.accept, settings.messageOf)
    const fields = [...lines, ['Content-Length', Buffer.byteLength(String(body))], ['Connection', 'close']]
    client.end(`HTTP/1.1 ${status} Refused\r\n${fields.map((field) => `${field.join(': ')}\r\n`).join('')}\r\n${body}`)
  } finally {
    leave?.()
    forget()
  }
}

/** The URL of the server behind a tunnel. */
function targetOf(target: string, isAllowed: boolean): string {
  if (!isAllowed) throw new Refusal(405, 'This gateway makes no tunnels.', [['Allow', 'GET, HEAD']])
  const [, host] = /^([\w.-]+|\[[\da-f:.]+\]):443$/i.exec(target) ?? []
  if (host === undefined) throw new Refusal(403, 'This gateway makes tunnels to port 443 alone.')
  return `https://${host}/`
}
