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
import { nfsProgram, statusOf } from './program.ts'
import { type Procedure, type RpcClient, RpcRefusal } from './rpc.ts'
import { longWord, opaque, word, XdrError, type XdrReader } from './xdr.ts'

const procedures = { GETATTR: 1, LOOKUP: 3, READLINK: 5, READ: 6, READDIR: 16, READDIRPLUS: 17 } as const
/** The longest handle (RFC 1813 2.4: NFS3_FHSIZE). */
const maxHandle = 64
/** How long a name or a link's text may be. Systems have at most 4096 octets (PATH_MAX). */
const maxText = 65_536
/** How large an answer of READDIR may be, with and without attributes. */
const pageSize = 65_536
const notSupported = 10_004

/** NFS version 3 (RFC 1813). */
export class NfsV3 implements NfsFiles {
  readonly version = 3
  readonly pieceSize: number = 256 * 1024
  readonly #rpc: RpcClient

  constructor(rpc: RpcClient) {
    this.#rpc = rpc
  }

  async lookup(directory: string, name: string): Promise<Found> {
    const xdr = await this.#call('LOOKUP', opaque(directory) + opaque(name))
    const handle = xdr.opaque(maxHandle)
    return { handle, attributes: perhapsAttributes(xdr) ?? (await this.attributes(handle)) }
  }

  async attributes(handle: string): Promise<Attributes> {
    return attributesIn(await this.#call('GETATTR', opaque(handle)))
  }

  async readLink(handle: string): Promise<string> {
    const xdr = await this.#call('READLINK', opaque(handle))
    perhapsAttributes(xdr)
    return xdr.opaque(maxText)
  }

  async read(handle: string, position: number, length: number, phase: 'request' | 'body'): Promise<Octets> {
    const xdr = await this.#call('READ', opaque(handle) + longWord(position) + word(length), phase)
    perhapsAttributes(xdr)
    const count = xdr.word()
    const isEnd = xdr.flag()
    const octets = xdr.bytes(length)
    if (octets.length !== count) throw new XdrError(`READ tells ${count} octets and has ${octets.length}`)
    return { octets, isEnd }
  }

  async *pages(handle: string): AsyncGenerator<readonly DirectoryItem[], void, void> {
    try {
      yield* this.#pages(handle, 'READDIRPLUS')
    } catch (error) {
      const isUnknown =
        (error instanceof NfsStatus && error.procedure === 'READDIRPLUS' && error.status === notSupported) ||
        (error instanceof RpcRefusal && error.why === 'procedure')
      if (!isUnknown) throw error
      yield* this.#pages(handle, 'READDIR')
    }
  }

  async *#pages(
    handle: string,
    procedure: 'READDIR' | 'READDIRPLUS',
  ): AsyncGenerator<readonly DirectoryItem[], void, void> {
    const isPlus = procedure === 'READDIRPLUS'
    const watch = new PageWatch(pageSize)
    const sizes = isPlus ? word(pageSize / 4) + word(pageSize) : word(pageSize)
    let cookie = longWord(0)
    let verifier = longWord(0)
    while (true) {
      const xdr = await this.#call(procedure, opaque(handle) + cookie + verifier + sizes)
      perhapsAttributes(xdr)
      verifier = xdr.eight()
      const listed: Listed[] = []
      while (xdr.flag()) {
        const found = listedIn(xdr, isPlus)
        cookie = found.cookie
        listed.push(found)
      }
      const isLast = xdr.flag()
      const named = watch.named(listed)
      if (!isLast) watch.check(cookie, listed.length)
      yield await Promise.all(named.map((each) => this.#item(handle, each)))
      if (isLast) return
    }
  }

  /** Makes the item of a name. Asks for what the server did not tell with the name. */
  async #item(directory: string, { name, ...told }: Listed): Promise<DirectoryItem> {
    const none = { name, attributes: told.attributes, target: null }
    try {
      const { handle, attributes } =
        told.handle !== null && told.attributes !== null
          ? { handle: told.handle, attributes: told.attributes }
          : await this.lookup(directory, name)
      return { name, attributes, target: attributes.kind === 'link' ? await this.readLink(handle) : null }
    } catch (error) {
      // It was removed in the meantime, or may not be inspected.
      if (error instanceof NfsStatus) return none
      throw error
    }
  }

  async #call(name: keyof typeof procedures, args: string, phase: 'request' | 'body' = 'request'): Promise<XdrReader> {
    const procedure: Procedure = { program: nfsProgram, version: 3, number: procedures[name], name }
    return statusOf(await this.#rpc.call(procedure, args, phase), name)
  }
}

interface Listed {
  readonly name: string
  readonly cookie: string
  readonly handle: string | null
  readonly attributes: Attributes | null
}

/** Reads entry3 or entryplus3 (RFC 1813 3.3.16, 3.3.17). */
function listedIn(xdr: XdrReader, isPlus: boolean): Listed {
  xdr.eight()
  const name = xdr.opaque(maxText)
  const cookie = xdr.eight()
  if (!isPlus) return { name, cookie, handle: null, attributes: null }
  const attributes = perhapsAttributes(xdr)
  return { name, cookie, attributes, handle: xdr.flag() ? xdr.opaque(maxHandle) : null }
}

/** Reads post_op_attr (RFC 1813 2.6). */
function perhapsAttributes(xdr: XdrReader): Attributes | null {
  return xdr.flag() ? attributesIn(xdr) : null
}

/** Reads fattr3 (RFC 1813 2.6). */
function attributesIn(xdr: XdrReader): Attributes {
  const kind = kindOf(xdr.word())
  const mode = xdr.word() & 0o7777
  xdr.word()
  const owner = String(xdr.word())
  const group = String(xdr.word())
  const size = xdr.size()
  // Skips used, rdev, fsid.
  xdr.fixed(24)
  const fileId = xdr.digits()
  xdr.eight()
  const modified = dateOf(xdr.word(), xdr.word())
  xdr.eight()
  return { kind, mode, owner, group, size, modified, fileId }
}
