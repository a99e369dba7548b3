import { type ByteSource, wholeSource } from '../../plugin/byte-source.ts'
import type { Retrieved } from '../../plugin/fetcher.ts'
import { tellWhole } from '../../plugin/request-options.ts'
import { BehindTail, OverlapProof } from '../../wire/overlap.ts'
import { type Portion, ResumingSource } from '../../wire/resuming-source.ts'
import type { Dialogue } from '../control/dialogue.ts'
import type { Step } from '../control/pipeline.ts'
import { type Reply, refusedByServer } from '../control/replies.ts'
import { needsUtf8 } from '../control/utf8.ts'
import { retrieveDirectory } from '../listing/listing.ts'
import { prepare } from '../prepare.ts'
import { type Attributes, attributeSteps } from './attributes.ts'
import { type ByteRange, checkModified, checkSize, isConditional, wantedRange } from './byte-range.ts'
import { described } from './description.ts'
import { isDirectory } from './directories.ts'
import { hasGrown, restIgnored } from './growth.ts'
import { LineEnds } from './line-ends.ts'
import { missing, retrieveMetadata, sizeReply } from './metadata.ts'
import { takePrefetchedPort } from './passive.ts'
import { startTransfer } from './transfer.ts'
import { type BodyOptions, TransferBody } from './transfer-body.ts'

/** Does something in another session, and over again where the session fails through no fault of the retrieval. */
export type InSession = <T>(use: (dialogue: Dialogue) => Promise<T>) => Promise<T>

/** The file is another one than that of which the caller has the beginning: it must be retrieved from its beginning. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile'
}

/**
 * RETR of a name, in TYPE I unless the URL has `;type=a`; the listing where it turns out to be a directory. Throws
 * ChangedFile where the octets that the caller has are not those that the server sends.
 */
export async function retrieveObject(dialogue: Dialogue, inSession: InSession): Promise<Retrieved<'ftp'>> {
  const { context, session } = dialogue
  if (context.request.head === true) return retrieveMetadata(dialogue)
  const attributes: Attributes = { size: null, modified: null }
  const { port, questions } = await settle(dialogue, attributes)
  checkModified(dialogue, attributes)
  const part = wantedRange(dialogue, attributes)
  checkSize(dialogue, part, attributes)
  if (part.offset > 0 && part.offset === attributes.size && part.tail.length === 0) {
    return nothingLeft(dialogue, part, attributes)
  }
  const sent: ByteRange = { ...part, offset: part.offset - part.tail.length }
  const { transfer, reply } = await retr(dialogue, sent.offset, port, questions)
  if (transfer === null) return refusedObject(dialogue, reply)
  if (part.obstacle !== null) tellWhole(context, part.obstacle)
  session.hasAttributes = canResume(attributes)
  const announced = announcedSize(reply)
  const body = new TransferBody(dialogue, transfer, bodyOptions(dialogue, sent, attributes, announced))
  const resume = async (offset: number): Promise<Portion> => {
    const rest = await inSession((other) => resumed(other, attributes, offset, remaining(sent, offset)))
    return { octets: rest, connection: rest }
  }
  const portion = { octets: body, connection: body }
  const octets: ByteSource = canResume(attributes)
    ? new ResumingSource(context, new OverlapProof(context, resume), { offset: sent.offset, portion })
    : body
  const rest = part.tail.length === 0 ? octets : await behindTail(octets, part.tail)
  return { ...described(dialogue, part, attributes, announced, reply), body: rest }
}

async function behindTail(octets: ByteSource, tail: Uint8Array): Promise<ByteSource> {
  const rest = new BehindTail(octets, tail)
  if (await rest.matches()) return rest
  throw new ChangedFile()
}

/**
 * All that comes before RETR. In the session's directory, with a port at hand, that is nothing: SIZE and MDTM go out
 * with RETR.
 */
async function settle(
  dialogue: Dialogue,
  attributes: Attributes,
): Promise<{ port: number | null; questions: readonly Step[] }> {
  const { plan, context, session } = dialogue
  const type = plan.typecode === 'a' ? 'A' : 'I'
  const isNeeded = isConditional(context)
  const isThere = session.isLoggedIn && session.isIn(plan.cwd) && session.type === type
  if (isThere && !isNeeded && !needsUtf8(dialogue)) {
    const ahead = session.takePrefetchReply()
    const port = ahead === null ? null : await takePrefetchedPort(dialogue, ahead)
    if (port !== null) return { port, questions: attributeSteps(dialogue, attributes) }
  }
  // Two more round trips would be too many for servers that take one command at a time.
  const asks = isNeeded || session.quirks.pipelining !== false
  const needs = { type, ...(asks && { attributes }), areSpare: !isNeeded } as const
  return { port: await prepare(dialogue, needs), questions: [] }
}

