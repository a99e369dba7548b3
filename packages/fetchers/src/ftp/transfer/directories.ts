import type { Dialogue } from '../control/dialogue.ts'
import type { Step } from '../control/pipeline.ts'
import { isPermanent, isPositive, type Reply, refusedByServer, shownName } from '../control/replies.ts'

/**
 * RFC 1738 3.2.2: one CWD for each segment, since `/` may mean nothing to the server (VMS, MVS). None where the session is there
 * already; from elsewhere first back to the entry directory, which the server's own words must confirm.
 */
export function directorySteps(dialogue: Dialogue): readonly Step[] {
  const { session, plan } = dialogue
  if (session.isIn(plan.cwd)) return []
  if (session.directory.length === 0) return [...entrySteps(dialogue), ...segmentSteps(dialogue, 0)]
  if (session.isAbove(plan.cwd)) return segmentSteps(dialogue, session.directory.length)
  return [...returnSteps(dialogue), ...segmentSteps(dialogue, 0)]
}

/** An empty segment needs a look at the reply before the next one is said. */
export function needsWalk({ plan, session }: Dialogue): boolean {
  return plan.cwd.includes('') && !session.isIn(plan.cwd)
}

/** Step by step, for paths with empty segments: `CWD `, CRLF, where the null argument is what the URL says. */
export async function walk(dialogue: Dialogue): Promise<void> {
  const { session, plan } = dialogue
  const { control } = session
  for (const { phase, command, take } of session.directory.length === 0 ? [] : returnSteps(dialogue)) {
    take(await control.ask(phase, command))
  }
  let moved = false
  for (const [index, segment] of plan.cwd.entries()) {
    const reply = await changeDirectory(dialogue, segment)
    if (isPositive(reply)) moved = true
    // Where nothing has moved us yet, we are still in the entry directory: where the null argument leads on servers that take it.
    else if (segment !== '' || !isPermanent(reply) || moved) throw cwdError(dialogue, reply, index)
  }
}

/** For the way back later: where this is the second retrieval of the session, or the server's third. */
function entrySteps({ session }: Dialogue): readonly Step[] {
  if (session.entry !== null || (session.served === 0 && !session.quirks.severalDirectories)) return []
  const take = (reply: Reply): void => {
    session.entry = readPath(reply) ?? null
  }
  return [{ phase: 'request', command: 'PWD', take }]
}

function returnSteps({ session, context }: Dialogue): readonly Step[] {
  const { entry } = session
  // Of the connection, not of the file: a new one begins in the entry directory.
  const check = (isThere: boolean): void => {
    if (!isThere) throw context.error('receive-failed', 'The server did not go back to the entry directory; try again.')
  }
  return [
    { phase: 'request', command: `CWD ${entry ?? ''}`, take: (reply) => check(isPositive(reply)) },
    { phase: 'request', command: 'PWD', take: (reply) => check(readPath(reply) === entry) },
  ]
}

function segmentSteps(dialogue: Dialogue, from: number): readonly Step[] {
  return dialogue.plan.cwd.slice(from).map((segment, index) => ({
    phase: 'request',
    command: `CWD ${segment}`,
    take: (reply) => {
      if (!isPositive(reply)) throw cwdError(dialogue, reply, from + index)
    },
    takeSecond: (reply) => {
      if (!isPositive(reply)) return
      throw dialogue.context.error('receive-failed', 'The server went to a directory twice over; try again.')
    },
  }))
}

/**
 * Servers differ on the null argument: pure-ftpd and pyftpdlib go to the entry directory; inetutils does so for `CWD` alone and
 * answers `CWD ` by 500; proftpd (501) and vsftpd (550) refuse both and stay.
 */
async function changeDirectory({ session }: Dialogue, segment: string): Promise<Reply> {
  const reply = await session.control.ask('request', `CWD ${segment}`)
  return segment === '' && isPermanent(reply) ? session.control.ask('request', 'CWD') : reply
}

/** RFC 959 appendix II: `257 "/home/ann" is current directory`, a quote within the name twice. */
export function readPath({ code, text }: Reply): string | undefined {
  const [, quoted] = code === 257 ? (/^"((?:[^"\r\n\0]|"")*)"/.exec(text) ?? []) : []
  return quoted === undefined || quoted === '' ? undefined : quoted.replaceAll('""', '"')
}

/**
 * Whether the plan's name is a directory, in which the session is then. A server that goes away at this question has
 * answered the one before.
 */
export async function isDirectory({ plan, context, session }: Dialogue): Promise<boolean> {
  try {
    const isThere = isPositive(await session.control.ask('request', `CWD ${plan.name}`))
    if (isThere) session.directory = [...plan.cwd, plan.name]
    return isThere
  } catch (error) {
    if (context.deadline.reason !== null) throw error
    return false
  }
}

function cwdError({ plan, context }: Dialogue, reply: Reply, index: number): Error {
  const segment = plan.cwd[index] ?? ''
  if (segment !== '') {
    return refusedByServer(
      context,
      reply,
      `the directory ${shownName(segment)}`,
      slashAdvice(plan.cwd.slice(0, index), reply),
    )
  }
  // By 501 or 550: the path leads nowhere on this server, as on those that take the null argument and have no such
  // file behind it.
  const code = isPermanent(reply) ? { code: 'not-found' as const } : {}
  return refusedByServer(context, reply, `the empty segment ${index + 1} of the path`, {
    advice: withoutSlash,
    ...code,
  })
}

const withoutSlash = 'Write the path without the double slash'

/** A null argument that was taken has led to another directory than a double slash is mostly meant for. */
export function slashAdvice(before: readonly string[], { code }: Reply): { readonly advice?: string } {
  if (code !== 550 || !before.includes('')) return {}
  return { advice: `It does not exist, or may not be read. ${withoutSlash}` }
}
