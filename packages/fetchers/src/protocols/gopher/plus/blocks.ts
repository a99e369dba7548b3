import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { linesBeforeEndMark } from '../end-mark.ts'

/** One attribute of an item (Gopher+ 2.5): one octet a character. */
export interface Block {
  /**
   * The rest of the line behind the name: for +INFO a menu line, for others a line that says where the attribute is
   * kept.
   */
  readonly header: string
  /** The lines without the blank that each begins with. */
  readonly lines: string[]
}

/** The attributes of one item, by name. Names are case-sensitive, and +INFO is the item's menu line. */
export type Blocks = Map<string, Block>

/**
 * Matches a line that begins a block: `+ADMIN:`, `+VIEWS: ` with a blank, `+ABSTRACT: 0more TAB /more TAB h TAB 70`.
 * The example of Gopher+ 2.8 has `+ADMIN` without its colon; then the line must end there, since servers that send text
 * without the leading blank may begin a line of it with a plus.
 */
const heading = /^\+(?:([\w.-]+)(?::[ \t]*(.*)|[ \t]*)|(INFO)[ \t]+(.*))$/s

/**
 * The items of an answer to `!` or `$`: each begins with its +INFO (Gopher+ 2.5, 2.7). Lines before any block are
 * passed on as strings.
 */
export async function* itemsOf(
  body: AsyncIterable<Uint8Array>,
  context: Pick<RetrievalContext, 'limits' | 'error'>,
): AsyncGenerator<Blocks | string, void, void> {
  let blocks: Blocks | undefined
  let block: Block | undefined
  for await (const line of linesBeforeEndMark(body, context)) {
    const [, plain, header = '', bare, menuLine = ''] = heading.exec(line) ?? []
    const name = plain ?? bare
    if (name === undefined) {
      if (block !== undefined) block.lines.push(line.replace(/^ /, ''))
      else if (line !== '') yield line
      continue
    }
    if (blocks !== undefined && name === 'INFO') {
      yield blocks
      blocks = undefined
    }
    blocks ??= new Map()
    block = blocks.get(name) ?? { header: plain === undefined ? menuLine : header, lines: [] }
    blocks.set(name, block)
  }
  if (blocks !== undefined) yield blocks
}

/** The lines of a block, with a line that stands behind its name, and without empty lines at both ends. */
export function linesIn({ header, lines }: Block): readonly string[] {
  const all = header === '' || header.includes('\t') ? [...lines] : [header, ...lines]
  while (all.at(-1)?.trim() === '') all.pop()
  while (all[0]?.trim() === '') all.shift()
  return all
}
