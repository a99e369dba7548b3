import { BlockList, isIP } from 'node:net'
import { ipv6Octets } from './ipv6-octets.ts'

type Network = readonly [address: string, prefix: number]

/**
 * IPv4 networks that are not globally reachable by IANA's registry of special-purpose addresses (RFC 6890), and those
 * for multicast (RFC 5771).
 */
const reservedIpv4 = networks('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's WireServer, from which a virtual machine gets its secrets: a public address that leads to the host itself.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // The former 6to4 relays (RFC 7526): their packets may go anywhere.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

/**
 * Addresses within those networks that the registry calls globally reachable: the anycast addresses of PCP and TURN.
 */
const reachableIpv4 = networks('ipv4', [
  ['192.0.0.9', 32],
  ['192.0.0.10', 32],
])

/** The only IPv6 addresses that IANA assigns as global unicast addresses (RFC 4291 2.4). */
const globalIpv6 = networks('ipv6', [['2000::', 3]])

/** Networks within 2000::/3 that are not globally reachable by IANA's registry of special-purpose addresses. */
const reservedIpv6 = networks('ipv6', [
  // IETF protocol assignments, such as Teredo (2001::/32) and benchmarking (2001:2::/48).
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 (RFC 3056): any IPv4 address may stand in it.
  ['2002::', 16],
  ['3fff::', 20],
])

/**
 * Networks within those that the registry calls globally reachable: the anycast addresses of PCP, TURN and DNS-SD, AMT,
 * AS112, ORCHIDv2 and drones.
 */
const reachableIpv6 = networks('ipv6', [
  ['2001:1::1', 128],
  ['2001:1::2', 128],
  ['2001:1::3', 128],
  ['2001:3::', 32],
  ['2001:4:112::', 48],
  ['2001:20::', 28],
  ['2001:30::', 28],
])

/**
 * Prefixes after which the last 32 bits are the IPv4 address that is really contacted: IPv4-mapped addresses (RFC 4291
 * 2.5.5.2), and NAT64's well-known prefix (RFC 6052 2.1), by which networks with only IPv6 reach IPv4.
 */
const standsForIpv4 = networks('ipv6', [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
])

/** Whether an address is globally reachable. If an IPv6 address stands for an IPv4 address, the latter decides. */
export function isPublic(address: string): boolean {
  const bare = address.replace(/%.*$/s, '')
  if (isIP(bare) === 4) return isPublicIpv4(bare)
  if (standsForIpv4.check(bare, 'ipv6')) return isPublicIpv4(ipv6Octets(bare).slice(12).join('.'))
  if (!globalIpv6.check(bare, 'ipv6')) return false
  return !reservedIpv6.check(bare, 'ipv6') || reachableIpv6.check(bare, 'ipv6')
}

function isPublicIpv4(address: string): boolean {
  return !reservedIpv4.check(address, 'ipv4') || reachableIpv4.check(address, 'ipv4')
}

function networks(family: 'ipv4' | 'ipv6', list: readonly Network[]): BlockList {
  const networks = new BlockList()
  for (const [address, prefix] of list) networks.addSubnet(address, prefix, family)
  return networks
}
