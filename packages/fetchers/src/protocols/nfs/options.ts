import { invalidOption } from '../../kit/limits.ts'
import { checkOptions, type OptionKind } from '../../kit/options.ts'

/** How NFS servers are asked, and as which user. */
export interface NfsOptions {
  /**
   * The user and group that the server should believe the caller to be (AUTH_SYS), 0 to 4294967295; nothing proves
   * them. `gid` needs `uid`, and is the same number by default. Default: no user (AUTH_NONE), or, if the server wants
   * AUTH_SYS, user and group 65534, which mean nobody. The name of this machine is never sent.
   */
  readonly uid?: number
  readonly gid?: number
  /** The port of the server's MOUNT service. If it is given, the portmapper is not asked. */
  readonly mountPort?: number
  /** The port of the portmapper. Default 111. */
  readonly portmapPort?: number
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<`nfs.${keyof NfsOptions}`, true>> {}
}

const id: OptionKind = [
  'a whole number from 0 to 4294967295',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32,
]
const port: OptionKind = [
  'a port from 1 to 65535',
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
]

const kinds: Readonly<Record<keyof NfsOptions, OptionKind>> = { uid: id, gid: id, mountPort: port, portmapPort: port }

/** Checks the options and returns a copy. Throws RetrievalError `invalid-option`. */
export function readNfs(options: NfsOptions = {}): NfsOptions {
  checkOptions(options, kinds, 'nfs.')
  if (options.gid !== undefined && options.uid === undefined) {
    throw invalidOption('nfs.gid', 'nfs.uid beside it', 'no user')
  }
  return { ...options }
}
