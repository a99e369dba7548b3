import { ftpCommands } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { Retrieved } from '../../../contract/fetcher.ts'
import { wholeSource } from '../../../kit/byte-source.ts'
import { tellWhole } from '../../../kit/request-options.ts'
import { BehindTail, OverlapProof } from '../../../wire/overlap.ts'
import { type Portion, ResumingSource } from '../../../wire/resuming-source.ts'
import type { Step } from '../control/pipeline.ts'
import { type Reply, refusedByServer } from '../control/replies.ts'
import { isDirectory, needsUtf8, prepare } from '../prepare.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import {
  type Attributes,
  attributeSteps,
  type ByteRange,
  checkModified,
  checkSize,
  described,
  isConditional,
  wantedRange,
} from './byte-range.ts'
import { takePrefetchedPort } from './data.ts'
import { hasGrown, restIgnored } from './growth.ts'
import { LineEnds } from './line-ends.ts'
import { missing, retrieveMetadata, sizeReply } from './metadata.ts'
import { startTransfer } from './transfer.ts'
import { type BodyOptions, TransferBody } from './transfer-body.ts'

/** Runs a function in another session, and again in a further one if that session fails. */
export type InSession = <T>(use: (retrieval: FtpRetrieval) => Promise<T>) => Promise<T>

/** Thrown if the caller's octets are not those of this file. It must be retrieved from its beginning. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile'
}

/**
 * Retrieves a name by RETR, in TYPE I unless the URL has `;type=a`. If the name is a directory, gives its listing.
 * Throws ChangedFile if the caller's octets are not those that the server sends.
 */
export async function retrieveObject(retrieval: FtpRetrieval, inSession: InSession): Promise<Retrieved<'ftp'>> {
  const { context, session } = retrieval
  if (context.request.head === true) return retrieveMetadata(retrieval)
  const attributes: Attributes = { size: null, modified: null }
  const { port, questions } = await settle(retrieval, attributes)
  checkModified(retrieval, attributes)
  const part = wantedRange(retrieval, attributes)
  checkSize(retrieval, part, attributes)
  if (part.offset > 0 && part.offset === attributes.size && part.tail.length === 0) {
    return nothingLeft(retrieval, part, attributes)
  }
  const sent: ByteRange = { ...part, offset: part.offset - part.tail.length }
  const { transfer, reply } = await sendRetr(retrieval, sent.offset, port, questions)
  if (transfer === null) return refusedObject(retrieval, reply)
  if (part.obstacle !== null) tellWhole(context, part.obstacle)
  session.hasAttributes = canResume(attributes)
  const announced = announcedSize(reply)
  const body = new TransferBody(retrieval, transfer, bodyOptions(retrieval, sent, attributes, announced))
  const resume = async (offset: number): Promise<Portion> => {
    const rest = await inSession((other) => resumeTransfer(other, attributes, offset, remaining(sent, offset)))
    return { octets: rest, connection: rest }
  }
  const portion = { octets: body, connection: body }
  const octets: ByteSource = canResume(attributes)
    ? new ResumingSource(context, new OverlapProof(context, resume), { offset: sent.offset, portion })
    : body
  const rest = part.tail.length === 0 ? octets : await behindTail(octets, part.tail)
  return { ...described(retrieval, part, attributes, announced, reply), body: rest }
}

async function behindTail(octets: ByteSource, tail: Uint8Array): Promise<ByteSource> {
  const rest = new BehindTail(octets, tail)
  if (await rest.matches()) return rest
  throw new ChangedFile()
}

/**
 * Sends all commands before RETR. If the session is in the directory and has a prefetched port, there are none: SIZE
 * and MDTM are sent with RETR.
 */
async function settle(
  retrieval: FtpRetrieval,
  attributes: Attributes,
): Promise<{ port: number | null; questions: readonly Step[] }> {
  const { plan, context, session } = retrieval
  const { type } = ftpCommands(plan)
  const isNeeded = isConditional(context)
  const isThere = session.isLoggedIn && session.isIn(plan.cwd) && session.type === type
  if (isThere && !isNeeded && !needsUtf8(retrieval)) {
    const ahead = session.takePrefetchReply()
    const port = ahead === null ? null : await takePrefetchedPort(retrieval, ahead)
    if (port !== null) return { port, questions: attributeSteps(retrieval, attributes) }
  }
  // Servers that take one command at a time would need two more round trips.
  const asks = isNeeded || session.quirks.pipelining !== false
  const needs = { type, ...(asks && { attributes }), areSpare: !isNeeded } as const
  return { port: await prepare(retrieval, needs), questions: [] }
}

