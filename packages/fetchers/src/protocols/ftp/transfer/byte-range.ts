import type { RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import {
  checkDate,
  firstOf,
  offsetError,
  oneRange,
  overlap,
  resumeObstacle,
  resumePoint,
} from '../../../kit/request-options.ts'
import { overMaxSize } from '../../../kit/size-limit.ts'
import type { Step } from '../control/pipeline.ts'
import { isPositive, isUnknownCommand, type Reply, wordsOf } from '../control/replies.ts'
import { readTime, safeSize } from '../listing/facts.ts'
import type { FtpRetrieval } from '../retrieval.ts'

/** What the server says of a file before it sends it (RFC 3659 3 and 4). Null: it does not say this. */
export interface Attributes {
  /** The size in octets of TYPE I. */
  size: number | null
  modified: Date | null
}

/**
 * Makes the steps that send SIZE and MDTM, except those that the server does not know (500, 502). If the file is
 * missing, RETR reports it.
 */
export function attributeSteps({ plan, session }: FtpRetrieval, attributes: Attributes): readonly Step[] {
  const { unknown } = session.quirks
  const step = (verb: 'SIZE' | 'MDTM', read: (text: string) => void): Step => ({
    phase: 'request',
    command: `${verb} ${plan.name}`,
    onReply: (reply) => {
      if (isPositive(reply)) read(reply.text)
      else if (isUnknownCommand(reply)) unknown.add(verb)
    },
  })
  const size = step('SIZE', (text) => {
    attributes.size = safeSize(text.trim()) ?? null
  })
  const modified = step('MDTM', (text) => {
    attributes.modified = readTime(text.trim()) ?? null
  })
  // In TYPE A servers count before or after the conversion, or not at all.
  const asked = plan.typecode === 'a' ? [modified] : [size, modified]
  return asked.filter(({ command }) => !unknown.has(command.split(' ')[0] ?? ''))
}

/** The wanted octets of a file: all from `offset`, or `wanted` of them. */
export interface ByteRange {
  readonly offset: number
  readonly wanted: number | null
  /** Octets before the offset. They must come again, to prove that the rest belongs to them. */
  readonly tail: Uint8Array
  /** Why the whole file comes although the caller has its beginning. Null: no reason. */
  readonly obstacle: string | null
}

const whole: ByteRange = { offset: 0, wanted: null, tail: new Uint8Array(0), obstacle: null }

/** Whether the answers to SIZE and MDTM decide which octets are requested, or whether any are. */
export function isConditional({ request, limits }: RetrievalContext): boolean {
  const { range, resumeFrom, ifChangedSince, ifUnchangedSince } = request
  const isLimited = limits.maxSize !== Number.POSITIVE_INFINITY
  return (
    range !== undefined || resumeFrom !== undefined || (ifChangedSince ?? ifUnchangedSince) !== undefined || isLimited
  )
}

/** Throws `not-modified`, and gives the session back. If the server tells no time, the file is retrieved. */
export function checkModified(retrieval: FtpRetrieval, { modified }: Attributes): void {
  if (modified === null) return
  try {
    checkDate(retrieval.context, modified)
  } catch (error) {
    retrieval.done()
    throw error
  }
}

/**
 * Throws `range-refused` for a range beyond the end. vsftpd and inetutils accept such a REST, and send nothing and 226.
 */
export function wantedRange(retrieval: FtpRetrieval, attributes: Attributes): ByteRange {
  const { context } = retrieval
  const { range } = context.request
  if (range === undefined) return resumedPart(retrieval, attributes)
  const one = oneRange(range, context)
  const [, last] = one
  const { size } = attributes
  if (size === null && one[0] < 0) {
    retrieval.done()
    throw context.error(
      'range-refused',
      'The server does not tell the size of the file; ask for octets from its beginning.',
    )
  }
  const offset = firstOf(one, size ?? 0)
  // An empty file has no last octets (RFC 9110 14.1.2), and servers say 0 of files that they make when they are read.
  if (size !== null && (offset > 0 || one[0] < 0) && offset >= size) {
    retrieval.done()
    throw context.error('range-refused', `The range begins at octet ${offset}, and there are ${size}.`)
  }
  return {
    ...whole,
    offset,
    wanted: last === null ? null : Math.min(last - offset + 1, (size ?? Number.POSITIVE_INFINITY) - offset),
  }
}

/** Throws `limit-exceeded` before the transfer if more than limits.maxSize would come. */
export function checkSize(retrieval: FtpRetrieval, { offset, wanted }: ByteRange, { size }: Attributes): void {
  const { maxSize } = retrieval.context.limits
  const rest = wanted ?? (size === null ? 0 : size - offset)
  if (size === null || rest <= maxSize) return
  retrieval.done()
  throw overMaxSize(retrieval.context, rest)
}

function resumedPart(retrieval: FtpRetrieval, attributes: Attributes): ByteRange {
  const { plan, session, context } = retrieval
  const point = resumePoint(context.request)
  if (point === undefined) return whole
  if (plan.typecode === 'a') return { ...whole, obstacle: 'text is converted, so that offsets mean nothing' }
  // MDTM usually has whole seconds, but the caller's time may have fractions.
  const obstacle = resumeObstacle(point, { ...attributes, precision: 1000 })
  if (obstacle !== null) return { ...whole, obstacle }
  const { offset, tail = whole.tail } = point
  const failure = offsetError(context, offset, attributes.size)
  if (failure !== null) {
    retrieval.done()
    throw failure
  }
  if (session.quirks.unknown.has('REST')) return { ...whole, obstacle: 'the server cannot begin in the middle' }
  if (attributes.size === null) return { ...whole, obstacle: 'the server does not tell its size' }
  return { ...whole, offset, tail: tail.slice(-overlap) }
}

/** Makes the metadata of a file or of the wanted part. `announced` is the size in the words of the reply to RETR. */
export function described(
  { plan, session }: FtpRetrieval,
  part: ByteRange,
  { size, modified }: Attributes,
  announced: number | null,
  reply: Reply,
): Omit<Retrieved<'ftp'>, 'body'> {
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
    // The announced size proves nothing, since it is part of a sentence for people.
    completeness: size === null || isText ? 'terminated' : 'verified',
    metadata: { welcome: session.welcome, reply: wordsOf(reply), typecode: isText ? 'a' : 'i' },
  }
}
