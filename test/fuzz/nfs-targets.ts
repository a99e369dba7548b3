import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { NfsStatus } from '../../packages/fetchers/src/protocols/nfs/files.ts'
import { mount, portOf } from '../../packages/fetchers/src/protocols/nfs/mount.ts'
import { RecordReader } from '../../packages/fetchers/src/protocols/nfs/records.ts'
import { type RpcClient, RpcRefusal, resultsOf } from '../../packages/fetchers/src/protocols/nfs/rpc.ts'
import { failure } from '../../packages/fetchers/src/protocols/nfs/status.ts'
import { NfsV2 } from '../../packages/fetchers/src/protocols/nfs/v2.ts'
import { NfsV3 } from '../../packages/fetchers/src/protocols/nfs/v3.ts'
import { NfsV4 } from '../../packages/fetchers/src/protocols/nfs/v4.ts'
import { longWord, opaque, word, XdrError } from '../../packages/fetchers/src/protocols/nfs/xdr.ts'
import { cut } from './cut.ts'
import type { Random } from './random.ts'
import { require, requireEqual, type Target } from './target.ts'

// The rest of a context is not used.
const context = {
  deadline: { phase: 'request', throwIfAborted: () => {} },
  error: (code: 'partial', message: string, details = {}) =>
    new RetrievalError(code, message, { phase: 'request', ...details }),
} as unknown as RetrievalContext

const words = (...values: readonly number[]): string => values.map(word).join('')
const accepted = words(1, 1, 0, 0, 0, 0)
const handle = 'h'.repeat(32)
const attributes2 = words(1, 0o644, 1, 5, 5, 9, 4096, 0, 1, 1, 7) + words(1, 0).repeat(3)
const attributes3 = words(1, 0o644, 1, 5, 5) + longWord(9).repeat(6) + words(1, 0).repeat(3)
const bits4 = words(2, 0x0010_0812, 0x0020_0032)
const values4 = words(1) + longWord(9) + words(0) + opaque('') + longWord(7)
const attributes4 =
  bits4.slice(0, 12) + opaque(values4 + words(0o644) + opaque('5') + opaque('6') + longWord(1) + words(0))
const attributesOfFile4 =
  words(2, 0x0010_0012, 0x0020_0032) +
  opaque(words(1) + longWord(9) + longWord(7) + words(0o644) + opaque('5') + opaque('6') + longWord(1) + words(0))
const entry3 = word(1) + longWord(7) + opaque('name') + longWord(3)
const entryPlus3 = entry3 + word(1) + attributes3 + word(1) + opaque(handle)

/** The procedures, each with a right answer. */
const procedures: Readonly<
  Record<string, { readonly answer: string; readonly call: (rpc: RpcClient) => Promise<unknown> }>
> = {
  lookup3: {
    answer: word(0) + opaque(handle) + word(1) + attributes3 + word(0),
    call: (rpc) => new NfsV3(rpc).lookup('', 'x'),
  },
  readlink3: { answer: words(0, 0) + opaque('target'), call: (rpc) => new NfsV3(rpc).readLink(handle) },
  read3: {
    answer: words(0, 0, 5, 1) + opaque('octet'),
    call: (rpc) => new NfsV3(rpc).read(handle, 0, 8, 'body'),
  },
  readdirplus3: {
    answer: words(0, 0) + longWord(1) + entryPlus3.repeat(2) + words(0, 1),
    call: (rpc) => pages(new NfsV3(rpc).pages(handle)),
  },
  readdir3: {
    answer: words(0, 0) + longWord(1) + entry3.repeat(2) + words(0, 1),
    call: (rpc) => pages(new NfsV3(rpc).pages(handle)),
  },
  lookup2: { answer: word(0) + handle + attributes2, call: (rpc) => new NfsV2(rpc).lookup(handle, 'x') },
  read2: { answer: word(0) + attributes2 + opaque('octet'), call: (rpc) => new NfsV2(rpc).read(handle, 0, 8, 'body') },
  readlink2: { answer: word(0) + opaque('target'), call: (rpc) => new NfsV2(rpc).readLink(handle) },
  readdir2: {
    answer: word(0) + (words(1, 7) + opaque('name') + word(3)).repeat(2) + words(0, 1),
    call: (rpc) => pages(new NfsV2(rpc).pages(handle)),
  },
  root4: {
    answer: words(0, 0, 3, 24, 0, 10, 0) + opaque(handle) + words(9, 0) + attributesOfFile4,
    call: (rpc) => new NfsV4(rpc).root('root'),
  },
  lookup4: {
    answer: words(0, 0, 4, 22, 0, 15, 0, 10, 0) + opaque(handle) + words(9, 0) + attributesOfFile4,
    call: (rpc) => new NfsV4(rpc).lookup(handle, 'x'),
  },
  read4: {
    answer: words(0, 0, 2, 22, 0, 25, 0, 1) + opaque('octet'),
    call: (rpc) => new NfsV4(rpc).read(handle, 0, 8, 'body'),
  },
  readlink4: { answer: words(0, 0, 2, 22, 0, 27, 0) + opaque('x'), call: (rpc) => new NfsV4(rpc).readLink(handle) },
  readdir4: {
    answer:
      words(0, 0, 2, 22, 0, 26, 0) +
      longWord(1) +
      (word(1) + longWord(3) + opaque('name') + attributes4).repeat(2) +
      words(0, 1),
    call: (rpc) => pages(new NfsV4(rpc).pages(handle)),
  },
  mount3: { answer: word(0) + opaque(handle) + words(2, 1, 0), call: (rpc) => mount(rpc, 3, '/x') },
  mount1: { answer: word(0) + handle, call: (rpc) => mount(rpc, 1, '/x') },
  getport: { answer: word(2049), call: (rpc) => portOf(rpc, 3) },
}

