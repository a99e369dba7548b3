import { parseIpv6 } from './host.ts'

/** Names that lead to this machine: RFC 6761 6.3, and those of the /etc/hosts of Debian and Red Hat. */
const loopbackNames: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'localhost4',
  'localhost4.localdomain4',
  'localhost6',
  'localhost6.localdomain6',
  'ip6-localhost',
  'ip6-loopback',
])

/**
 * Hosts that give a machine in a cloud its own secrets: Google's name, and the addresses of Alibaba, AWS, Azure, Google
 * and Oracle.
 */
const metadataNames: ReadonlySet<string> = new Set(['metadata', 'metadata.google.internal', 'instance-data'])
const metadataAddresses: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2:0:0:0:0:0:254',
  'fd20:ce:0:0:0:0:0:254',
])

/**
 * Whether a stranger must not choose this destination: this machine, a link-local address, or an address at which
 * clouds keep a machine's secrets, in IPv4, in IPv6, and in every way to write IPv4 as IPv6. `name` is a host of a
 * plan, or an address.
 */
export function isInward(name: string): boolean {
  const bare = withoutDot(name)
  if (isLoopback(bare) || metadataNames.has(bare) || isInwardIpv4(bare)) return true
  const groups = parseIpv6(bare.replace(/%.*$/s, ''))
  if (groups === undefined) return false
  const [first = 0] = groups
  if (first >= 0xfe80 && first <= 0xfebf) return true
  if (metadataAddresses.has(groups.map((group) => group.toString(16)).join(':'))) return true
  return ipv4Within(groups).some((address) => isLoopback(address) || isInwardIpv4(address))
}

/** Whether the name or address is a loopback one. */
export function isLoopback(name: string): boolean {
  const bare = withoutDot(name)
  return (
    loopbackNames.has(bare) ||
    bare.endsWith('.localhost') ||
    bare === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(bare) ||
    /^::ffff:7f[0-9a-f]{2}:/.test(bare)
  )
}

/**
 * Whether the address is in 0.0.0.0/8, this host (RFC 1122 3.2.1.3), 169.254.0.0/16, this link (RFC 3927), or a
 * metadata address.
 */
function isInwardIpv4(address: string): boolean {
  return /^(?:0\.\d+|169\.254)\.\d+\.\d+$/.test(address) || metadataAddresses.has(address)
}

/** The IPv4 addresses that an IPv6 address may stand for. `::` and `::1` stand for 0.0.0.0 and 0.0.0.1. */
function ipv4Within(groups: readonly number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0)
  // IPv4-compatible `::127.0.0.1` (RFC 4291 2.5.5.1) and -mapped `::ffff:127.0.0.1` (2.5.5.2).
  if (isZero(0, 5) && (f === 0 || f === 0xffff)) return [dotted(g, h)]
  // SIIT `::ffff:0:127.0.0.1` (RFC 2765 2.1).
  if (isZero(0, 4) && e === 0xffff && f === 0) return [dotted(g, h)]
  // NAT64: `64:ff9b::127.0.0.1` (RFC 6052 2.1).
  if (a === 0x64 && b === 0xff9b && isZero(2, 6)) return [dotted(g, h)]
  // NAT64 in a network of one's own, `64:ff9b:1::/48` (RFC 8215): the address is at the end, or behind the prefix of 48
  // bits (RFC 6052 2.2).
  if (a === 0x64 && b === 0xff9b && c === 1) {
    return [g === 0 && h === 0 ? dotted(d, ((e & 0xff) << 8) | (f >> 8)) : dotted(g, h)]
  }
  // 6to4 `2002:7f00:1::` (RFC 3056 2).
  return a === 0x2002 ? [dotted(b, c)] : []
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The name without the dot that makes it absolute: `localhost.` is the same name (RFC 1034 3.1). */
function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}
