import {
  type Attributes,
  type DirectoryItem,
  dateOf,
  type Found,
  kindOf,
  type NfsFiles,
  NfsStatus,
  type Octets,
  PageWatch,
} from './files.ts'
import { nfsProgram } from './program.ts'
import type { RpcClient } from './rpc.ts'
import { longWord, opaque, word, XdrError, XdrReader } from './xdr.ts'

const operations = {
  GETATTR: 9,
  GETFH: 10,
  LOOKUP: 15,
  PUTFH: 22,
  PUTPUBFH: 23,
  PUTROOTFH: 24,
  READ: 25,
  READDIR: 26,
  READLINK: 27,
} as const
type OperationName = keyof typeof operations
/** An operation and its arguments, as octets. */
type Operation = readonly [name: OperationName, args: string]

const maxHandle = 128
const maxText = 65_536
const pageSize = 65_536
/** The stateid of a reader that has opened nothing (RFC 7530 9.1.4.3). */
const anonymous = '\0'.repeat(16)

/** The numbers of the attributes that we ask for (RFC 7530 5.8). */
const numbers = {
  type: 1,
  size: 4,
  error: 11,
  handle: 19,
  fileId: 20,
  mode: 33,
  owner: 36,
  group: 37,
  modified: 53,
} as const
const ofFile = bitmap(Object.values(numbers).filter((number) => number !== numbers.error && number !== numbers.handle))
const ofEntry = bitmap(Object.values(numbers))

/** NFS version 4.0 (RFC 7530) without state: an anonymous reader reads the files. */
export class NfsV4 implements NfsFiles {
  readonly version = 4
  readonly pieceSize: number = 256 * 1024
  readonly #rpc: RpcClient

  constructor(rpc: RpcClient) {
    this.#rpc = rpc
  }

  /** Finds the directory of the public filehandle, which most servers have at the root, or the root. */
  async root(of: 'public' | 'root'): Promise<Found> {
    return this.#found([[of === 'public' ? 'PUTPUBFH' : 'PUTROOTFH', '']])
  }

  lookup(directory: string, name: string): Promise<Found> {
    return this.#found([
      ['PUTFH', opaque(directory)],
      ['LOOKUP', opaque(name)],
    ])
  }

  async attributes(handle: string): Promise<Attributes> {
    return (await this.#found([['PUTFH', opaque(handle)]])).attributes
  }

  async #found(way: readonly Operation[]): Promise<Found> {
    const xdr = await this.#compound([...way, ['GETFH', ''], ['GETATTR', ofFile]], 'request', {
      GETFH: (results) => results.opaque(maxHandle),
    })
    const { attributes } = attributesIn(xdr.results)
    if (attributes === null) throw new XdrError('a file has no attributes')
    return { handle: xdr.first, attributes }
  }

  async readLink(handle: string): Promise<string> {
    const { results } = await this.#compound([
      ['PUTFH', opaque(handle)],
      ['READLINK', ''],
    ])
    return results.opaque(maxText)
  }

  async read(handle: string, position: number, length: number, phase: 'request' | 'body'): Promise<Octets> {
    const part = anonymous + longWord(position) + word(length)
    const { results } = await this.#compound(
      [
        ['PUTFH', opaque(handle)],
        ['READ', part],
      ],
      phase,
    )
    const isEnd = results.flag()
    return { octets: results.bytes(length), isEnd }
  }

  async *pages(handle: string): AsyncGenerator<readonly DirectoryItem[], void, void> {
    const watch = new PageWatch(pageSize)
    let cookie = longWord(0)
    let verifier = longWord(0)
    while (true) {
      const part = cookie + verifier + word(pageSize / 4) + word(pageSize) + ofEntry
      const { results } = await this.#compound([
        ['PUTFH', opaque(handle)],
        ['READDIR', part],
      ])
      verifier = results.eight()
      const listed: (Told & { readonly name: string })[] = []
      while (results.flag()) {
        cookie = results.eight()
        const name = results.opaque(maxText)
        listed.push({ name, ...attributesIn(results) })
      }
      const isLast = results.flag()
      const named = watch.named(listed)
      if (!isLast) watch.check(cookie, listed.length)
      yield await Promise.all(named.map((each) => this.#item(each)))
      if (isLast) return
    }
  }

  async #item({ name, handle, attributes }: Told & { readonly name: string }): Promise<DirectoryItem> {
    const isLink = attributes?.kind === 'link' && handle !== null
    const target = isLink ? await this.readLink(handle).catch(nullIfStatus) : null
    return { name, attributes, target }
  }

  /** Carries out operations. Only the last one, and those in `read`, have results. */
  async #compound(
    asked: readonly Operation[],
    phase: 'request' | 'body' = 'request',
    read: Partial<Record<OperationName, (results: XdrReader) => string>> = {},
  ): Promise<{ readonly first: string; readonly results: XdrReader }> {
    const args = asked.map(([name, text]) => word(operations[name]) + text).join('')
    const name = asked.map(([each]) => each).join(' ')
    const procedure = { program: nfsProgram, version: 4, number: 1, name }
    // No tag, minor version 0.
    const results = await this.#rpc.call(procedure, opaque('') + word(0) + word(asked.length) + args, phase)
    const status = results.word()
    results.opaque(1024)
    const count = results.word()
    let first = ''
    for (const [index, [operation]] of asked.entries()) {
      if (index >= count && status !== 0) throw new NfsStatus(status, operation)
      if (results.word() !== operations[operation]) throw new XdrError(`the results are not those of ${name}`)
      const own = results.word()
      if (own !== 0) throw new NfsStatus(own, operation)
      first += read[operation]?.(results) ?? ''
    }
    return { first, results }
  }
}

