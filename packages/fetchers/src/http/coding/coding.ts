import { type Advice, adviceText, printable } from '@retriever/core'
import type { RequestOptions, RetrievalContext, Retrieved } from '../../plugin/fetcher.ts'
import { givesField, resumePoint } from '../../plugin/request-options.ts'
import { elementsOf } from '../fields.ts'
import { type Coding, codingOf, decode, knownCodings, type Wire } from './decoder.ts'

/** security.md case 41: nobody codes more often. */
const maxCodings = 3

/** The value of Accept-Encoding. */
export function acceptEncoding(request: RequestOptions): string {
  return wantsCoding(request) ? knownCodings.join(', ') : 'identity'
}

/** A range, and where to go on, are counted in the octets that the server keeps; so are the parts of a split body. */
function wantsCoding(request: RequestOptions): boolean {
  const { compressed, range, split = 1 } = request
  const isWhole = range === undefined && !givesField(request, 'range') && resumePoint(request) === undefined
  return compressed === true && isWhole && split === 1
}

/**
 * What was retrieved with its content codings undone, where `compressed` asked for them. Else, and in a coding that is
 * not known, as it came, and a remark says so: many servers label a .tar.gz as coded, or name as a coding what is none
 * (`aws-chunked`, `none`, `binary`), and the caller wants the file. `metadata.decoded` names what was undone, last
 * coding first. Throws, and gives up the body, for too many codings.
 *
 * How the end is known stays as the framing has it: gzip members may follow each other (RFC 1952 2.2), so a body
 * without a length that is cut between two of them looks whole.
 */
export function decodeBody(retrieved: Retrieved, context: RetrievalContext): Retrieved {
  const { request, emit, url } = context
  const names = codingsOf(retrieved)
  // Content-Length: 0, and what has no body whatever it says: 204.
  if (names.length === 0 || retrieved.size === 0) return retrieved
  const codings = knownAll(names)
  if (request.head === true) return wantsCoding(request) && codings !== null ? { ...retrieved, size: null } : retrieved
  if (wantsCoding(request)) checkCount(names, retrieved, context)
  if (codings !== null && wantsCoding(request)) return undoneAll(retrieved, codings, context)
  const message =
    codings === null
      ? `The body stays in its content coding, because it is not known (${shown(names)}).`
      : `The body stays in its content coding, because it was not asked for (${shown(names)}); ` +
        `retrieve the whole with ${adviceText(compressed)} to decode it.`
  emit({ type: 'remark', url, message, ...(codings !== null && { advice: compressed }) })
  return retrieved
}

function undoneAll(retrieved: Retrieved, codings: readonly Coding[], context: RetrievalContext): Retrieved {
  const source = (retrieved.reusable ?? retrieved.body)[Symbol.asyncIterator]()
  const { reusable: _lent, ...rest } = retrieved
  const metadata = { ...retrieved.metadata, decoded: codings.map(({ name }) => name) }
  return { ...rest, size: null, metadata, body: decodedBody(source, codings, context) }
}

/** In the order in which they were applied (RFC 9110 8.4); without what changes nothing. */
function codingsOf({ metadata }: Retrieved): string[] {
  const { headers } = metadata as { headers?: Readonly<Record<string, string>> }
  return elementsOf(headers?.['content-encoding']).filter((name) => name !== 'identity')
}

/** In the order in which they are undone. Null: one of them is not known, and what is under it cannot be reached. */
function knownAll(names: readonly string[]): Coding[] | null {
  const codings = names.toReversed().map(codingOf)
  return codings.every((coding) => coding !== undefined) ? codings : null
}

const compressed: Advice = { option: 'compressed' }

/** Throws `limit-exceeded` for more than there may be. */
function checkCount(names: readonly string[], { body }: Retrieved, { error, deadline }: RetrievalContext): void {
  if (names.length <= maxCodings) return
  void body[Symbol.asyncIterator]().return?.()
  const what = `The body was coded ${names.length} times, and ${maxCodings} times is the limit`
  const message = `${what}; try it without ${adviceText(compressed)}.`
  throw error('limit-exceeded', message, { phase: deadline.phase, advice: compressed })
}

function shown(names: readonly string[]): string {
  return printable(names.join(', ').slice(0, 80))
}

function decodedBody(
  source: AsyncIterator<Uint8Array>,
  codings: readonly Coding[],
  context: RetrievalContext,
): AsyncIterableIterator<Uint8Array> {
  const wire: Wire = { octets: 0 }
  const octets = codings.reduce((coded, coding) => decode(coded, coding, wire, context), counted(source, wire, context))
  return {
    next: () => octets.next(),
    // A generator that has not begun would not pass it on.
    async return() {
      await source.return?.()
      return octets.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * What comes from the server. It is held to maxSize too, with room for what hardly shrinks: a coding can go on for ever
 * and bring nothing, as padding and empty members do.
 */
async function* counted(
  source: AsyncIterator<Uint8Array>,
  wire: Wire,
  { limits, error }: RetrievalContext,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of { [Symbol.asyncIterator]: () => source }) {
    wire.octets += chunk.length
    if (wire.octets > 2 * limits.maxSize + 65_536) {
      const advice = { option: 'limits.maxSize' } as const
      const most = `${limits.maxSize} octets that ${adviceText(advice)} allows it decoded`
      throw error('limit-exceeded', `The coded body is over twice the ${most}.`, { phase: 'body', advice })
    }
    yield chunk
  }
}
