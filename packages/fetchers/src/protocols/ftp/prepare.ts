import { type FtpCommands, ftpCommands, hasUtf8Names } from '@retriever/core/internal'
import { pipeline, type Step, sentTwice } from './control/pipeline.ts'
import { isPermanent, isPositive, type Reply, refusedByServer, shownName } from './control/replies.ts'
import { logIn } from './login.ts'
import type { FtpRetrieval } from './retrieval.ts'
import { type Attributes, attributeSteps } from './transfer/byte-range.ts'
import { portStep, takePrefetchedPort } from './transfer/data.ts'

/** What a transfer needs before it begins. */
export interface Needs {
  /** The type to set. Absent: the type stays unchanged. */
  readonly type?: FtpCommands['type']
  /** Gets the answers to SIZE and MDTM. Absent: they are not sent. */
  readonly attributes?: Attributes
  /** Whether to skip the attributes if they would cost a round trip. */
  readonly areSpare?: boolean
}

/**
 * Sends all commands before the transfer command, in one pipeline if the server takes one: login, CWDs, TYPE, SIZE,
 * MDTM, EPSV. Returns the port for the data, or null if the port must be asked for in another way.
 */
export async function prepare(retrieval: FtpRetrieval, needs: Needs): Promise<number | null> {
  const asked: { port: number | null } = { port: null }
  const ahead = retrieval.session.takePrefetchReply()
  await enter(retrieval, needs.type, [
    ...attributesAsked(retrieval, needs),
    ...(ahead !== null ? [] : [portStep(retrieval, asked)]),
  ])
  return ahead === null ? asked.port : takePrefetchedPort(retrieval, ahead)
}

/**
 * Logs in, changes to the directory, sets the type and sends the questions, in one pipeline if the server takes one.
 */
export async function enter(retrieval: FtpRetrieval, type: Needs['type'], questions: readonly Step[]): Promise<void> {
  const { session, context, plan } = retrieval
  const { control, quirks } = session
  if (quirks.utf8 === undefined && needsUtf8(retrieval)) {
    if (!session.isLoggedIn) await logIn(retrieval, [])
    await askForUtf8(retrieval)
  }
  const walks = needsWalk(retrieval)
  const image = { isRefused: false }
  const last = [...typeSteps(retrieval, type, image), ...questions]
  const first = [...utf8Steps(retrieval), ...(walks ? [] : [...directorySteps(retrieval), ...last])]
  if (session.isLoggedIn) await pipeline(control, context, quirks, first)
  else await logIn(retrieval, first)
  if (walks) {
    await walk(retrieval)
    await pipeline(control, context, quirks, last)
  }
  session.directory = plan.cwd
  if (image.isRefused) await askForOctets(retrieval)
  session.type = type ?? session.type
}

function attributesAsked(retrieval: FtpRetrieval, { attributes, areSpare = false }: Needs): readonly Step[] {
  if (attributes === undefined) return []
  return attributeSteps(retrieval, attributes).map((step) => ({ ...step, isSpare: areSpare }))
}

/** Makes the step that sends TYPE A or I (RFC 959 3.1.1), if it is not set already. A server's own default is A. */
function typeSteps(
  { session, context }: FtpRetrieval,
  type: Needs['type'],
  image: { isRefused: boolean },
): readonly Step[] {
  if (type === undefined || session.type === type) return []
  const onReply = (reply: Reply): void => {
    if (isPositive(reply)) return
    image.isRefused = type === 'TYPE I' && reply.code === 504
    if (!image.isRefused) throw refusedByServer(context, reply, type)
  }
  return [{ phase: 'request', command: type, onReply }]
}

/**
 * Asks for local bytes of 8 bits, the binary type of machines whose words have other lengths, such as TOPS-20 (RFC 959
 * 3.1.1.4).
 */
async function askForOctets({ session, context }: FtpRetrieval): Promise<void> {
  const reply = await session.control.ask('request', 'TYPE L 8')
  if (!isPositive(reply)) throw refusedByServer(context, reply, 'TYPE I and TYPE L 8')
}

/** Whether FEAT or OPTS must be sent before names in UTF-8 in this session. */
export function needsUtf8(retrieval: FtpRetrieval): boolean {
  const { quirks, isInUtf8 } = retrieval.session
  return quirks.utf8 !== false && !isInUtf8 && hasUtf8Names(retrieval.plan)
}

/** Asks a server once whether its features list UTF8 (RFC 2389): `211-Features:`, ` UTF8`. */
async function askForUtf8({ session }: FtpRetrieval): Promise<void> {
  const reply = await session.control.ask('request', 'FEAT')
  session.quirks.utf8 = isPositive(reply) && /^[ \t]{0,8}UTF8[ \t]*$/im.test(reply.text)
}

/**
 * Makes the step for UTF-8. Servers that list UTF8 (RFC 2640) may need this command before they accept names in UTF-8:
 * IIS and others on Windows.
 */
