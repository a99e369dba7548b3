import type { Retrieved } from '../fetcher.ts'
import { emptyBody } from '../wire/empty-body.ts'
import { ResumingBody } from '../wire/resuming-body.ts'
import { type Attributes, attributeSteps } from './attributes.ts'
import type { Dialogue } from './dialogue.ts'
import type { Step } from './flight.ts'
import { LineEnds } from './line-ends.ts'
import { retrieveDirectory } from './listing.ts'
import { owned } from './owned.ts'
import { checkModified, isConditional, type Part, wantedPart } from './part.ts'
import { claimPort } from './passive.ts'
import { prepare } from './prepare.ts'
import { isPositive, type Reply, refused, shownName, wordsOf } from './replies.ts'
import { startTransfer } from './transfer.ts'
import { type BodyOptions, TransferBody } from './transfer-body.ts'
import { needsUtf8 } from './utf8.ts'

/** Does something in another session, as the fetcher does all: over again where a session fails that was not to blame. */
export type InSession = <T>(use: (dialogue: Dialogue) => Promise<T>) => Promise<T>

/** RETR of a name, in TYPE I unless the URL has `;type=a`; the listing where it turns out to be a directory. */
export async function retrieveObject(dialogue: Dialogue, inSession: InSession): Promise<Retrieved> {
  const { context, session } = dialogue
  const attributes: Attributes = { size: null, modified: null }
  const { port, questions } = await settle(dialogue, attributes)
  checkModified(dialogue, attributes)
  const part = wantedPart(dialogue, attributes)
  if (part.offset > 0 && part.offset === attributes.size) return nothingLeft(dialogue, attributes)
  const { transfer, reply } = await retr(dialogue, part.offset, port, questions)
  if (transfer === null) return refusedObject(dialogue, reply)
  session.tellsAttributes = canResume(attributes)
  const announced = announcedSize(reply)
  const body = new TransferBody(dialogue, transfer, bodyOptions(dialogue, part, attributes, announced))
  const resume = (offset: number): Promise<TransferBody> => {
    return inSession((other) => resumed(other, attributes, offset, remaining(part, offset)))
  }
  const lent = canResume(attributes) ? new ResumingBody(context, body, part.offset, resume) : body
  return { ...described(dialogue, part, attributes, announced, reply), body: owned(lent), lent }
}

/**
 * All that comes before RETR. In the session's directory, with a port at hand, that is nothing: SIZE and MDTM go out with RETR.
 */
async function settle(
  dialogue: Dialogue,
  attributes: Attributes,
): Promise<{ port: number | null; questions: readonly Step[] }> {
  const { plan, context, session } = dialogue
  const type = plan.typecode === 'a' ? 'A' : 'I'
  const isNeeded = isConditional(context.request)
  const isThere = session.isLoggedIn && session.isIn(plan.cwd) && session.type === type
  if (isThere && !isNeeded && !needsUtf8(dialogue)) {
    const ahead = session.takeAhead()
    const port = ahead === null ? null : await claimPort(dialogue, ahead)
    if (port !== null) return { port, questions: attributeSteps(dialogue, attributes) }
  }
  // Two more round trips would be too many for servers that take one command at a time.
  const asks = isNeeded || session.habits.pipelining !== false
  const needs = { type, ...(asks && { attributes }), areSpare: !isNeeded } as const
  return { port: await prepare(dialogue, needs), questions: [] }
}

function retr(dialogue: Dialogue, restart: number, port: number | null, questions: readonly Step[]) {
  const { plan, session } = dialogue
  const { ahead, pipelining } = session.habits
  // Who comes a second time may come a third. To find out about a server takes a transfer that could be taken up.
  const mayAsk = ahead ?? (session.tellsAttributes && plan.typecode !== 'a')
  const asksAhead = session.uses > 0 && mayAsk && pipelining !== false
  return startTransfer(dialogue, { command: `RETR ${plan.name}`, restart, port, questions, asksAhead })
}

