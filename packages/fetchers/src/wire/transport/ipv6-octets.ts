/**
 * Returns the octets of an IPv6 address as core (RFC 5952) or the resolver writes it: with at most one `::`, perhaps
 * with an IPv4 address at the end.
 */
export function ipv6Octets(address: string): number[] {
  const hex = address.replace(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, (four) => {
    const [a = 0, b = 0, c = 0, d = 0] = four.split('.').map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = [], tail = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const gap = new Array<string>(8 - head.length - tail.length).fill('0')
  const groups = [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16))
  return groups.flatMap((group) => [group >> 8, group & 255])
}
