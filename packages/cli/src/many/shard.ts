import { createHash } from 'node:crypto'
import type { Resolution } from '@retriever/core'
import type { Shard } from '../options/lists/layout.ts'

/** Whether a URL belongs to a share. All URLs of a host do, so that one machine keeps the host's limits. */
export function isIn({ number, of }: Shard, resolution: Resolution): boolean {
  return shareOf(hostOf(resolution), of) === number
}

/** The share of a host: the first six octets of the SHA-256 of its name in lower case, as one number, modulo `of`. */
function shareOf(host: string, of: number): number {
  return (createHash('sha256').update(host.toLowerCase()).digest().readUIntBE(0, 6) % of) + 1
}

/** The host as it is looked up; "" if the URL names none. */
export function hostOf({ plan }: Resolution): string {
  return 'host' in plan ? (plan.host ?? '') : ''
}
