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
import type { RpcClient } from './rpc.ts'
import { opaque, word, type XdrReader } from './xdr.ts'

const procedures = { GETATTR: 1, LOOKUP: 4, READLINK: 5, READ: 6, READDIR: 16 } as const
const handleSize = 32
const maxText = 1024
const pageSize = 8192
/** Positions have 32 bits. */
const maxSize = 2 ** 32 - 1

/** NFS version 2 (RFC 1094). */
export class NfsV2 implements NfsFiles {
  readonly version = 2
  readonly pieceSize = 8192
  readonly #rpc: RpcClient

  constructor(rpc: RpcClient) {
    this.#rpc = rpc
  }

  async lookup(directory: string, name: string): Promise<Found> {
    const xdr = await this.#call('LOOKUP', directory + opaque(name))
    return { handle: xdr.fixed(handleSize), attributes: attributesIn(xdr) }
  }

  async attributes(handle: string): Promise<Attributes> {
    return attributesIn(await this.#call('GETATTR', handle))
  }

  async readLink(handle: string): Promise<string> {
    return (await this.#call('READLINK', handle)).opaque(maxText)
  }

  async read(handle: string, position: number, length: number, phase: 'request' | 'body'): Promise<Octets> {
    if (position > maxSize) return { octets: new Uint8Array(0), isEnd: true }
    const xdr = await this.#call('READ', handle + word(position) + word(length) + word(length), phase)
    const { size } = attributesIn(xdr)
    const octets = xdr.bytes(length)
    return { octets, isEnd: position + octets.length >= size }
  }

  async *pages(handle: string): AsyncGenerator<readonly DirectoryItem[], void, void> {
    const watch = new PageWatch(pageSize)
    let cookie = word(0)
    while (true) {
      const xdr = await this.#call('READDIR', handle + cookie + word(pageSize))
      const listed: { readonly name: string }[] = []
      while (xdr.flag()) {
        xdr.word()
        listed.push({ name: xdr.opaque(maxText) })
        cookie = xdr.fixed(4)
      }
      const isLast = xdr.flag()
      const named = watch.named(listed)
      if (!isLast) watch.check(cookie, listed.length)
      yield await Promise.all(named.map(({ name }) => this.#item(handle, name)))
      if (isLast) return
    }
  }

  async #item(directory: string, name: string): Promise<DirectoryItem> {
    try {
      const found = await this.lookup(directory, name)
      const { attributes } = found
      return { name, attributes, target: attributes.kind === 'link' ? await this.readLink(found.handle) : null }
    } catch (error) {
      // It was removed in the meantime, or may not be inspected.
      if (error instanceof NfsStatus) return { name, attributes: null, target: null }
      throw error
    }
  }

  async #call(name: keyof typeof procedures, args: string, phase: 'request' | 'body' = 'request'): Promise<XdrReader> {
    const procedure = { program: nfsProgram, version: 2, number: procedures[name], name }
    return statusOf(await this.#rpc.call(procedure, args, phase), name)
  }
}

/** Reads fattr (RFC 1094 2.3.5). */
function attributesIn(xdr: XdrReader): Attributes {
  const kind = kindOf(xdr.word())
  const mode = xdr.word() & 0o7777
  xdr.word()
  const owner = String(xdr.word())
  const group = String(xdr.word())
  const size = xdr.word()
  // Skips blocksize, rdev, blocks, fsid.
  xdr.fixed(16)
  const fileId = String(xdr.word())
  xdr.eight()
  const modified = dateOf(xdr.word(), xdr.word() * 1000)
  xdr.eight()
  return { kind, mode, owner, group, size, modified, fileId }
}
