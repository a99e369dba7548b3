import { invalidOption } from '@retriever/fetchers/plugin'

/** How a shard keeps the sums of the URLs that it has, so that none is added twice. Scripts do so (scripts/sums.ts). */
export interface Sums {
  /** `exact`: hashes whose fields are sums. `bloom`: a Bloom filter, of bitmaps. */
  readonly kind: 'exact' | 'bloom'
  /** `exact`: the number of bits in the number of a hash. `bloom`: the number of bitmaps. */
  readonly size: number
}

const mostSize = { exact: 16, bloom: 65_536 } as const

/** So many sums are meant for a hash: Redis keeps one of up to 512 fields packed (hash-max-listpack-entries). */
const hashSums = 300
/** So many are meant for a bitmap: each has two octets of it. */
const bitmapSums = 4093

/** Throws `invalid-option` if a Bloom filter for so many URLs is too large. */
export function sumsFor(expects: number, shards: number, isBloom: boolean): Sums {
  const own = expects / shards
  if (!isBloom) {
    const bits = Math.max(0, Math.ceil(Math.log2(own / hashSums)))
    return { kind: 'exact', size: Math.min(bits, mostSize.exact) }
  }
  const size = Math.ceil(own / bitmapSums)
  if (size <= mostSize.bloom) return { kind: 'bloom', size }
  const most = mostSize.bloom * bitmapSums * shards
  throw invalidOption('expects', `at most ${most} for a Bloom filter in ${shards} shards`, expects)
}

/** The text for the settings of a queue. */
export function formatSums({ kind, size }: Sums): string {
  return `${kind} ${size}`
}

/** Null: the text is none of formatSums(). */
export function readSums(text: string): Sums | null {
  const [, word, digits] = /^(exact|bloom) (\d{1,5})$/.exec(text) ?? []
  const [kind, size] = [word === 'bloom' ? 'bloom' : 'exact', Number(digits)] as const
  return word !== undefined && size >= (kind === 'bloom' ? 1 : 0) && size <= mostSize[kind] ? { kind, size } : null
}

/** The names of their keys behind the shard's base. */
export function namesOfSums({ kind, size }: Sums): string[] {
  const [letter, count] = kind === 'bloom' ? ['b', size] : ['d', 2 ** size]
  return Array.from({ length: count }, (_, at) => `${letter}:${at}`)
}