/** The rest of a file of which some has come, if it is still the same one. */
async function resumed(dialogue: Dialogue, before: Attributes, offset: number, part: Part): Promise<TransferBody> {
  const attributes: Attributes = { size: null, modified: null }
  const port = await prepare(dialogue, { type: 'I', attributes })
  if (attributes.size !== before.size || attributes.modified?.getTime() !== before.modified?.getTime()) {
    const message = 'The transfer broke off, and the file has changed meanwhile; retrieve it anew.'
    throw dialogue.context.error('partial', message, { phase: 'body' })
  }
  const { transfer, reply } = await retr(dialogue, offset, port, [])
  if (transfer === null) throw refused(dialogue.context, reply, 'to go on')
  return new TransferBody(dialogue, transfer, bodyOptions(dialogue, { ...part, offset }, attributes, null))
}

function remaining({ offset, wanted }: Part, from: number): Part {
  return { offset: from, wanted: wanted === null ? null : wanted - (from - offset) }
}

function canResume({ size, modified }: Attributes): boolean {
  return size !== null && modified !== null
}

function bodyOptions({ plan }: Dialogue, part: Part, { size }: Attributes, announced: number | null): BodyOptions {
  if (plan.typecode === 'a') return { lineEnds: new LineEnds() }
  const rest = size === null ? null : size - part.offset
  const expected =
    part.wanted !== null && rest !== null ? part.wanted : (rest ?? (part.offset === 0 ? announced : null))
  return {
    expected: expected ?? undefined,
    isProven: rest !== null,
    wanted: part.wanted ?? undefined,
    ...(part.offset > 0 && part.wanted === null && rest !== null && { atMost: rest }),
  }
}

function described(
  { plan, session }: Dialogue,
  part: Part,
  { size, modified }: Attributes,
  announced: number | null,
  reply: Reply,
): Omit<Retrieved, 'body'> {
  const isText = plan.typecode === 'a'
  const total = isText ? null : (size ?? (part.offset === 0 ? announced : null))
  const rest = total === null ? null : total - part.offset
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: isText ? 'text/plain' : null,
    charset: null,
    size: rest === null ? null : Math.min(rest, part.wanted ?? rest),
    offset: part.offset,
    modified,
    // The announced size is but a sentence for people.
    completeness: size === null || isText ? 'terminated' : 'verified',
    metadata: { welcome: session.welcome, reply: wordsOf(reply), typecode: isText ? 'a' : 'i' },
  }
}

/** The caller has it all. */
function nothingLeft(dialogue: Dialogue, attributes: Attributes): Retrieved {
  dialogue.done()
  const part: Part = { offset: attributes.size ?? 0, wanted: null }
  const reply: Reply = { code: 213, text: String(attributes.size) }
  return { ...described(dialogue, part, attributes, null, reply), body: emptyBody() }
}

/** 550 says that there is nothing to be retrieved; a CWD tells whether there is a directory (protocols.md 2). */
async function refusedObject(dialogue: Dialogue, reply: Reply): Promise<Retrieved> {
  const { plan, context } = dialogue
  if (reply.code === 550 && (await isDirectory(dialogue))) return retrieveDirectory(dialogue)
  dialogue.done()
  const advice = reply.code === 550 ? { advice: 'It does not exist, or may not be read' } : {}
  throw refused(context, reply, shownName(plan.name), advice)
}

/** A server that goes away at this question has answered the one before. */
async function isDirectory({ plan, context, session }: Dialogue): Promise<boolean> {
  try {
    return isPositive(await session.control.ask('request', `CWD ${plan.name}`))
  } catch (error) {
    if (context.deadline.reason !== null) throw error
    return false
  }
}

/** `150 Opening BINARY mode data connection for a.bin (4096 bytes).`, as most servers have it since BSD; at the end, after any name. */
function announcedSize({ text }: Reply): number | null {
  const [, digits] = /\((\d{1,15}) bytes\)\.?\s*$/i.exec(text) ?? []
  return digits === undefined ? null : Number(digits)
}
