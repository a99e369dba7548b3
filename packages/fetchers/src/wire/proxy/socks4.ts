import { isIP } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import type { Connection } from '../transport/connection.ts'

/** The codes of a reply (SOCKS 4, "CONNECT"). */
const granted = 90
const refusals: Readonly<Record<number, string>> = {
  91: 'it refused or failed. Check host and port, or ask its operator',
  92: 'it finds no ident server (RFC 1413) on this machine that names the user. Ask its operator',
  93: 'the ident server (RFC 1413) of this machine names another user. Give that one',
}

/** Says why SOCKS 4 cannot name a host; null if it can. It has IPv4 addresses, and SOCKS 4A has names, too. */
export function socks4Obstacle(kind: ProxyServer['kind'], host: string): string | null {
  if (isIP(host.split('%', 1)[0] ?? '') === 6) return 'SOCKS 4 has no IPv6 addresses; use a SOCKS 5 proxy'
  // SOCKS 4A uses these addresses to say that a name follows, so the proxy would wait for one.
  if (/^0\.0\.0\./.test(host) && isIP(host) === 4) return 'SOCKS 4 keeps the addresses 0.0.0.x for itself'
  return kind === 'socks4' && isIP(host) !== 4 ? 'SOCKS 4 has no names; use socks4a or socks5h' : null
}

/**
 * Asks a SOCKS 4 proxy to connect to the target ("SOCKS: A protocol for TCP proxy across firewalls", Y. Lee) by its
 * IPv4 address, or a `socks4a` proxy by its name ("SOCKS 4A"). It sends the user, never a password: SOCKS 4 has none.
 * The octet after the reply is the target's.
 */
export async function connectBySocks4(
  context: RetrievalContext,
  proxy: ProxyServer,
  connection: Connection,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const obstacle = socks4Obstacle(proxy.kind, host)
  if (obstacle !== null) throw notConnected(context, proxy, host, port, obstacle)
  const isName = isIP(host) === 0
  const address = isName ? [0, 0, 0, 1] : host.split('.').map(Number)
  const head = String.fromCharCode(4, 1, port >> 8, port & 255, ...address)
  await connection.sendFrame(`${head}${proxy.user ?? ''}\0${isName ? `${host}\0` : ''}`)
  const version = await one(context, proxy, connection)
  if (version !== 0) {
    const what = `answered with the octet ${version} where a 0 belongs; it does not speak SOCKS 4`
    throw context.error('protocol-violation', `The proxy ${proxy.url} ${what}. Check its protocol and port.`)
  }
  const code = await one(context, proxy, connection)
  if (code !== granted) {
    const why = `${refusals[code] ?? 'it gave an unknown reason'} (SOCKS reply ${code})`
    throw notConnected(context, proxy, host, port, why)
  }
  // These octets are a port and an address, which mean nothing here.
  for (let left = 6; left > 0; left--) await one(context, proxy, connection)
}

async function one(context: RetrievalContext, proxy: ProxyServer, connection: Connection): Promise<number> {
  const octet = await connection.readOctet('connect')
  if (octet !== null) return octet
  const what = 'closed the connection without an answer. Check that it speaks SOCKS 4 and may serve you.'
  throw context.error('receive-failed', `The proxy ${proxy.url} ${what}`)
}

function notConnected(
  context: RetrievalContext,
  proxy: ProxyServer,
  host: string,
  port: number,
  why: string,
): RetrievalError {
  const where = host.includes(':') ? `${host} port ${port}` : `${host}:${port}`
  return context.error('connect-failed', `The proxy ${proxy.url} did not connect to ${where}: ${why}.`)
}
