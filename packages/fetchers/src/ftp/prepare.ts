import { isUtf8 } from 'node:buffer'
import type { FtpCommands } from '@retriever/core'
import { pipeline, type Step } from './control/pipeline.ts'
import { isPositive, type Reply, refusedByServer } from './control/replies.ts'
import { logIn } from './login.ts'
import type { FtpRetrieval } from './retrieval.ts'
import { type Attributes, attributeSteps } from './transfer/byte-range.ts'
import { portStep, takePrefetchedPort } from './transfer/data.ts'
import { directorySteps, needsWalk, walk } from './transfer/directories.ts'

/** What a transfer needs before it begins. */
export interface Needs {
  /** The type to be set; absent: the type stays as it is. */
  readonly type?: FtpCommands['type']
  /** Filled with the answers to SIZE and MDTM; absent: they are not asked for. */
  readonly attributes?: Attributes
  /** Whether the attributes are left out where they would cost a round trip. */
  readonly areSpare?: boolean
}

/**
 * Sends all that comes before the transfer command, in one pipeline where the server takes one: login, CWDs, TYPE,
 * SIZE, MDTM, EPSV. Returns the port for the data; null where it must be asked for in another way.
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
 * Logs in, changes to the directory, sets the type, and sends the questions, in one pipeline where the server takes
 * one.
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

/** TYPE A or I (RFC 959 3.1.1), where it is not set. A server's own default is A. */
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

/** Whether the path has names in UTF-8 beyond ASCII. */
function hasUtf8Names({ plan }: FtpRetrieval): boolean {
  const octets = Buffer.from([...plan.cwd, plan.name].join('/'), 'latin1')
  return octets.some((octet) => octet >= 0x80) && isUtf8(octets)
}

/** Whether FEAT or OPTS must be sent before names in UTF-8 go out in this session. */
export function needsUtf8(retrieval: FtpRetrieval): boolean {
  const { quirks, isInUtf8 } = retrieval.session
  return quirks.utf8 !== false && !isInUtf8 && hasUtf8Names(retrieval)
}

/** Asks a server once whether its features list UTF8 (RFC 2389): `211-Features:`, ` UTF8`. */
async function askForUtf8({ session }: FtpRetrieval): Promise<void> {
  const reply = await session.control.ask('request', 'FEAT')
  session.quirks.utf8 = isPositive(reply) && /^[ \t]{0,8}UTF8[ \t]*$/im.test(reply.text)
}

/** Servers that list UTF8 (RFC 2640) may take names in it only after this command: IIS, and others on Windows. */
function utf8Steps(retrieval: FtpRetrieval): readonly Step[] {
  const { session } = retrieval
  if (!needsUtf8(retrieval)) return []
  const onReply = (): void => {
    session.isInUtf8 = true
  }
  return [{ phase: 'request', command: 'OPTS UTF8 ON', onReply }]
}
