import { RetrievalError } from '@retriever/core'
import type { FtpPlan } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { checkOptions, count, flag, milliseconds, type OptionKind } from '../../kit/options.ts'
import { oneRange, tellWhole } from '../../kit/request-options.ts'
import { sessionKey } from '../../wire/pool/pool-key.ts'
import { SessionPool } from '../../wire/pool/session-pool.ts'
import { ftp } from './about.ts'
import { PipelineLost } from './control/pipeline.ts'
import { isFull } from './control/refusal-words.ts'
import type { FtpQuirks } from './control/server-quirks.ts'
import { type FtpSession, ftpSessions } from './control/session.ts'
import { AccountWanted } from './login.ts'
import type { AskedLogins, FtpRetrieval } from './retrieval.ts'
import { ChangedFile, type InSession, retrieveObject } from './transfer/object.ts'

export interface FtpFetcherOptions {
  /** Whether EPSV is tried before PASV. Default true. */
  readonly epsv?: boolean
  /** Whether several commands are sent at a time, if the server takes them. Default true. */
  readonly pipelining?: boolean
  /**
   * How many connections to one server may be open. Further retrievals wait until a body is read or cancelled. Default
   * 4.
   */
  readonly connections?: number
  /** How many milliseconds an idle session is kept for the next retrieval; 0: not at all. Default 15000. */
  readonly keepSessions?: number
}

const optionKinds: Readonly<Record<keyof FtpFetcherOptions, OptionKind>> = {
  epsv: flag,
  pipelining: flag,
  connections: count,
  keepSessions: milliseconds,
}

/**
 * Makes a fetcher that retrieves by FTP (RFC 959) as RFC 1738 3.2 maps a URL: login, one CWD for each segment, TYPE,
 * then RETR or NLST. A session that ends well is kept for some seconds, for the next retrieval from the same server.
 */
export function ftpFetcher(options: FtpFetcherOptions = {}): Fetcher<'ftp'> {
  checkOptions(options, optionKinds, 'ftpFetcher.')
  const { epsv = true, pipelining = true, connections, keepSessions } = options
  const pool = new SessionPool(ftpSessions({ epsv, pipelining }), connections, keepSessions)
  return {
    ...ftp,
    asked: { epsv, pipelining },
    retrieve: (plan, context) => retrieve(pool, plan, context),
    async reread(answer, plan, context) {
      if (answer.kind !== 'listing' && !isListing(plan)) return answer
      const { keptEntries } = await import('./listing/kept.ts')
      return { ...answer, kind: 'listing', entries: keptEntries(plan, context) }
    },
    dispose: async () => pool.close(),
  }
}

function isListing({ name, typecode }: FtpPlan): boolean {
  return name === '' || typecode === 'd'
}

type FtpPool = SessionPool<FtpSession, FtpPlan, FtpQuirks>

async function retrieve(pool: FtpPool, plan: FtpPlan, context: RetrievalContext): Promise<Retrieved<'ftp'>> {
  checkRange(plan, context, isListing(plan))
  if (isListing(plan)) {
    const { retrieveListing } = await import('./listing/listing.ts')
    return inSession(pool, plan, context, retrieveListing)
  }
  try {
    return await retrieveFile(pool, plan, context)
  } catch (error) {
    if (!(error instanceof ChangedFile)) throw error
    tellWhole(context, 'the octets before it are not those of the file')
    const { resumeFrom: _, ...request } = context.request
    return retrieveFile(pool, plan, { ...context, request })
  }
}

function retrieveFile(pool: FtpPool, plan: FtpPlan, context: RetrievalContext): Promise<Retrieved<'ftp'>> {
  const inThisSession: InSession = (use) => inSession(pool, plan, context, use)
  return inThisSession((retrieval) => retrieveObject(retrieval, inThisSession))
}

/**
 * Runs `use` in a session. It runs again in a new session if the session failed and not the request: the session was
 * lost while idle, or the server cannot cope with the faster ways. Each reason counts once.
 */
async function inSession<T>(
  pool: FtpPool,
  plan: FtpPlan,
  context: RetrievalContext,
  use: (retrieval: FtpRetrieval) => Promise<T>,
): Promise<T> {
  const asked: AskedLogins = { login: null, account: null, refused: null }
  try {
    return await repeated(pool, plan, context, asked, use)
  } finally {
    // If this retrieval failed before its login was accepted, others may ask for the login.
    asked.login?.end()
    asked.account?.end()
  }
}