function utf8Steps(retrieval: FtpRetrieval): readonly Step[] {
  const { session } = retrieval
  if (!needsUtf8(retrieval)) return []
  const onReply = (): void => {
    session.isInUtf8 = true
  }
  return [{ phase: 'request', command: 'OPTS UTF8 ON', onReply }]
}

/**
 * Makes the steps that lead to the directory: one CWD for each segment, since `/` may mean nothing to the server (VMS,
 * MVS; RFC 1738 3.2.2). A session that is there already needs none. From elsewhere the steps first lead back to a
 * directory above, and the reply to PWD must confirm that.
 */
function directorySteps(retrieval: FtpRetrieval): readonly Step[] {
  const { session, plan } = retrieval
  if (session.isIn(plan.cwd)) return []
  const { length } = session.directory
  if (session.isAbove(plan.cwd)) return [...anchorSteps(retrieval), ...segmentSteps(retrieval, length)]
  return [...returnSteps(retrieval), ...segmentSteps(retrieval, session.anchor?.directory.length ?? 0)]
}

/** Whether the path has an empty segment, so that each reply decides the next command. */
function needsWalk({ plan, session }: FtpRetrieval): boolean {
  return plan.cwd.includes('') && !session.isIn(plan.cwd)
}

/**
 * Goes to the directory one command at a time. For an empty segment it sends `CWD ` and CRLF, the null argument that
 * the URL means.
 */
async function walk(retrieval: FtpRetrieval): Promise<void> {
  const { session, plan } = retrieval
  const { control } = session
  for (const { phase, command, onReply } of session.directory.length === 0 ? [] : returnSteps(retrieval)) {
    onReply(await control.ask(phase, command))
  }
  let moved = false
  for (const [index, command] of ftpCommands(plan).directories.entries()) {
    const reply = await changeDirectory(retrieval, command)
    if (isPositive(reply)) moved = true
    // The session is still in the entry directory. On servers that take a null argument, it leads there.
    else if (plan.cwd[index] !== '' || !isPermanent(reply) || moved) throw cwdError(retrieval, reply, index)
  }
}

/**
 * Sends PWD once so that we can return to this directory, if this is the session's second retrieval or the server has
 * had other directories.
 */
function anchorSteps({ session }: FtpRetrieval): readonly Step[] {
  const { directory, served, quirks } = session
  if (served > 0) quirks.severalDirectories = true
  if (session.anchor !== undefined || (served === 0 && !quirks.severalDirectories)) return []
  const onReply = (reply: Reply): void => {
    const name = readPath(reply)
    session.anchor = name === undefined ? null : { name, directory }
  }
  return [{ phase: 'request', command: 'PWD', onReply }]
}

function returnSteps({ session, context }: FtpRetrieval): readonly Step[] {
  const name = session.anchor?.name
  // This fails the connection, not the file: a new connection begins in the entry directory.
  const check = (isThere: boolean): void => {
    if (!isThere)
      throw context.error('receive-failed', 'The server did not go back to an earlier directory; try again.')
  }
  return [
    { phase: 'request', command: `CWD ${name ?? ''}`, onReply: (reply) => check(isPositive(reply)) },
    { phase: 'request', command: 'PWD', onReply: (reply) => check(readPath(reply) === name) },
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
      throw sentTwice(retrieval.context, 'changed the directory')
    },
  }))
}

/**
 * Sends a CWD. Servers differ on the null argument: pure-ftpd and pyftpdlib go to the entry directory; inetutils does
 * so for `CWD` alone and answers `CWD ` with 500; proftpd (501) and vsftpd (550) refuse both and stay.
 */
async function changeDirectory({ session }: FtpRetrieval, command: string): Promise<Reply> {
  const reply = await session.control.ask('request', command)
  return command === 'CWD ' && isPermanent(reply) ? session.control.ask('request', 'CWD') : reply
}

/** Reads the path in `257 "/home/ann" is current directory`. A quote in the name is doubled (RFC 959 appendix II). */
function readPath({ code, text }: Reply): string | undefined {
  const [, quoted] = code === 257 ? (/^"((?:[^"\r\n\0]|"")*)"/.exec(text) ?? []) : []
  return quoted === undefined || quoted === '' ? undefined : quoted.replaceAll('""', '"')
}

/**
 * Whether the plan's name is a directory; if so, the session is in it afterwards. Returns false if the server hangs up
 * on this question, since it has answered the command before.
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
  // 501 or 550: the path leads nowhere on this server, as on those that take the null argument but have no such file
  // there.
  const code = isPermanent(reply) ? { code: 'not-found' as const } : {}
  return refusedByServer(context, reply, `the empty segment ${index + 1} of the path`, {
    advice: withoutSlash,
    ...code,
  })
}

const withoutSlash = 'Write the path without the double slash'

/** Gives advice if a null argument was taken: it led to another directory than a double slash usually means. */
export function slashAdvice(before: readonly string[], { code }: Reply): { readonly advice?: string } {
  if (code !== 550 || !before.includes('')) return {}
  return { advice: `It does not exist, or may not be read. ${withoutSlash}` }
}
