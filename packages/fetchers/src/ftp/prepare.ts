import type { Dialogue } from './control/dialogue.ts'
import { pipeline, type Step } from './control/pipeline.ts'
import { isPositive, type Reply, refusedByServer } from './control/replies.ts'
import { askForUtf8, needsUtf8, utf8Steps } from './control/utf8.ts'
import { logIn } from './login.ts'
import { type Attributes, attributeSteps } from './transfer/attributes.ts'
import { directorySteps, needsWalk, walk } from './transfer/directories.ts'
import { portStep, takePrefetchedPort } from './transfer/passive.ts'

/** What is to be known and settled before a transfer. */
export interface Needs {
  /** Absent: as it is. */
  readonly type?: 'A' | 'I'
  /** To be filled; absent: not asked for. */
  readonly attributes?: Attributes
  /** They are wanted only where they cost no round trip. */
  readonly areSpare?: boolean
}

/**
 * All that comes before the transfer command, in one flight where the server takes one: login, the way to the directory, TYPE, SIZE,
 * MDTM, EPSV. Gives the port for the data, null where it must be asked for by other means.
 */
export async function prepare(dialogue: Dialogue, needs: Needs): Promise<number | null> {
  const asked: { port: number | null } = { port: null }
  const ahead = dialogue.session.takePrefetchReply()
  await enter(dialogue, needs.type, [
    ...attributesAsked(dialogue, needs),
    ...(ahead !== null ? [] : [portStep(dialogue, asked)]),
  ])
  return ahead === null ? asked.port : takePrefetchedPort(dialogue, ahead)
}

/** Login, the way to the directory, TYPE, and what is to be asked there, in one flight where the server takes one. */
export async function enter(dialogue: Dialogue, type: Needs['type'], questions: readonly Step[]): Promise<void> {
  const { session, context, plan } = dialogue
  const { control, quirks } = session
  if (quirks.utf8 === undefined && needsUtf8(dialogue)) {
    if (!session.isLoggedIn) await logIn(dialogue, [])
    await askForUtf8(dialogue)
  }
  const walks = needsWalk(dialogue)
  const image = { isRefused: false }
  const last = [...typeSteps(dialogue, type, image), ...questions]
  const first = [...utf8Steps(dialogue), ...(walks ? [] : [...directorySteps(dialogue), ...last])]
  if (session.isLoggedIn) await pipeline(control, context, quirks, first)
  else await logIn(dialogue, first)
  if (walks) {
    await walk(dialogue)
    await pipeline(control, context, quirks, last)
  }
  session.directory = plan.cwd
  if (image.isRefused) await askForOctets(dialogue)
  session.type = type ?? session.type
}

function attributesAsked(dialogue: Dialogue, { attributes, areSpare = false }: Needs): readonly Step[] {
  if (attributes === undefined) return []
  return attributeSteps(dialogue, attributes).map((step) => ({ ...step, isSpare: areSpare }))
}

/** RFC 959 3.1.1: A or I. The server's own default is A. */
function typeSteps(
  { session, context }: Dialogue,
  type: Needs['type'],
  image: { isRefused: boolean },
): readonly Step[] {
  if (type === undefined || session.type === type) return []
  const take = (reply: Reply): void => {
    if (isPositive(reply)) return
    image.isRefused = type === 'I' && reply.code === 504
    if (!image.isRefused) throw refusedByServer(context, reply, `TYPE ${type}`)
  }
  return [{ phase: 'request', command: `TYPE ${type}`, take }]
}

/** RFC 959 3.1.1.4: machines whose octets are no words of their own, as TOPS-20, know octets as local bytes of 8 bits. */
async function askForOctets({ session, context }: Dialogue): Promise<void> {
  const reply = await session.control.ask('request', 'TYPE L 8')
  if (!isPositive(reply)) throw refusedByServer(context, reply, 'TYPE I and TYPE L 8')
}
