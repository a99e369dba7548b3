import { Random } from './random.ts'

/** The same octets in pieces of one seed. */
export function cut(octets: Buffer, seed: number): Buffer[] {
  const random = new Random(seed)
  const chunks: Buffer[] = []
  for (let at = 0; at < octets.length; ) {
    const end = Math.min(octets.length, at + 1 + random.below(random.pick([1, 4, 40])))
    chunks.push(octets.subarray(at, end))
    at = end
  }
  return chunks
}
