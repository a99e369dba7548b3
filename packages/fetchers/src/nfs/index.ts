import type { AccessPlans } from '@retriever/core'
import { extentOf } from '../plugin/extent.ts'
import type { Fetcher, Outcome, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { checkDate } from '../plugin/request-options.ts'
import { ReadAheadBody, type RemoteFile, readAt } from '../wire/read-ahead.ts'
import { readDirectory } from './directory.ts'
import { type Located, Locator } from './locate.ts'
import { type NfsOptions, readNfs } from './options.ts'
import { PatientReader } from './patient-reader.ts'
import { RpcClient } from './rpc.ts'
import { failure } from './status.ts'

export type { NfsOptions } from './options.ts'

/** The memory for reads that are under way, in octets: it keeps 400 Mbit/s busy over 80 ms. */
const window = 4 * 1024 * 1024

/**
 * A fetcher for files and directories over NFS (RFC 2224): by the public filehandle of WebNFS, by MOUNT, or by version
 * 4. It speaks the versions 3, 2 and 4.0 over TCP.
 */
export function nfsFetcher(options: NfsOptions = {}): Fetcher<'nfs'> {
  const nfs = readNfs(options)
  return {
    mechanism: 'nfs',
    async retrieve(plan, context) {
      const { uid, gid = uid } = nfs
      const credential = uid === undefined || gid === undefined ? null : { uid, gid }
      const rpc = await RpcClient.open(context, plan, credential)
      return await retrieve(new Locator(plan, context, nfs, rpc), plan, context)
    },
  }
}

async function retrieve(
  locator: Locator,
  plan: AccessPlans['nfs'],
  context: RetrievalContext,
): Promise<Outcome<'nfs'>> {
  const { rpc } = locator
  const end = (error?: unknown): unknown => {
    rpc.close()
    return failure(context, error, locator.version)
  }
  try {
    const located = await locator.locate()
    if (located.outcome === 'redirect') {
      rpc.end()
      return located
    }
    const { found, files, isPublic } = located
    switch (found.attributes.kind) {
      case 'directory':
        return readDirectory(located, context, end)
      case 'file':
        if (plan.path.endsWith('/')) throw context.error('not-found', 'It is a file, and the URL names a directory.')
        return await readFile(located, context, end)
      case 'link': {
        const redirect = await locator.follow(files, found, { isPublic })
        rpc.end()
        return redirect
      }
      default:
        throw context.error('refused', 'It is a device, FIFO or socket, not a file.', { phase: 'request' })
    }
  } catch (error) {
    throw end(error)
  }
}

async function readFile(
  { files, found }: Located,
  context: RetrievalContext,
  end: (error?: unknown) => unknown,
): Promise<Retrieved<'nfs'>> {
  const { size, modified, fileId } = found.attributes
  checkDate(context, modified)
  const { pieceSize } = files
  const reader = new PatientReader(files, found.handle, context)
  const file: RemoteFile = {
    pieceSize,
    ahead: Math.min(64, window / pieceSize),
    readPart: (position, length, phase) => reader.read(position, length, phase),
    failure: end,
    close: () => void end(),
  }
  const extent = await extentOf((position, length) => readAt(file, position, length), { size, modified }, context)
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: null,
    charset: null,
    size: extent.end - extent.start,
    offset: extent.start,
    modified,
    completeness: 'verified',
    metadata: { version: files.version, fileId },
    body: new ReadAheadBody(file, context, extent),
  }
}
