import { NfsStatus } from './files.ts'
import type { XdrReader } from './xdr.ts'

export const nfsProgram = 100_003

/** Reads the status that begins every procedure's results. Throws NfsStatus unless it is 0. */
export function statusOf(xdr: XdrReader, procedure: string): XdrReader {
  const status = xdr.word()
  if (status !== 0) throw new NfsStatus(status, procedure)
  return xdr
}
