import { type Advice, printable, type RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RequestOptions, RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { sourceOf } from '../../../kit/byte-source.ts'
import { givesField, resumePoint } from '../../../kit/request-options.ts'
import { elementsOf } from '../fields.ts'
import { type Coding, codingNames, codingOf, decode, type Wire } from './decoder.ts'

/** How many codings a body may have, more than any server applies (threats.md 41: a body in very many codings). */
const maxCodings = 3

/** Returns the value of Accept-Encoding. */
export function acceptEncoding(request: RequestOptions): string {
  return wantsCoding(request) ? codingNames().join(', ') : 'identity'
}

/**
 * Whether the body may be coded. Ranges, rests and the segments of a split body may not: they count the octets that the
 * server keeps.
 */
function wantsCoding(request: RequestOptions): boolean {
  const { compressed, split = 1 } = request.http ?? {}
  const isWhole = request.range === undefined && !givesField(request, 'range') && resumePoint(request) === undefined
  return compressed === true && isWhole && split === 1
}

/**
 * Undoes the content codings of a body if `compressed` asked for them. `metadata.decoded` names them, the last one
 * first. Otherwise, and if a coding is unknown, the body stays as it came, with a remark: many servers label a .tar.gz
 * as coded, or use names that are no codings (`aws-chunked`, `none`, `binary`), and the caller wants the file. Throws
 * and cancels the body for too many codings, and if maxSize does not allow its coded size.
 *
 * `completeness` stays: gzip members may follow each other (RFC 1952 2.2), so a body without a length that is cut
 * between two of them looks whole.
 */
export function decodeBody(retrieved: Retrieved<'http'>, context: RetrievalContext): Retrieved<'http'> {
  const { request, emit, url } = context
  const names = codingsOf(retrieved)
  // The body is empty: Content-Length: 0, or a status without a body, such as 204.
  if (names.length === 0 || retrieved.size === 0) return retrieved
  const codings = knownAll(names)
  if (request.head === true) return wantsCoding(request) && codings !== null ? { ...retrieved, size: null } : retrieved
  if (wantsCoding(request)) checkCount(names, retrieved, context)
  if (codings !== null && wantsCoding(request)) return undoneAll(retrieved, codings, context)
  const message =
    codings === null
      ? `The body stays in its content coding, because that is unknown (${shown(names)}).`
      : `The body stays in its content coding, because decoding was not asked for (${shown(names)}); ` +
        `retrieve the whole with ${adviceText(compressed)} to decode it.`
  emit({ type: 'remark', url, message, ...(codings !== null && { advice: compressed }) })
  return retrieved
}

function undoneAll(
  retrieved: Retrieved<'http'>,
  codings: readonly Coding[],
  context: RetrievalContext,
): Retrieved<'http'> {
  const { size } = retrieved
  if (size !== null && size > mostCoded(context)) {
    void sourceOf(retrieved.body).cancel()
    throw codedTooLarge(context)
  }
  const metadata = { ...retrieved.metadata, decoded: codings.map(({ name }) => name) }
  return { ...retrieved, size: null, metadata, body: decodedBody(sourceOf(retrieved.body), codings, context) }
}

/**
 * Returns the codings in the order in which they were applied (RFC 9110 8.4), without `identity`, which changes
 * nothing.
 */
function codingsOf({ metadata }: Retrieved<'http'>): string[] {
  const { headers } = metadata as { headers?: Readonly<Record<string, string>> }
  return elementsOf(headers?.['content-encoding']).filter((name) => name !== 'identity')
}

/**
 * Returns the codings in the order in which they are undone. Null if one of them is unknown, since those below it
 * cannot be undone.
 */
function knownAll(names: readonly string[]): Coding[] | null {
  const codings = names.toReversed().map(codingOf)
  return codings.every((coding) => coding !== undefined) ? codings : null
}

const compressed: Advice = { option: 'http.compressed' }

/** Throws `limit-exceeded` for too many codings. */
function checkCount(
  names: readonly string[],
  { body }: Retrieved<'http'>,
  { error, deadline }: RetrievalContext,
): void {
  if (names.length <= maxCodings) return
  void sourceOf(body).cancel()
  const what = `The body was coded ${names.length} times, and ${maxCodings} times is the limit`
  const message = `${what}; try it without ${adviceText(compressed)}.`
  throw error('limit-exceeded', message, { phase: deadline.phase, advice: compressed })
}

function shown(names: readonly string[]): string {
  return printable(names.join(', ').slice(0, 80))
}

function decodedBody(source: ByteSource, codings: readonly Coding[], context: RetrievalContext): ByteSource {
  const wire: Wire = { octets: 0 }
  const octets = codings.reduce((coded, coding) => decode(coded, coding, wire, context), counted(source, wire, context))
  return {
    read: () => octets.read(),
    async cancel() {
      // A decoder that nobody has read does not pass the cancel on.
      await source.cancel()
      await octets.cancel()
    },
  }
}

/**
 * Counts the octets that come from the server. They have a limit, too: maxSize, with room for a body that hardly
 * shrinks. A coding can go on for ever and decode to nothing, as padding and empty members do.
 */
function counted(source: ByteSource, wire: Wire, context: RetrievalContext): ByteSource {
  return {
    async read() {
      const chunk = await source.read()
      wire.octets += chunk?.length ?? 0
      if (wire.octets <= mostCoded(context)) return chunk
      throw codedTooLarge(context)
    },
    cancel: () => source.cancel(),
  }
}

function mostCoded({ limits }: RetrievalContext): number {
  return 2 * limits.maxSize + 65_536
}

function codedTooLarge({ limits, error }: RetrievalContext): RetrievalError {
  const advice = { option: 'limits.maxSize' } as const
  const most = `${limits.maxSize} octets that ${adviceText(advice)} allows it decoded`
  return error('limit-exceeded', `The coded body is over twice the ${most}.`, { phase: 'body', advice })
}
