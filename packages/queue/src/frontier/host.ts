import { hash } from 'node:crypto'
import { normalizeUrl, type Resolution } from '@retriever/core'

/** The host that a URL names, in lower case; `-` if it names none. */
export function hostOf({ plan }: Resolution): string {
  const host = 'host' in plan ? plan.host : null
  return (host ?? '').toLowerCase() || '-'
}

/**
 * The name of a host's turn, which is the identifier of its job. BullMQ takes neither colons nor whole numbers. `part`:
 * the share of a host that is split.
 */
export function turnOf(host: string, part: number | null): string {
  const name = host.replace(/[%:]/g, (sign) => (sign === '%' ? '%25' : '%3A')).replace(/^\d+$/, '$&.')
  return part === null ? name : `${name}~${part}`
}

/** The shard of a host: the first six octets of the SHA-256 of its name, as one number, modulo their number. */
export function shardOf(host: string, shards: number): number {
  return hash('sha256', host, 'buffer').readUIntBE(0, 6) % shards
}

/** The first 16 octets of the SHA-256 of a URL in its normal form: two URLs with the same sum are one. */
export function sumOf(url: string): Buffer {
  return hash('sha256', normalizeUrl(url), 'buffer').subarray(0, 16)
}
