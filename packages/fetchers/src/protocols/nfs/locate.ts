import { isIP } from 'node:net'
import { type AccessPlans, decodeOctets, encodeOctets, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { Redirect, RetrievalContext } from '../../contract/fetcher.ts'
import { type Found, type NfsFiles, NfsStatus } from './files.ts'
import { followLink } from './link.ts'
import { isOtherPathWorthwhile, type Mounted, mount, portOf, unmount } from './mount.ts'
import type { NfsOptions } from './options.ts'
import { RpcClient, RpcRefusal } from './rpc.ts'
import { statuses } from './status.ts'
import { NfsV2 } from './v2.ts'
import { NfsV3 } from './v3.ts'
import { NfsV4 } from './v4.ts'

type NfsPlan = AccessPlans['nfs']

/** The user and the group that mean nobody. */
const nobody = { uid: 65_534, gid: 65_534 }
/** The public filehandle of version 2 (RFC 2054 5.1). That of version 3 is empty. */
const publicOf2 = '\0'.repeat(32)
/** The longest path that MNT takes (RFC 1813 5.1.2: MNTPATHLEN). */
const maxMountPath = 1024
/** How many directories are tried as exports. */
const maxMounts = 64

/** A file, and how to ask for it. */
export interface Located {
  readonly outcome: 'located'
  readonly files: NfsFiles
  readonly found: Found
  /** Whether symbolic links hold relative URLs. They do if the public filehandle led here. */
  readonly isPublic: boolean
}

/** The search for the file of one plan, over one connection to the server. */
export class Locator {
  readonly #plan: NfsPlan
  readonly #context: RetrievalContext
  readonly #options: NfsOptions
  readonly rpc: RpcClient
  /** The version whose procedures were called last. */
  version: 2 | 3 | 4 = 3

  constructor(plan: NfsPlan, context: RetrievalContext, options: NfsOptions, rpc: RpcClient) {
    this.#plan = plan
    this.#context = context
    this.#options = options
    this.rpc = rpc
  }

  /** Finds the file by the public filehandle; if there is none, by MOUNT; if there is neither, by version 4. */
  async locate(): Promise<Located | Redirect> {
    try {
      return await this.#byPublicHandle()
    } catch (error) {
      if (isVersion(error) && error.low >= 4) return this.#byVersion4()
      if (!isNoPublicHandle(error)) throw error
    }
    try {
      return await this.#byMount()
    } catch (error) {
      if (!isMountFailure(error)) throw error
      const version = this.version
      try {
        return await this.#byVersion4()
      } catch (second) {
        if (!isVersion(second)) throw second
        this.version = version
        throw error
      }
    }
  }

  async #byPublicHandle(): Promise<Located> {
    const { path } = this.#plan
    const name = path.replace(/(?<=[^/])\/+$/, '')
    try {
      return await this.#publicly(new NfsV3(this.rpc), '', name)
    } catch (error) {
      if (!isVersion(error) || error.low > 2 || error.high < 2) throw error
      return await this.#publicly(new NfsV2(this.rpc), publicOf2, name)
    }
  }

  async #publicly(files: NfsFiles, handle: string, name: string): Promise<Located> {
    this.version = files.version
    const found = await this.#authenticated(() => files.lookup(handle, name))
    return { outcome: 'located', files, found, isPublic: true }
  }

  async #byMount(): Promise<Located | Redirect> {
    const version = this.version === 2 ? 1 : 3
    const rpc = await this.#openMount(version)
    try {
      const { mounted, path, names } = await this.#mount(rpc, version)
      const files = version === 1 ? new NfsV2(this.rpc) : new NfsV3(this.rpc)
      if (!mounted.flavors.includes(0) && mounted.flavors.includes(1)) this.rpc.credential ??= nobody
      const attributes = await this.#authenticated(() => files.attributes(mounted.handle))
      const located = await this.#walk(files, { handle: mounted.handle, attributes }, names)
      // The server's list of mounts is only for people, and an old server may not answer.
      await unmount(rpc, version, path).catch((error: unknown) => {
        if (!(error instanceof RpcRefusal)) throw error
      })
      return located
    } finally {
      rpc.close()
    }
  }

  /**
   * The host for the server's other services: the address of this connection, since the next lookup of a name may lead
   * elsewhere (threats.md case 21: DNS rebinding). Network options choose their own ways by the name.
   */
  get #host(): string {
    const { host } = this.#plan
    const isName = isIP(host) === 0 && this.#context.network === undefined
    return isName ? (this.rpc.peerAddress ?? host) : host
  }

  async #openMount(version: 1 | 3): Promise<RpcClient> {
    const port = this.#options.mountPort ?? (await this.#mountPort(version))
    return RpcClient.open(this.#context, { host: this.#host, port, tls: 'none' }, this.rpc.credential)
  }

  /** Asks the portmapper for the port of MOUNT. */
  async #mountPort(version: 1 | 3): Promise<number> {
    const { portmapPort = 111 } = this.#options
    const peer = { host: this.#host, port: portmapPort, tls: 'none' } as const
    const rpc = await RpcClient.open(this.#context, peer, null).catch((error: unknown) => {
      if (!RetrievalError.is(error) || error.code !== 'connect-failed') throw error
      const advice = { option: 'nfs.mountPort' } as const
      const what = `The server has no public filehandle, and no portmapper answers at port ${portmapPort}`
      const message = `${what}. Name the port of its MOUNT service by ${adviceText(advice)}.`
      throw this.#context.error(error.code, message, { phase: 'connect', advice, cause: error })
    })
    try {
      const port = await portOf(rpc, version)
      if (port >= 1 && port <= 65_535) return port
      const message = 'The server has no public filehandle, and its portmapper knows no MOUNT service over TCP.'
      throw this.#context.error('server-refused', message)
    } finally {
      rpc.close()
    }
  }

  /** Mounts the longest part of the path that the server exports. Returns the names after it, too. */
  async #mount(
    rpc: RpcClient,
    version: 1 | 3,
  ): Promise<{ readonly mounted: Mounted; readonly path: string; readonly names: readonly string[] }> {
    const names = this.#names()
    const inMount = names.findIndex((name) => name.includes('/'))
    let refusal: NfsStatus | undefined
    let tries = 0
    for (let count = inMount === -1 ? names.length : inMount; count >= 0; count--) {
      const path = `/${names.slice(0, count).join('/')}`
      if (path.length > maxMountPath) continue
      if (++tries > maxMounts) break
      try {
        return { mounted: await this.#mountOnce(rpc, version, path), path, names: names.slice(count) }
      } catch (error) {
        if (!isOtherPathWorthwhile(error)) throw error
        // A refusal says more than the error that there is no such path.
        if (refusal === undefined || error.status === 13) refusal = error
      }
    }
    throw refusal ?? new NfsStatus(statuses.noEntry, 'MNT')
  }

  async #mountOnce(rpc: RpcClient, version: 1 | 3, path: string): Promise<Mounted> {
    try {
      return await mount(rpc, version, path)
    } catch (error) {
      if (!this.#wantsName(error, rpc)) throw error
      rpc.credential = nobody
      return await mount(rpc, version, path)
    }
  }

  async #byVersion4(): Promise<Located | Redirect> {
    this.version = 4
    const files = new NfsV4(this.rpc)
    const root = await this.#authenticated(() => this.#root4(files))
    return this.#walk(files, root, this.#names())
  }

  async #root4(files: NfsV4): Promise<Found> {
    if (this.#plan.path.startsWith('/')) return files.root('root')
    try {
      return await files.root('public')
    } catch (error) {
      if (!(error instanceof NfsStatus) || error.procedure !== 'PUTPUBFH') throw error
      return files.root('root')
    }
  }

  /** Looks one name up after the other. A link on the way leads elsewhere, with the names after it. */
  async #walk(files: NfsFiles, start: Found, names: readonly string[]): Promise<Located | Redirect> {
    const before = this.#names().length - names.length
    let found = start
    for (const [index, name] of names.entries()) {
      if (found.attributes.kind === 'link') {
        return this.follow(files, found, { count: before + index, isPublic: false })
      }
      const directory = found.handle
      found = await this.#authenticated(() => files.lookup(directory, name))
    }
    return { outcome: 'located', files, found, isPublic: false }
  }

  /** Makes the redirect of a link. The first `count` names of the path lead to it; by default all of them. */
  async follow(
    files: NfsFiles,
    { handle }: Found,
    { count, isPublic }: { readonly count?: number; readonly isPublic: boolean },
  ): Promise<Redirect> {
    const text = await files.readLink(handle)
    const names = this.#names()
    const all = names.map((name) => encodeOctets(name))
    const path = `${this.#plan.path.startsWith('/') ? '/' : ''}${all.slice(0, count).join('/')}`
    const rest = count === undefined ? '' : all.slice(count).join('/')
    return followLink(this.#plan, { text, path, rest, isUrl: isPublic }, this.rpc.peerAddress)
  }

  /** Returns the names of the path, decoded. */
  #names(): string[] {
    return this.#plan.path
      .split('/')
      .filter((name) => name !== '' && name !== '.')
      .map(decodeOctets)
  }

  /** Calls again as nobody, if the server wants to know a user and the caller has named none. */
  async #authenticated<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!this.#wantsName(error, this.rpc)) throw error
      this.rpc.credential = nobody
      return await call()
    }
  }

  #wantsName(error: unknown, { credential }: RpcClient): boolean {
    if (credential !== null || this.#options.uid !== undefined) return false
    return (
      (error instanceof RpcRefusal && error.why === 'auth') || (error instanceof NfsStatus && error.status === 10_016)
    )
  }
}

function isVersion(error: unknown): error is RpcRefusal {
  return error instanceof RpcRefusal && error.why === 'version'
}

/**
 * Whether the error is an answer of a server without a public filehandle (RFC 2224 7). Some cannot even read an empty
 * one.
 */
function isNoPublicHandle(error: unknown): boolean {
  if (error instanceof RpcRefusal) return error.why === 'arguments'
  return error instanceof NfsStatus && [statuses.stale, statuses.invalid, statuses.badHandle].includes(error.status)
}

/** Whether the server has no MOUNT, or MOUNT does not know the path. */
function isMountFailure(error: unknown): boolean {
  if (RetrievalError.is(error)) return ['connect-failed', 'server-refused', 'receive-failed'].includes(error.code)
  return error instanceof RpcRefusal || (error instanceof NfsStatus && error.procedure === 'MNT')
}
