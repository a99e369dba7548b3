import type { AccessPlans } from '@retriever/core'
import type { Fetcher, Outcome, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { extentOf } from '../../kit/extent.ts'
import { checkDate } from '../../kit/request-options.ts'
import { ReadAheadBody, type RemoteFile, readAt } from '../../wire/read-ahead.ts'
import { type Portion, ResumingSource } from '../../wire/resuming-source.ts'
import { nfs } from './about.ts'
import { keptEntries, readDirectory } from './directory.ts'
import type { NfsFiles } from './files.ts'
import { type Located, Locator } from './locate.ts'
import { type NfsOptions, readNfs } from './options.ts'
import { PatientReader } from './patient-reader.ts'
import { RpcClient } from './rpc.ts'
import { failure } from './status.ts'
import { NfsV2 } from './v2.ts'
import { NfsV3 } from './v3.ts'
import { NfsV4 } from './v4.ts'

export type { NfsOptions } from './options.ts'

/** How many octets the reads that are under way may take: this keeps 400 Mbit/s busy over 80 ms. */
const window = 4 * 1024 * 1024

/**
 * Makes a fetcher for files and directories over NFS (RFC 2224): by the public filehandle of WebNFS, by MOUNT, or by
 * version 4. It speaks the versions 3, 2 and 4.0 over TCP.
 */
export function nfsFetcher(options: NfsOptions = {}): Fetcher<'nfs'> {
  const given = readNfs(options)
  return {
    ...nfs,
    async retrieve(plan, context) {
      const { uid, gid = uid } = given
      const credential = uid === undefined || gid === undefined ? null : { uid, gid }
      const rpc = await RpcClient.open(context, plan, credential)
      return await retrieve(new Locator(plan, context, given, rpc), plan, context)
    },
    async reread(answer, plan, context) {
      if (answer.kind !== 'listing' && plan.path !== '.' && !plan.path.endsWith('/')) return answer
      return { ...answer, kind: 'listing', entries: (body) => keptEntries(body, context) }
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
        return await readFile(located, plan, context, rpc)
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
  plan: AccessPlans['nfs'],
  context: RetrievalContext,
  rpc: RpcClient,
): Promise<Retrieved<'nfs'>> {
  const { size, modified, fileId } = found.attributes
  checkDate(context, modified)
  const file = remoteFile(files, found.handle, context, rpc)
  const extent = await extentOf((position, length) => readAt(file, position, length), { size, modified }, context)
  const portion = { octets: new ReadAheadBody(file, context, extent) }
  // A handle outlives a connection, and usually the server's restart (RFC 1813 1.3, 2.4).
  const ask = async (start: number): Promise<Portion> => {
    const other = await RpcClient.open(context, plan, rpc.credential)
    const again = filesOf(files.version, other)
    const rest = remoteFile(again, found.handle, context, other)
    try {
      const now = await again.attributes(found.handle)
      if (now.size === size && now.modified.getTime() === modified.getTime()) {
        return { octets: new ReadAheadBody(rest, context, { start, end: extent.end }) }
      }
      throw context.error('partial', 'The file was changed while it was retrieved.', { phase: 'body' })
    } catch (error) {
      throw rest.failure(error)
    }
  }
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
    body: new ResumingSource(context, { ask }, { offset: extent.start, portion }),
  }
}

function filesOf(version: NfsFiles['version'], rpc: RpcClient): NfsFiles {
  if (version === 2) return new NfsV2(rpc)
  return version === 3 ? new NfsV3(rpc) : new NfsV4(rpc)
}

/** Makes a file that is read over one connection. The end of the file closes the connection. */
function remoteFile(files: NfsFiles, handle: string, context: RetrievalContext, rpc: RpcClient): RemoteFile {
  const { pieceSize, version } = files
  const reader = new PatientReader(files, handle, context)
  return {
    pieceSize,
    ahead: Math.min(64, window / pieceSize),
    readPart: (position, length, phase) => reader.read(position, length, phase),
    failure(cause) {
      rpc.close()
      return failure(context, cause, version)
    },
    close: () => rpc.close(),
  }
}
