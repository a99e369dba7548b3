import { type ErrorCode, printable, type RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { NfsStatus } from './files.ts'
import { RpcRefusal } from './rpc.ts'
import { XdrError } from './xdr.ts'

/** The names of the status values of NFS and MOUNT (RFC 1813 2.6, RFC 7530 13), without NFSERR_ and the like. */
const names: Readonly<Record<number, string>> = {
  1: 'PERM',
  2: 'NOENT',
  5: 'IO',
  6: 'NXIO',
  13: 'ACCES',
  18: 'XDEV',
  19: 'NODEV',
  20: 'NOTDIR',
  21: 'ISDIR',
  22: 'INVAL',
  27: 'FBIG',
  31: 'MLINK',
  63: 'NAMETOOLONG',
  69: 'DQUOT',
  70: 'STALE',
  71: 'REMOTE',
}

const namesOf3: Readonly<Record<number, string>> = {
  10001: 'BADHANDLE',
  10002: 'NOT_SYNC',
  10003: 'BAD_COOKIE',
  10004: 'NOTSUPP',
  10005: 'TOOSMALL',
  10006: 'SERVERFAULT',
  10007: 'BADTYPE',
  10008: 'JUKEBOX',
}

const namesOf4: Readonly<Record<number, string>> = {
  ...namesOf3,
  10008: 'DELAY',
  10013: 'GRACE',
  10014: 'FHEXPIRED',
  10016: 'WRONGSEC',
  10018: 'RESOURCE',
  10019: 'MOVED',
  10020: 'NOFILEHANDLE',
  10021: 'MINOR_VERS_MISMATCH',
  10022: 'STALE_CLIENTID',
  10025: 'BAD_STATEID',
  10029: 'SYMLINK',
  10036: 'BADXDR',
  10040: 'BADCHAR',
  10041: 'BADNAME',
  10044: 'OP_ILLEGAL',
}

export const statuses = { noEntry: 2, noDirectory: 20, invalid: 22, stale: 70, badHandle: 10_001, symlink: 10_029 }

/** The status values after which the same call may succeed later. */
const passing: ReadonlySet<number> = new Set([10_008, 10_013])

/** Returns a name such as `NFS3ERR_NOENT`, or the number if it has no name. */
function nameOf({ status, procedure }: NfsStatus, version: 2 | 3 | 4): string {
  const prefix = procedure === 'MNT' ? 'MNT3ERR_' : { 2: 'NFSERR_', 3: 'NFS3ERR_', 4: 'NFS4ERR_' }[version]
  const name = names[status] ?? (version === 4 ? namesOf4 : namesOf3)[status]
  return name === undefined ? `status ${status}` : `${prefix}${name}`
}

/**
 * Makes the error for a status, a refusal of the call, or octets that are no answer. Returns any other error unchanged.
 */
export function failure(context: RetrievalContext, cause: unknown, version: 2 | 3 | 4): unknown {
  if (cause instanceof NfsStatus) return statusError(context, cause, version)
  if (cause instanceof RpcRefusal) return refusal(context, cause)
  if (!(cause instanceof XdrError)) return cause
  const message = `The answer is not valid NFS: ${printable(cause.message)}; the connection was closed.`
  return context.error('protocol-violation', message)
}

function statusError(context: RetrievalContext, cause: NfsStatus, version: 2 | 3 | 4): RetrievalError {
  const { status, procedure } = cause
  const reply = `${procedure}: ${nameOf(cause, version)}`
  const meaning = meaningOf(status)
  // LOOKUP and GETATTR need no permission to read, so only READ finds out that a file may not be read.
  const isBroken = context.deadline.phase === 'body' && meaning[0] !== 'access-denied'
  const [code, what] = isBroken ? (['partial', 'The server broke the file off'] as const) : meaning
  if (!isBroken && procedure === 'MNT' && code === 'access-denied') {
    const advice = { option: 'network.localPort' } as const
    const remedy = `Many servers answer only calls from ports below 1024; ${adviceText(advice)} chooses one.`
    return context.error(code, `${what} (${reply}). ${remedy}`, { reply, advice })
  }
  return context.error(code, `${what} (${reply}).`, { reply, transient: passing.has(status) })
}

function meaningOf(status: number): readonly [code: ErrorCode, what: string] {
  switch (status) {
    case 2:
    case 20:
    case 63:
      return ['not-found', 'The server has no such file or directory']
    case 1:
    case 13:
    case 10_016:
      return ['access-denied', 'The server denies access']
    default:
      return ['server-refused', 'The server refused']
  }
}

/** auth_stat (RFC 5531 9). */
const authNames = ['OK', 'BADCRED', 'REJECTEDCRED', 'BADVERF', 'REJECTEDVERF', 'TOOWEAK'] as const

function refusal(context: RetrievalContext, { why, low, high }: RpcRefusal): RetrievalError {
  switch (why) {
    case 'auth': {
      const name = authNames[low]
      const reply = name === undefined ? `auth_stat ${low}` : `AUTH_${name}`
      const advice = { option: 'nfs.uid' } as const
      const message = `The server wants to know who calls (${reply}); name a user by ${adviceText(advice)}.`
      return context.error('access-denied', message, { reply, advice })
    }
    case 'version':
    case 'rpc-version': {
      const reply = `${why === 'version' ? 'PROG' : 'RPC'}_MISMATCH ${low} to ${high}`
      return context.error('server-refused', `The server knows none of the versions that are spoken here (${reply}).`, {
        reply,
      })
    }
    default: {
      const reply = {
        program: 'PROG_UNAVAIL',
        procedure: 'PROC_UNAVAIL',
        arguments: 'GARBAGE_ARGS',
        system: 'SYSTEM_ERR',
      }[why]
      return context.error('server-refused', `The server does not carry out the call (${reply}).`, { reply })
    }
  }
}