function nullIfStatus(error: unknown): null {
  if (error instanceof NfsStatus) return null
  throw error
}

/** Encodes bitmap4 (RFC 7530 2.2). Two words are enough. */
function bitmap(wanted: readonly number[]): string {
  const words = [0, 0]
  for (const number of wanted) words[number >> 5] = ((words[number >> 5] ?? 0) | (1 << (number & 31))) >>> 0
  return word(words.length) + words.map(word).join('')
}

/** What a server tells of a file. */
interface Told {
  readonly handle: string | null
  readonly attributes: Attributes | null
}

/** Reads fattr4 (RFC 7530 2.2.2): a bitmap, and the values in the order of its bits. */
function attributesIn(results: XdrReader): Told {
  const words = Array.from({ length: atMost(results.word(), 8) }, () => results.word())
  const has = (number: number): boolean => (((words[number >> 5] ?? 0) >>> (number & 31)) & 1) === 1
  const known: readonly number[] = Object.values(numbers)
  for (let number = 0; number < words.length * 32; number++) {
    if (has(number) && !known.includes(number)) throw new XdrError(`an attribute ${number} that was not asked for`)
  }
  const values = new XdrReader(results.bytes(maxText))
  const type = has(numbers.type) ? values.word() : 0
  const size = has(numbers.size) ? values.size() : 0
  const isFailed = has(numbers.error) && values.word() !== 0
  const handle = has(numbers.handle) ? values.opaque(maxHandle) : null
  const fileId = has(numbers.fileId) ? values.digits() : ''
  const mode = has(numbers.mode) ? values.word() & 0o7777 : 0
  const owner = has(numbers.owner) ? values.opaque(maxText) : ''
  const group = has(numbers.group) ? values.opaque(maxText) : ''
  const modified = has(numbers.modified) ? dateIn(values) : new Date(0)
  if (isFailed || type === 0) return { handle, attributes: null }
  return { handle, attributes: { kind: kindOf(type), mode, owner, group, size, modified, fileId } }
}

function atMost(count: number, most: number): number {
  if (count > most) throw new XdrError(`${count} words of a bitmap`)
  return count
}

/** Reads nfstime4: signed seconds of 64 bits, and nanoseconds. */
function dateIn(values: XdrReader): Date {
  const high = values.signedWord()
  const low = values.word()
  return dateOf(high * 2 ** 32 + low, values.word())
}
