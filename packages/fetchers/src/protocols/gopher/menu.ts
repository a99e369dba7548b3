import { octetsToText } from '@retriever/core'
import type { GopherPlan } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import { trimBlanks } from '../../kit/text/blanks.ts'
import { octetsDecoder } from '../../kit/text/text.ts'
import { linesBeforeEndMark } from './end-mark.ts'
import { entryKind } from './item-type.ts'
import { itemUrl, type MenuItem } from './item-url.ts'

/** Yields the items of a menu, one entry a line. A line that is no item becomes information. */
export async function* menuEntries(
  body: AsyncIterable<Uint8Array>,
  plan: GopherPlan,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const decode = octetsDecoder(context.request.charset)
  let mirrored: string | undefined
  for await (const line of linesBeforeEndMark(body, context)) {
    if (line === '') continue
    const item = parseMenuLine(line)
    yield item === undefined
      ? { name: decode(line), kind: 'info', url: null }
      : menuEntry(item, plan, { mirrored, decode })
    if (item !== undefined && !'+i3'.includes(item.gophertype)) mirrored = item.gophertype
  }
}

/**
 * Reads `0Plain text TAB /docs/plain.txt TAB 127.0.0.1 TAB 70 TAB +`. Returns undefined for a line of fewer than four
 * fields.
 */
export function parseMenuLine(line: string): MenuItem | undefined {
  const [head = '', selector = '', host = '', portField, plus] = line.split('\t')
  if (portField === undefined || head === '') return undefined
  const port = portField.trim()
  const gopherPlus = plus?.trim()
  return {
    gophertype: head.charAt(0),
    display: head.slice(1),
    selector,
    host: trimBlanks(host),
    port: /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535 ? Number(port) : null,
    gopherPlus: gopherPlus === '' ? undefined : gopherPlus,
  }
}

export interface MenuReading {
  /** The type of the previous item. A `+` line is another server of that item (RFC 1436 3.8). */
  readonly mirrored?: string | undefined
  readonly decode: (octets: string) => string
}

export function menuEntry(item: MenuItem, plan: GopherPlan, { mirrored, decode }: MenuReading): Entry {
  const { gophertype, display, selector, host, port, gopherPlus } = item
  const redundant = gophertype === '+'
  const type = redundant ? mirrored : gophertype
  return {
    name: decode(display),
    kind: type === undefined ? 'other' : entryKind(type),
    url: type === undefined ? null : itemUrl({ ...item, gophertype: type }, plan),
    details: {
      gophertype,
      selector: decode(selector),
      host: octetsToText(host),
      port,
      ...(gopherPlus !== undefined && { gopherPlus: octetsToText(gopherPlus) }),
      ...(redundant && { redundant: true }),
    },
  }
}