function sendRetr(retrieval: FtpRetrieval, restart: number, port: number | null, questions: readonly Step[]) {
  const { plan, session } = retrieval
  const { prefetching, pipelining } = session.quirks
  // After a second retrieval, a third one is likely. The first prefetch may break the transfer, so it goes with a
  // transfer that can be resumed.
  const mayAsk = prefetching ?? (session.hasAttributes && plan.typecode !== 'a')
  const prefetches = session.served > 0 && mayAsk && pipelining !== false
  return startTransfer(retrieval, { command: ftpCommands(plan).transfer, restart, port, questions, prefetches })
}

/** Transfers the rest of a file of which a part has arrived, if the file is still the same. */
async function resumeTransfer(
  retrieval: FtpRetrieval,
  before: Attributes,
  offset: number,
  part: ByteRange,
): Promise<TransferBody> {
  const attributes: Attributes = { size: null, modified: null }
  const port = await prepare(retrieval, { type: ftpCommands(retrieval.plan).type, attributes })
  if (attributes.size !== before.size || attributes.modified?.getTime() !== before.modified?.getTime()) {
    const message = 'The transfer broke off, and the file has changed meanwhile; retrieve it anew.'
    throw retrieval.context.error('partial', message, { phase: 'body' })
  }
  const { transfer, reply } = await sendRetr(retrieval, offset, port, [])
  if (transfer === null) throw refusedByServer(retrieval.context, reply, 'to go on')
  const options = bodyOptions(retrieval, { ...part, offset }, attributes, null)
  // The file has not grown, so no more than its rest may come, even if only a part of that is wanted.
  const atMost = attributes.size === null ? undefined : attributes.size - offset
  return new TransferBody(retrieval, transfer, { ...options, ...(offset > 0 && { atMost }) })
}

function remaining(part: ByteRange, from: number): ByteRange {
  const { offset, wanted } = part
  return { ...part, offset: from, wanted: wanted === null ? null : wanted - (from - offset) }
}

function canResume({ size, modified }: Attributes): boolean {
  return size !== null && modified !== null
}

function bodyOptions(
  retrieval: FtpRetrieval,
  part: ByteRange,
  { size }: Attributes,
  announced: number | null,
): BodyOptions {
  if (retrieval.plan.typecode === 'a') return { lineEnds: new LineEnds() }
  const rest = size === null ? null : size - part.offset
  const expected =
    part.wanted !== null && rest !== null ? part.wanted : (rest ?? (part.offset === 0 ? announced : null))
  return {
    expected: expected ?? undefined,
    isProven: rest !== null,
    wanted: part.wanted ?? undefined,
    surplus: part.wanted === null || rest === null ? undefined : rest - part.wanted,
    ...(part.offset > 0 && size !== null && afterRestart(retrieval, part, size)),
  }
}

/**
 * Limits the octets after a restart. More than SIZE said may come, since files grow. But if as many come as the whole
 * file has, the server ignored REST.
 */
function afterRestart(
  retrieval: FtpRetrieval,
  { offset, wanted, tail }: ByteRange,
  size: number,
): Pick<BodyOptions, 'atMost' | 'check'> {
  const isCompared = tail.length > 0
  const fromBeginning = Math.max(size - offset, size - 1)
  if (wanted !== null) return { atMost: fromBeginning }
  const check = async (_: Reply, received: number): Promise<void> => {
    const isRight = received <= size - offset || (await hasGrown(retrieval, { offset, size, isCompared }, received))
    if (!isRight) throw restIgnored(retrieval.context)
  }
  return { atMost: isCompared ? undefined : fromBeginning, check }
}

/** Makes the outcome if the caller already has the whole file. */
function nothingLeft(retrieval: FtpRetrieval, part: ByteRange, attributes: Attributes): Retrieved<'ftp'> {
  retrieval.done()
  return { ...described(retrieval, part, attributes, null, sizeReply(attributes)), body: wholeSource() }
}

/**
 * Decides what a refused name is. 550 means that there is no such file; ftp-srv uses 551. A CWD shows whether it is a
 * directory.
 */
async function refusedObject(retrieval: FtpRetrieval, reply: Reply): Promise<Retrieved<'ftp'>> {
  if ((reply.code === 550 || reply.code === 551) && (await isDirectory(retrieval))) {
    const { retrieveDirectory } = await import('../listing/listing.ts')
    return retrieveDirectory(retrieval, reply)
  }
  retrieval.done()
  throw missing(retrieval, reply)
}

/**
 * Reads the size in `150 Opening BINARY mode data connection for a.bin (4096 bytes).` Most servers since BSD have it at
 * the end, after any name.
 */
function announcedSize({ text }: Reply): number | null {
  const [, digits] = /\((\d{1,15}) bytes\)\.?\s*$/i.exec(text) ?? []
  return digits === undefined ? null : Number(digits)
}
