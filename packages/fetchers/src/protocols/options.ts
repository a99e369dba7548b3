import type { Mechanism } from '@retriever/core'
import type { Protocol } from '../contract/about.ts'
import { type OptionKind, record } from '../kit/options.ts'
import { builtinMechanisms, builtinProtocols } from './index.ts'
import { type NfsOptions, readNfs } from './nfs/options.ts'
import { readSsh, type SshOptions } from './sftp/options.ts'

/** The options of a client that belong to its protocols. */
export interface ProtocolOptions {
  /**
   * The mechanisms whose built-in fetchers the client has. False: none, so that only `fetchers` retrieve. Default: all
   * of `builtinMechanisms`.
   */
  readonly builtins?: false | readonly Mechanism[]
  /** SSH servers' keys, and the client's own, for sftp URLs. Default: no server is known. */
  readonly ssh?: SshOptions
  /** The user that NFS servers get, and their ports in addition to the URL's. Default: no user. */
  readonly nfs?: NfsOptions
}

declare module '@retriever/core' {
  interface AdvisedOptions extends Readonly<Record<keyof ProtocolOptions, true>> {}
}

const builtinList: OptionKind = [
  `false, or an array of mechanisms: ${builtinMechanisms.join(', ')}`,
  (value) => value === false || (Array.isArray(value) && value.every((each) => builtinMechanisms.includes(each))),
]

export const protocolKinds: Readonly<Record<keyof ProtocolOptions, OptionKind>> = {
  builtins: builtinList,
  ssh: record,
  nfs: record,
}

/** Returns the protocols of a client with these options, and those that it omits. Throws `invalid-option`. */
export function readProtocols(options: ProtocolOptions, localHosts: readonly string[]): readonly Protocol[] {
  const protocols = builtinProtocols({ localHosts, ssh: readSsh(options.ssh), nfs: readNfs(options.nfs) })
  const { builtins } = options
  if (builtins === undefined) return protocols
  const wanted = builtins === false ? [] : [...builtins]
  return protocols.map((protocol) =>
    wanted.includes(protocol.mechanism)
      ? protocol
      : { ...protocol, leftOut: { option: 'builtins', value: protocol.mechanism } },
  )
}