function retr(dialogue: Dialogue, restart: number, port: number | null, questions: readonly Step[]) {
  const { plan, session } = dialogue
  const { prefetching, pipelining } = session.quirks
  // Who comes a second time may come a third. To find out about a server takes a transfer that could be taken up.
  const mayAsk = prefetching ?? (session.hasAttributes && plan.typecode !== 'a')
  const asksAhead = session.served > 0 && mayAsk && pipelining !== false
  return startTransfer(dialogue, { command: `RETR ${plan.name}`, restart, port, questions, asksAhead })
}

/** The rest of a file whose transfer broke off. Throws `partial` if the file has changed. */
async function resumed(dialogue: Dialogue, before: Attributes, offset: number, part: ByteRange): Promise<TransferBody> {
  const attributes: Attributes = { size: null, modified: null }
  const port = await prepare(dialogue, { type: 'I', attributes })
  if (attributes.size !== before.size || attributes.modified?.getTime() !== before.modified?.getTime()) {
    const message = 'The transfer broke off, and the file has changed meanwhile; retrieve it anew.'
    throw dialogue.context.error('partial', message, { phase: 'body' })
  }
  const { transfer, reply } = await retr(dialogue, offset, port, [])
  if (transfer === null) throw refusedByServer(dialogue.context, reply, 'to go on')
  const options = bodyOptions(dialogue, { ...part, offset }, attributes, null)
  // The file had its old size a moment ago: more octets would be from the wrong place.
  const atMost = options.expected
  return new TransferBody(dialogue, transfer, { ...options, ...(offset > 0 && { atMost }) })
}

function remaining(part: ByteRange, from: number): ByteRange {
  const { offset, wanted } = part
  return { ...part, offset: from, wanted: wanted === null ? null : wanted - (from - offset) }
}

function canResume({ size, modified }: Attributes): boolean {
  return size !== null && modified !== null
}

function bodyOptions(dialogue: Dialogue, part: ByteRange, { size }: Attributes, announced: number | null): BodyOptions {
  if (dialogue.plan.typecode === 'a') return { lineEnds: new LineEnds() }
  const rest = size === null ? null : size - part.offset
  const expected =
    part.wanted !== null && rest !== null ? part.wanted : (rest ?? (part.offset === 0 ? announced : null))
  return {
    expected: expected ?? undefined,
    isProven: rest !== null,
    wanted: part.wanted ?? undefined,
    surplus: part.wanted === null || rest === null ? undefined : rest - part.wanted,
    ...(part.offset > 0 && size !== null && afterRestart(dialogue, part, size)),
  }
}

/**
 * More than there was may come: files grow. From the beginning of the file so many would come that its size is reached.
 */
function afterRestart(
  dialogue: Dialogue,
  { offset, wanted, tail }: ByteRange,
  size: number,
): Pick<BodyOptions, 'atMost' | 'check'> {
  const isCompared = tail.length > 0
  const fromBeginning = Math.max(size - offset, size - 1)
  if (wanted !== null) return { atMost: fromBeginning }
  const check = async (_: Reply, received: number): Promise<void> => {
    const isRight = received <= size - offset || (await hasGrown(dialogue, { offset, size, isCompared }, received))
    if (!isRight) throw restIgnored(dialogue.context)
  }
  return { atMost: isCompared ? undefined : fromBeginning, check }
}

/** The caller has all octets already. */
function nothingLeft(dialogue: Dialogue, part: ByteRange, attributes: Attributes): Retrieved<'ftp'> {
  dialogue.done()
  return { ...described(dialogue, part, attributes, null, sizeReply(attributes)), body: wholeSource() }
}

/**
 * 550 says that there is nothing to be retrieved, and ftp-srv says so by 551; a CWD tells whether there is a directory
 * (protocols.md 2).
 */
async function refusedObject(dialogue: Dialogue, reply: Reply): Promise<Retrieved<'ftp'>> {
  if ((reply.code === 550 || reply.code === 551) && (await isDirectory(dialogue)))
    return retrieveDirectory(dialogue, reply)
  dialogue.done()
  throw missing(dialogue, reply)
}

/**
 * `150 Opening BINARY mode data connection for a.bin (4096 bytes).`, as most servers have it since BSD; at the end,
 * after any name.
 */
function announcedSize({ text }: Reply): number | null {
  const [, digits] = /\((\d{1,15}) bytes\)\.?\s*$/i.exec(text) ?? []
  return digits === undefined ? null : Number(digits)
}