async function repeated<T>(
  pool: FtpPool,
  plan: FtpPlan,
  context: RetrievalContext,
  asked: AskedLogins,
  use: (retrieval: FtpRetrieval) => Promise<T>,
): Promise<T> {
  const reasons = new Set<string>()
  const { deadline } = context
  while (true) {
    const { session, giveBack, drop } = await pool.lease(plan, context, reasons.size > 0)
    let isDone = false
    const done = (): void => {
      isDone = true
      giveBack()
    }
    try {
      const result = await use({ plan, context, session, asked, done, drop })
      // A listener of the last event may have ended the retrieval, which closes the session.
      deadline.throwIfAborted()
      return result
    } catch (thrown) {
      const error = thrown instanceof PipelineLost ? thrown.cause : thrown
      const isToWait = isFull(error) && pool.lowerCap(plan)
      if (!isDone) drop()
      // Throws why the retrieval was aborted. Otherwise the error would be a consequence: a command cannot be sent,
      // because the control connection is closed.
      deadline.throwIfAborted()
      if (isToWait) {
        context.emit({ type: 'retried', url: context.url, error, delay: 0 })
        continue
      }
      const reason =
        thrown instanceof PipelineLost ? 'pipelining' : reasonToRepeat(error, { session, plan, context, asked })
      // Sending one command at a time did not help, so pipelining was not the cause.
      if (reasons.has('pipelining') && RetrievalError.is(error) && isConfused(error))
        session.quirks.pipelining = undefined
      if (reasons.has('octet') && RetrievalError.is(error) && error.code === 'not-found') session.quirks.telnet = true
      if (reason === null || reasons.has(reason)) {
        session.refused.note(session.loginKey ?? sessionKey(plan, context), error)
        throw error
      }
      reasons.add(reason)
      // Closes the session even if it was given back.
      drop()
      if (RetrievalError.is(error)) context.emit({ type: 'retried', url: context.url, error, delay: 0 })
    }
  }
}

type Parties = Pick<FtpRetrieval, 'session' | 'plan' | 'context' | 'asked'>

/**
 * Notes in the quirks how the next try must differ, and returns the reason for it. Returns null if there should be no
 * other try.
 */
function reasonToRepeat(error: unknown, { session, plan, context, asked }: Parties): string | null {
  const { quirks, control } = session
  if (error instanceof AccountWanted) {
    quirks.pipelining = false
    return 'account'
  }
  if (!RetrievalError.is(error)) return null
  if (error.code === 'auth-failed' && asked.login?.isRemembered) {
    // Somebody has changed the password since the server accepted it.
    asked.refused = { credentials: asked.login.credentials, error }
    asked.login.refused()
    asked.login = null
    return 'login'
  }
  if (control.transferDropped || isOfConnection(error)) session.noteTransferFailed()
  if (control.transferDropped) return 'prefetch'
  if (session.served > 0 && isOfConnection(error)) return 'reused'
  if (session.isWaitingForData && session.prefetchedPort !== null) {
    quirks.prefetching = false
    return 'prefetch'
  }
  if (session.isWaitingForData && quirks.passive === 'EPSV') {
    quirks.passive = 'PASV'
    return 'passive'
  }
  if (error.code === 'range-refused' && context.request.resumeFrom !== undefined && error.reply !== undefined) {
    quirks.unknown.add('REST')
    return 'restart'
  }
  // Another retrieval may have noted it in the quirks in the meantime.
  const isDoubtful = isConfused(error) || (control.hasForgotten && error.reply !== undefined)
  // Many servers do not undo the doubling of the octet FF, and then do not find the name.
  if (
    error.code === 'not-found' &&
    control.isTelnet &&
    [...plan.cwd, plan.name].some((name) => name.includes('\xFF'))
  ) {
    quirks.telnet = false
    return 'octet'
  }
  if (control.pipelined && quirks.pipelining !== true && isDoubtful) {
    quirks.pipelining = false
    // The 500 and 502 replies may have answered other commands.
    quirks.unknown.clear()
    if (!quirks.reached) quirks.passive = quirks.preferred
    return 'pipelining'
  }
  return null
}

/** Whether the session has ended or has unread replies. 421 ends it (RFC 959 5.4). */
function isOfConnection({ code, reply = '' }: RetrievalError): boolean {
  const codes: readonly string[] = ['receive-failed', 'protocol-violation', 'connect-failed']
  return codes.includes(code) || reply.startsWith('421')
}

/**
 * Whether the error shows that a server cannot cope with a pipeline: it hangs up, loses count, or reads the pipeline as
 * one command.
 */
function isConfused({ code, reply = '' }: RetrievalError): boolean {
  return code === 'receive-failed' || code === 'protocol-violation' || /^50[0-3]/.test(reply)
}

/** Refuses offsets except in TYPE I: in TYPE A, servers count before or after the conversion, or not at all. */
function checkRange(plan: FtpPlan, context: RetrievalContext, isListing: boolean): void {
  if (context.request.range !== undefined) oneRange(context.request.range, context)
  if (context.request.range === undefined || !(isListing || plan.typecode === 'a')) return
  const message = 'FTP has ranges of binary files only, not of text or listings; leave out the range.'
  throw context.error('range-refused', message)
}
