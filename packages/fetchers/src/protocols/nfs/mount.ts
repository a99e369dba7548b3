import { NfsStatus } from './files.ts'
import { statusOf } from './program.ts'
import type { RpcClient } from './rpc.ts'
import { opaque, word } from './xdr.ts'

const portmapper = 100_000
const mountProgram = 100_005
const tcp = 6
const maxHandle = 64

/** Asks the portmapper for the port of a program over TCP (RFC 1833 3). 0: it is not registered. */
export async function portOf(rpc: RpcClient, version: number): Promise<number> {
  const procedure = { program: portmapper, version: 2, number: 3, name: 'GETPORT' }
  return (await rpc.call(procedure, word(mountProgram) + word(version) + word(tcp) + word(0))).word()
}

/** What MNT gives: a handle, and the ways of authentication that the server takes (version 3). */
export interface Mounted {
  readonly handle: string
  readonly flavors: readonly number[]
}

/** Calls MNT of version 3 (RFC 1813 5.2.1), or of version 1 for NFS version 2 (RFC 1094 A.5.1). */
export async function mount(rpc: RpcClient, version: 1 | 3, path: string): Promise<Mounted> {
  const procedure = { program: mountProgram, version, number: 1, name: 'MNT' }
  const xdr = statusOf(await rpc.call(procedure, opaque(path)), 'MNT')
  if (version === 1) return { handle: xdr.fixed(32), flavors: [] }
  const handle = xdr.opaque(maxHandle)
  const count = Math.min(xdr.word(), 32)
  return { handle, flavors: Array.from({ length: count }, () => xdr.word()) }
}

/** Calls UMNT, so that the server forgets the mount. If the server does not care, that is no error. */
export async function unmount(rpc: RpcClient, version: 1 | 3, path: string): Promise<void> {
  await rpc.call({ program: mountProgram, version, number: 3, name: 'UMNT' }, opaque(path))
}

/** Whether another path may succeed after this status of MNT: the path is not exported, or is a file. */
export function isOtherPathWorthwhile(error: unknown): error is NfsStatus {
  return error instanceof NfsStatus && error.procedure === 'MNT' && [1, 2, 13, 20, 22].includes(error.status)
}
