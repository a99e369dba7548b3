import { ftpCommands } from '@retriever/core'
import type { Step } from '../control/pipeline.ts'
import { isPermanent, isPositive, type Reply, refusedByServer, shownName } from '../control/replies.ts'
import type { FtpRetrieval } from '../retrieval.ts'

/**
 * The commands that lead to the directory: one CWD a segment, since `/` may mean nothing to the server (VMS, MVS; RFC
 * 1738 3.2.2). None where the session is there already. From elsewhere they first go back to the entry directory,
 * which the reply to PWD must confirm.
 */
export function directorySteps(retrieval: FtpRetrieval): readonly Step[] {
  const { session, plan } = retrieval
  if (session.isIn(plan.cwd)) return []
  if (session.directory.length === 0) return [...entrySteps(retrieval), ...segmentSteps(retrieval, 0)]
  if (session.isAbove(plan.cwd)) return segmentSteps(retrieval, session.directory.length)
  return [...returnSteps(retrieval), ...segmentSteps(retrieval, 0)]
}

/** Whether the path has an empty segment, so that each reply decides the next command. */
export function needsWalk({ plan, session }: FtpRetrieval): boolean {
  return plan.cwd.includes('') && !session.isIn(plan.cwd)
}

/**
 * Goes to the directory one command at a time. An empty segment is `CWD ` and CRLF, the null argument that the URL
 * means.
 */
export async function walk(retrieval: FtpRetrieval): Promise<void> {
  const { session, plan } = retrieval
  const { control } = session
  for (const { phase, command, onReply } of session.directory.length === 0 ? [] : returnSteps(retrieval)) {
    onReply(await control.ask(phase, command))
  }
  let moved = false
  for (const [index, command] of ftpCommands(plan).directories.entries()) {
    const reply = await changeDirectory(retrieval, command)
    if (isPositive(reply)) moved = true
    // The session is in the entry directory still, where the null argument leads on servers that take it.
    else if (plan.cwd[index] !== '' || !isPermanent(reply) || moved) throw cwdError(retrieval, reply, index)
  }
}

/**
 * PWD, for the way back later: where this is the second retrieval of the session, or the server has had other
 * directories.
 */
function entrySteps({ session }: FtpRetrieval): readonly Step[] {
  if (session.entry !== null || (session.served === 0 && !session.quirks.severalDirectories)) return []
  const onReply = (reply: Reply): void => {
    session.entry = readPath(reply) ?? null
  }
  return [{ phase: 'request', command: 'PWD', onReply }]
}

function returnSteps({ session, context }: FtpRetrieval): readonly Step[] {
  const { entry } = session
  // The connection fails, not the file: a new connection begins in the entry directory.
  const check = (isThere: boolean): void => {
    if (!isThere) throw context.error('receive-failed', 'The server did not go back to the entry directory; try again.')
  }
  return [
    { phase: 'request', command: `CWD ${entry ?? ''}`, onReply: (reply) => check(isPositive(reply)) },
    { phase: 'request', command: 'PWD', onReply: (reply) => check(readPath(reply) === entry) },
  ]
}

function segmentSteps(retrieval: FtpRetrieval, from: number): readonly Step[] {
  const { directories } = ftpCommands(retrieval.plan)
  return directories.slice(from).map((command, index) => ({
    phase: 'request',
    command,
    onReply: (reply) => {
      if (!isPositive(reply)) throw cwdError(retrieval, reply, from + index)
    },
    onSecondReply: (reply) => {
      if (!isPositive(reply)) return
      throw retrieval.context.error('receive-failed', 'The server went to a directory twice over; try again.')
    },
  }))
}

/**
 * Servers differ on the null argument: pure-ftpd and pyftpdlib go to the entry directory; inetutils does so for `CWD`
 * alone and answers `CWD ` with 500; proftpd (501) and vsftpd (550) refuse both and stay.
 */
async function changeDirectory({ session }: FtpRetrieval, command: string): Promise<Reply> {
  const reply = await session.control.ask('request', command)
  return command === 'CWD ' && isPermanent(reply) ? session.control.ask('request', 'CWD') : reply
}

/** `257 "/home/ann" is current directory`, with a quote in the name doubled (RFC 959 appendix II). */
export function readPath({ code, text }: Reply): string | undefined {
  const [, quoted] = code === 257 ? (/^"((?:[^"\r\n\0]|"")*)"/.exec(text) ?? []) : []
  return quoted === undefined || quoted === '' ? undefined : quoted.replaceAll('""', '"')
}

/**
 * Whether the plan's name is a directory; the session is in it then. False where the server hangs up on this question:
 * it has answered the one before.
 */
export async function isDirectory({ plan, context, session }: FtpRetrieval): Promise<boolean> {
  try {
    const isThere = isPositive(await session.control.ask('request', `CWD ${plan.name}`))
    if (isThere) session.directory = [...plan.cwd, plan.name]
    return isThere
  } catch (error) {
    if (context.deadline.reason !== null) throw error
    return false
  }
}

function cwdError({ plan, context }: FtpRetrieval, reply: Reply, index: number): Error {
  const segment = plan.cwd[index] ?? ''
  if (segment !== '') {
    return refusedByServer(
      context,
      reply,
      `the directory ${shownName(segment)}`,
      slashAdvice(plan.cwd.slice(0, index), reply),
    )
  }
  // 501 or 550: the path leads nowhere on this server, as on those that take the null argument and have no such file
  // there.
  const code = isPermanent(reply) ? { code: 'not-found' as const } : {}
  return refusedByServer(context, reply, `the empty segment ${index + 1} of the path`, {
    advice: withoutSlash,
    ...code,
  })
}

const withoutSlash = 'Write the path without the double slash'

/** Advice where a null argument was taken: it has led to another directory than a double slash is mostly meant for. */
export function slashAdvice(before: readonly string[], { code }: Reply): { readonly advice?: string } {
  if (code !== 550 || !before.includes('')) return {}
  return { advice: `It does not exist, or may not be read. ${withoutSlash}` }
}
