import { type AccessPlans, octetsToText, printable } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { extentOf } from '../../kit/extent.ts'
import { checkDate } from '../../kit/request-options.ts'
import { inSession } from '../../wire/pool/in-session.ts'
import type { LoginTarget } from '../../wire/pool/pool-key.ts'
import type { RefusedLogins } from '../../wire/pool/refused-logins.ts'
import { type Lease, SessionPool, type SessionProtocol } from '../../wire/pool/session-pool.ts'
import { ReadAheadBody, readAt } from '../../wire/read-ahead.ts'
import { sftp } from './about.ts'
import { fileKind, readAttributes } from './attributes.ts'
import { FileBody, openFile } from './body.ts'
import { keptEntries, readDirectory } from './directory.ts'
import { askLogin, noLogin, OtherUser } from './login.ts'
import { openSession } from './open.ts'
import { readSsh, type SshOptions } from './options.ts'
import { packet } from './packets.ts'
import type { SftpSession } from './session.ts'
import { operationError } from './ssh-errors.ts'

export type { HostKeySource, NamedKey, PrivateKeySource, SshOptions } from './options.ts'

/** How many retrievals use one connection at a time. OpenSSH's server opens up to 1,019 files in it. */
const shared = 64

/**
 * A plan with the user of the login. Its `tls` is not `none`, so that the pool tells TLS options apart: they say which
 * keys are accepted.
 */
type SftpTarget = LoginTarget & { readonly plan: AccessPlans['sftp'] }

/**
 * Makes a fetcher for files and directories over SSH (SFTP version 3). The package ssh2 speaks SSH. All retrievals with
 * one login share one connection, which is kept for some seconds.
 */
export function sftpFetcher(options: SshOptions = {}): Fetcher<'sftp'> {
  const ssh = readSsh(options)
  const pool = new SessionPool(sftpSessions(ssh))
  return {
    ...sftp,
    retrieve(plan, context) {
      const { user = null } = ssh
      const target = { ...plan, tls: 'ssh', user: plan.user ?? (user === null ? null : utf8Octets(user)), plan }
      return inSession(pool, target, context, async (lease) => {
        try {
          return await open(plan.path, lease, context)
        } catch (cause) {
          throw operationError(context, cause)
        }
      })
    },
    async reread(answer, plan, context) {
      if (answer.kind !== 'listing' && !plan.path.endsWith('/')) return answer
      return { ...answer, kind: 'listing', entries: (body) => keptEntries(body, context) }
    },
    dispose: async () => pool.close(),
  }
}

function sftpSessions(ssh: SshOptions): SessionProtocol<SftpSession, SftpTarget, null> {
  return {
    newQuirks: () => null,
    open: ({ plan }, context, _quirks, refused) => connect(plan, context, ssh, refused),
    capacity: () => shared,
    // A login costs more than all requests for a small file, and servers refuse many logins at a time (MaxStartups).
    perLogin: 1,
    pick: (sessions) => sessions.find(({ isDoubtful }) => !isDoubtful),
  }
}

async function connect(
  plan: AccessPlans['sftp'],
  context: RetrievalContext,
  ssh: SshOptions,
  refused: RefusedLogins,
): Promise<SftpSession> {
  const known = plan.user === null ? ssh.user : octetsToText(plan.user)
  const found = known === undefined ? await askLogin(plan, context) : null
  const user = known ?? found?.credentials.user
  if (user === undefined) throw noLogin(context, [])
  try {
    return await openSession(plan, context, ssh, { user, found, refused })
  } catch (error) {
    found?.end()
    if (!(error instanceof OtherUser)) throw error
    return openSession(plan, context, ssh, { ...error.attempt, refused })
  }
}

/** Opens a path. It has one octet a character, as names of SFTP do. */
async function open(path: string, lease: Lease<SftpSession>, context: RetrievalContext): Promise<Retrieved<'sftp'>> {
  const { session, giveBack } = lease
  const shown = printable(octetsToText(path))
  const attributes = readAttributes(
    await session.ask(context, 'request', `STAT ${shown}`, [packet.stat, path], packet.attributes),
  )
  const { mode, modified } = attributes
  if (fileKind(attributes) === 'directory') {
    const listing = await readDirectory(path, attributes, session, context)
    giveBack()
    return listing
  }
  // Without a mode we do not know what it is.
  if (mode !== null && fileKind(attributes) !== 'file') {
    throw context.error('refused', 'It is a device, FIFO or socket, not a file.', { phase: 'request' })
  }
  if (modified !== null) checkDate(context, modified)
  // The flags ask for reading; no attributes are set.
  const request = [packet.open, path, 1, 0] as const
  const handle = (await session.ask(context, 'request', `OPEN ${shown}`, request, packet.handle)).octets()
  let body: FileBody | undefined
  const file = openFile(session, handle, context, () => {
    if (body !== undefined) session.bodies.delete(body)
    giveBack()
  })
  // The system's own files (/proc) claim to be empty, so only reading shows their size.
  const size = attributes.size === 0 ? null : attributes.size
  try {
    const extent = await extentOf(
      (position, length) => readAt(file, position, length),
      { size, modified, precision: 1000 },
      context,
    )
    body = new FileBody(new ReadAheadBody(file, context, extent), context)
    session.bodies.add(body)
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
      body,
    }
  } catch (error) {
    session.release(handle)
    throw error
  }
}