async function pages(all: AsyncIterable<readonly unknown[]>): Promise<unknown> {
  const found: unknown[] = []
  for await (const page of all) {
    found.push(...page)
    require(found.length < 10_000, 'a directory does not end')
  }
  return found
}

/** One change of an answer. */
function mutated(octets: string, random: Random): string {
  const at = random.below(octets.length + 1)
  const aligned = at - (at % 4)
  const odd = word(random.pick([0, 1, 2, 5, 64, 65, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 10_004, random.below(300)]))
  switch (random.below(6)) {
    case 0:
      return octets.slice(0, at)
    case 1:
      return octets.slice(0, aligned) + odd + octets.slice(aligned + 4)
    case 2:
      return octets.slice(0, aligned) + odd + octets.slice(aligned)
    case 3:
      return octets.slice(0, at) + String.fromCharCode(random.below(256)) + octets.slice(at + 1)
    case 4:
      return octets.slice(0, aligned) + octets.slice(aligned + 4)
    default:
      return octets + octets.slice(aligned)
  }
}

/** The answer in one record of one to three fragments, the last length of which may lie. */
function inFragments(octets: string, random: Random): string {
  const first = random.chance(70) ? 0 : random.below(octets.length + 1)
  const rest = octets.slice(first)
  const claimed = random.chance(95) ? rest.length : random.below(2 ** 31)
  return (first === 0 ? '' : word(first) + octets.slice(0, first)) + word(0x8000_0000 + claimed) + rest
}

/** What a decoder makes of octets: the same answer to every call, until a call finds none. */
async function outcomeOf(name: string, chunks: readonly Buffer[]): Promise<unknown> {
  const rest = chunks.filter((chunk) => chunk.length > 0)
  const records = new RecordReader({ read: async () => rest.shift() ?? null }, context)
  // As in RpcClient, one call at a time reads.
  let last: Promise<unknown> = Promise.resolve()
  const read = async (): Promise<Buffer> => {
    const record = await records.next('request')
    if (record === null) throw context.error('receive-failed', 'the connection ended')
    return record
  }
  const rpc = {
    call: async () => {
      const record = last.then(read)
      last = record.catch(() => {})
      return resultsOf(await record)
    },
  } as unknown as RpcClient
  try {
    return await procedures[name]?.call(rpc)
  } catch (error) {
    const known = error instanceof NfsStatus || error instanceof RpcRefusal || error instanceof XdrError
    if (!known && !RetrievalError.is(error)) throw error
    const shown = failure(context, error, name.endsWith('4') ? 4 : 3)
    require(RetrievalError.is(shown), 'it is no RetrievalError')
    require(!/[\0-\x1f\x7f-\x9f]/.test(shown.message), 'the message holds controls')
    return [shown.code, shown.message]
  }
}

export const nfs: Target = {
  about:
    "properties 11, 13 and 14: an NFS server's answers are read or are an error, the same however they are cut, and reading them ends",
  generate: (random) => {
    const name = random.pick(Object.keys(procedures))
    let octets = accepted + (procedures[name]?.answer ?? '')
    for (let changes = random.below(4); changes > 0; changes--) octets = mutated(octets, random)
    const answers = random.chance(80) ? 1 : 3
    return [name, inFragments(octets, random).repeat(answers), String(random.below(1e9))]
  },
  async check(name = '', text = '', seed = '0') {
    const octets = Buffer.from(text, 'latin1')
    const whole = await outcomeOf(name, [octets])
    requireEqual(await outcomeOf(name, cut(octets, Number(seed))), whole, 'cut otherwise, it is read otherwise')
  },
}
