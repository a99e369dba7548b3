import type { GopherPlan } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../../contract/fetcher.ts'
import type { FormField } from '../../../contract/form.ts'
import { octetsDecoder } from '../../../kit/text/text.ts'
import { itemUrl } from '../item-url.ts'
import { menuEntry, parseMenuLine } from '../menu.ts'
import { type Admin, readAdmin } from './admin.ts'
import { fieldOf, readAsk } from './ask.ts'
import { type Block, type Blocks, itemsOf, linesIn } from './blocks.ts'
import { readViews, type View } from './views.ts'

/**
 * The attributes of an item by name (Gopher+ 2.5), as in `details.attributes` of its Entry. Attributes that the server
 * did not send are absent.
 */
export interface Attributes {
  readonly ADMIN?: Admin | Elsewhere
  readonly VIEWS?: readonly View[] | Elsewhere
  readonly ABSTRACT?: string | Elsewhere
  readonly ASK?: readonly FormField[] | Elsewhere
  /** The lines of any other attribute. */
  readonly [name: string]:
    | Admin
    | readonly View[]
    | string
    | readonly FormField[]
    | readonly string[]
    | Elsewhere
    | undefined
}

/** An attribute that is kept in another item. The header of its block says where, and the block has no text. */
export interface Elsewhere {
  readonly url: string | null
}

type Decode = ReturnType<typeof octetsDecoder>

/** Whether the plan asks for attributes: of an item (`!`) or of all items of a menu (`$`). */
export function asksAttributes({ gopherPlus }: GopherPlan): boolean {
  return gopherPlus !== null && /^[!$]/.test(gopherPlus)
}

/**
 * Yields one entry for each item, as its menu line gives it. Lines before any attribute are those of a plain menu,
 * which pygopherd sends in place of `application/gopher+-menu`.
 */
export async function* attributeEntries(
  body: AsyncIterable<Uint8Array>,
  plan: GopherPlan,
  context: RetrievalContext,
): AsyncGenerator<Entry, void, void> {
  const decode = octetsDecoder(context.request.charset)
  for await (const item of itemsOf(body, context)) {
    yield typeof item === 'string' ? lineEntry(item, plan, decode) : attributeEntry(item, plan, decode)
  }
}

function attributeEntry(blocks: Blocks, plan: GopherPlan, decode: Decode): Entry {
  const attributes = attributesOf(blocks, plan, decode)
  const { ADMIN, VIEWS } = attributes
  const entry = entryOf(blocks.get('INFO')?.header, plan, decode)
  const size = Array.isArray(VIEWS) ? VIEWS[0]?.size : null
  const modified = ADMIN !== undefined && 'modified' in ADMIN ? ADMIN.modified : null
  return {
    ...entry,
    ...(typeof size === 'number' && { size }),
    ...(modified !== null && { modified: new Date(modified) }),
    details: { ...entry.details, attributes },
  }
}

/** Makes the entry of an +INFO line. If there is none, the attributes must be those of the requested item. */
function entryOf(info: string | undefined, plan: GopherPlan, decode: Decode): Entry {
  const { gophertype, selector, host, port } = plan
  if (info === undefined) {
    return menuEntry({ gophertype, display: selector, selector, host, port, gopherPlus: '+' }, plan, { decode })
  }
  return lineEntry(info, plan, decode)
}

function lineEntry(line: string, plan: GopherPlan, decode: Decode): Entry {
  const item = parseMenuLine(line)
  return item === undefined ? { name: decode(line), kind: 'info', url: null } : menuEntry(item, plan, { decode })
}

function attributesOf(blocks: Blocks, plan: GopherPlan, decode: Decode): Attributes {
  const others = [...blocks].filter(([name]) => name !== 'INFO')
  return Object.fromEntries(others.map(([name, block]) => [name, readBlock(name, block, plan, decode)]))
}

function readBlock(name: string, block: Block, plan: GopherPlan, decode: Decode): Attributes[string] {
  const lines = linesIn(block)
  if (lines.length === 0) {
    const item = parseMenuLine(block.header)
    if (item !== undefined) return { url: itemUrl(item, plan) }
  }
  switch (name) {
    case 'ADMIN':
      return readAdmin(lines)
    case 'VIEWS':
      return readViews(lines)
    case 'ABSTRACT':
      return decode(lines.join('\n'))
    case 'ASK':
      return readAsk(lines).map(fieldOf)
    default:
      return lines.map(decode)
  }
}
