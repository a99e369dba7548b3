import { isIP } from 'node:net'

/**
 * The address on which to listen for a host option. The servers have public passwords and keys, so this throws if the
 * host is not loopback.
 */
export function loopbackAddress(host: string): string {
  const literal = typeof host === 'string' && host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  // The name is not looked up, since /etc/hosts may say anything about it.
  if (literal === 'localhost') return '127.0.0.1'
  if (literal === '::1') return literal
  if (isIP(literal) === 4 && literal.startsWith('127.')) return literal
  throw new TypeError(
    `host: expected a loopback address (127.0.0.0/8, ::1 or localhost), got ${JSON.stringify(host)} (${typeof host})`,
  )
}

/** The host as a URL has it: IPv6 in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

export function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  throw new TypeError(`port: expected an integer from 0 to 65535, got ${String(port)} (${typeof port})`)
}
