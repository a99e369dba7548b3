import { type AccessPlans, octetsToText, RetrievalError, utf8Octets } from '@retriever/core'
import type { Stats } from 'ssh2'
import { extentOf } from '../plugin/extent.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { checkDate } from '../plugin/request-options.ts'
import { ReadAheadBody, readAt } from '../wire/read-ahead.ts'
import { attributesOf } from './attributes.ts'
import { openFile } from './body.ts'
import { readDirectory } from './directory.ts'
import { statusError } from './errors.ts'
import { askLogin, noLogin, OtherUser } from './login.ts'
import { readSsh, type SshOptions } from './options.ts'
import { openSession, type SftpSession } from './session.ts'

export type { HostKeySource, SshOptions } from './options.ts'

/** A fetcher for files and directories over SSH (SFTP version 3), by the package ssh2. */
export function sftpFetcher(options: SshOptions = {}): Fetcher<'sftp'> {
  const ssh = readSsh(options)
  return {
    mechanism: 'sftp',
    async retrieve(plan, context) {
      const session = await connect(plan, context, ssh)
      try {
        return await open(pathOf(plan, context), session, context)
      } catch (cause) {
        session.close()
        throw RetrievalError.is(cause) ? cause : statusError(context, cause)
      }
    },
  }
}

async function connect(plan: AccessPlans['sftp'], context: RetrievalContext, ssh: SshOptions): Promise<SftpSession> {
  const known = plan.user === null ? ssh.user : octetsToText(plan.user)
  const found = known === undefined ? await askLogin(plan, context) : null
  const user = known ?? found?.credentials.user
  if (user === undefined) throw noLogin(context, [])
  try {
    return await openSession(plan, context, ssh, { user, found })
  } catch (error) {
    found?.end()
    if (!(error instanceof OtherUser)) throw error
    return openSession(plan, context, ssh, error.attempt)
  }
}

/** The path as text: ssh2 sends text alone, as UTF-8. */
function pathOf({ path }: AccessPlans['sftp'], context: RetrievalContext): string {
  const text = octetsToText(path)
  if (utf8Octets(text) === path) return text
  throw context.error('refused', 'The path is not UTF-8; only such names can be asked for.', { phase: 'policy' })
}

async function open(path: string, session: SftpSession, context: RetrievalContext): Promise<Retrieved<'sftp'>> {
  const stats = await session.call<Stats>('request', `STAT ${path}`, (sftp, done) => sftp.stat(path, done))
  if (stats.isDirectory()) return readDirectory(path, stats, session, context)
  const { mode, modified, ...told } = attributesOf(stats)
  // Without a mode the server does not tell what it is.
  if (mode !== null && !stats.isFile()) {
    throw context.error('refused', 'It is a device, FIFO or socket, not a file.', { phase: 'request' })
  }
  if (modified !== null) checkDate(context, modified)
  const handle = await session.call<Buffer>('request', `OPEN ${path}`, (sftp, done) => sftp.open(path, 'r', done))
  const file = openFile(session, handle, context)
  // The system's own files (/proc) say that they are empty; only reading tells.
  const size = told.size === 0 ? null : told.size
  const extent = await extentOf(
    (position, length) => readAt(file, position, length),
    { size, modified, precision: 1000 },
    context,
  )
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: null,
    charset: null,
    size: size === null ? null : extent.end - extent.start,
    offset: extent.start,
    modified,
    completeness: size === null ? 'terminated' : 'verified',
    metadata: {},
    body: new ReadAheadBody(file, context, extent),
  }
}
