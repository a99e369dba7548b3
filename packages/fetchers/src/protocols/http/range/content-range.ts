import { printable } from '@retriever/core'
import type { OctetRange, RetrievalContext } from '../../../contract/fetcher.ts'
import { givesField } from '../../../kit/request-options.ts'
import type { ResponseHead } from '../response.ts'

/** The octets `first` to `last` of a representation of `total`. Null if the server does not know the total. */
interface ContentRange {
  readonly first: number
  readonly last: number
  readonly total: number | null
}

/**
 * Returns the part that a 206 has (RFC 9110 14.4). Null if its fields contradict each other, or if it has several
 * parts.
 */
export function contentRange(head: Pick<ResponseHead, 'field'>): ContentRange | null {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(head.field('content-range') ?? '')
  if (match === null || /^multipart\/byteranges\b/i.test(head.field('content-type') ?? '')) return null
  const [first, last] = [Number(match[1]), Number(match[2])]
  const total = match[3] === '*' ? null : Number(match[3])
  const length = head.field('content-length')
  const isOdd = last < first || (total !== null && last >= total)
  return isOdd || (length !== null && Number(length) !== last - first + 1) ? null : { first, last, total }
}

/** Whether the one part that came has all octets of these ranges that the resource has: a server may join them. */
export function hasAll({ first, last, total }: ContentRange, ranges: readonly OctetRange[]): boolean {
  return ranges.every(([from, to]) => {
    if (total === null) return from >= 0 && first <= from && last >= (to ?? from)
    // A range behind the end is left out (RFC 9110 14.2).
    if (from >= total) return true
    const start = from < 0 ? Math.max(0, total + from) : from
    return first <= start && last >= Math.min(to ?? total - 1, total - 1)
  })
}

/** Returns the size that a 416 gives (`bytes *\/14`). Null if it gives none. */
export function totalOfUnsatisfied(head: ResponseHead): number | null {
  const total = /^bytes \*\/(\d{1,15})$/i.exec(head.field('content-range') ?? '')?.[1]
  return total === undefined ? null : Number(total)
}

/** Throws if a range was asked for and another one came, or if a range came that nobody asked for. */
export function checkRange(head: ResponseHead, range: OctetRange | undefined, context: RetrievalContext): void {
  const { status } = head
  if (range === undefined && status !== 206 && status !== 416) return
  // A range has a meaning only for GET (RFC 9110 14.2), so most servers answer HEAD with the whole.
  if (context.request.head === true && status !== 416) return
  const { reply } = head
  const details = { status, reply, phase: 'request' } as const
  if (status === 416) {
    const total = totalOfUnsatisfied(head)
    const size = total === null ? '' : ` it has ${total} octets;`
    throw context.error('range-refused', `The range is outside of the resource;${size} ask for less.`, details)
  }
  if (range === undefined) {
    if (givesField(context.request, 'range')) return
    throw context.error('protocol-violation', 'The server sent a part although the whole was asked for.', details)
  }
  if (status !== 206) {
    // The range bytes=0- means the whole.
    if (range[0] === 0 && range[1] === null) return
    throw context.error('range-refused', 'The server sends only the whole; retrieve it without a range.', details)
  }
  const part = contentRange(head)
  if (part !== null && isAsked(part, range)) return
  const stated = printable(head.hide(head.field('content-range') ?? 'none').slice(0, 80))
  throw context.error('protocol-violation', `The server sent another range than asked for (${stated}).`, details)
}

/**
 * Whether the part is the one that was asked for. A server may send less (RFC 9110 15.3.7), and nobody would notice
 * what is missing. If it names no total, the resource may have ended there.
 */
function isAsked({ first, last, total }: ContentRange, [from, to]: OctetRange): boolean {
  const end = to ?? Number.POSITIVE_INFINITY
  if (from >= 0) return first === from && (total === null ? last <= end : last === Math.min(end, total - 1))
  // A server that does not know the size cannot tell where the last octets begin.
  return total !== null && last === total - 1 && first === Math.max(0, total + from)
}
