/** policy.publicOnly against each row of IANA's registries of special-purpose addresses, at both edges of a network. */
import { describe, expect, test } from 'vitest'
import { AddressBook } from '../../packages/fetchers/src/client/network/addresses.ts'

const book = AddressBook.read({}, { publicOnly: true })

/** The network's first and last address, and whether they are globally reachable; the addresses beside it. */
type Row = readonly [network: string, first: string, last: string, isPublic: boolean, beside?: readonly string[]]

const ipv4: readonly Row[] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', false, ['1.0.0.0']],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', false, ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', false, ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', false, ['126.255.255.255', '128.0.0.0']],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', false, ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', false, ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', false, ['191.255.255.255', '192.0.1.0']],
  ['192.0.0.0/29', '192.0.0.0', '192.0.0.7', false],
  ['192.0.0.8/32', '192.0.0.8', '192.0.0.8', false],
  ['192.0.0.9/32', '192.0.0.9', '192.0.0.9', true],
  ['192.0.0.10/32', '192.0.0.10', '192.0.0.10', true],
  ['192.0.0.11', '192.0.0.11', '192.0.0.11', false],
  ['192.0.0.170/32', '192.0.0.170', '192.0.0.170', false],
  ['192.0.0.171/32', '192.0.0.171', '192.0.0.171', false],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', false, ['192.0.1.255', '192.0.3.0']],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', true],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', true],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', false, ['192.88.98.255', '192.88.100.0']],
  ['192.88.99.2/32', '192.88.99.2', '192.88.99.2', false],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', false, ['192.167.255.255', '192.169.0.0']],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', true],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', false, ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', false, ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', false, ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', false, ['223.255.255.255']],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.254', false],
  ['255.255.255.255/32', '255.255.255.255', '255.255.255.255', false],
]

const ipv6: readonly Row[] = [
  ['::1/128', '::1', '::1', false],
  ['::/128', '::', '::', false],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', false],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff', false],
  ['100:0:0:1::/64', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', false],
  ['2000::/3', '2000::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true, ['3fff:1000::']],
  ['below 2000::/3', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '1fff::', false],
  ['above 2000::/3', '4000::', '4000::1', false],
  ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', false, ['2000:ffff::', '2001:200::']],
  ['2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:1::1/128', '2001:1::1', '2001:1::1', true],
  ['2001:1::2/128', '2001:1::2', '2001:1::2', true],
  ['2001:1::3/128', '2001:1::3', '2001:1::3', true],
  ['beside 2001:1::1 to 3', '2001:1::', '2001:1::4', false],
  ['2001:2::/48', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:3::/32', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:4:112::/48', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff', true],
  ['beside 2001:4:112::/48', '2001:4:111:ffff:ffff:ffff:ffff:ffff', '2001:4:113::', false],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['2001:20::/28', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['2001:30::/28', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', true],
  ['above 2001:30::/28', '2001:40::', '2001:40::1', false],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', false, ['2001:db7::', '2001:db9::']],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false, ['2003::']],
  ['2620:4f:8000::/48', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', true],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', false, ['3ffe:ffff::', '3fff:1000::']],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', false],
]

for (const [network, first, last, isPublic, beside = []] of [...ipv4, ...ipv6]) {
  test(`${network} is public: ${isPublic}, at both edges`, () => {
    for (const address of [first, last]) expect([address, book.asked.allows(address)]).toEqual([address, isPublic])
    for (const address of beside) expect([address, book.asked.allows(address)]).toEqual([address, true])
  })
}

/** The IPv6 addresses by which a machine contacts an IPv4 address. */
const forms: readonly (readonly [name: string, prefix: string])[] = [
  ['IPv4-mapped', '::ffff:'],
  ['NAT64', '64:ff9b::'],
]

describe.each(forms)('%s addresses are judged by the IPv4 address within', (_name, prefix) => {
  for (const [network, first, last, isPublic, beside = []] of ipv4) {
    test(network, () => {
      for (const address of [first, last]) {
        expect([address, book.asked.allows(`${prefix}${address}`)]).toEqual([address, isPublic])
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const hex = `${prefix}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
        expect([hex, book.asked.allows(hex)]).toEqual([hex, isPublic])
      }
      for (const address of beside) expect(book.asked.allows(`${prefix}${address}`)).toBe(true)
    })
  }
})

test.each(['::8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b:1::808:808', '2002:808:808::1', '64:ff9b::1:808:808'])(
  '%s, which may stand for a public address, is refused',
  (address) => expect(book.asked.allows(address)).toBe(false),
)

test('case 87, a zone does not make an address public, nor hide one that is', () => {
  expect(book.asked.allows('fe80::1%eth0')).toBe(false)
  expect(book.asked.allows('::ffff:127.0.0.1%eth0')).toBe(false)
})
