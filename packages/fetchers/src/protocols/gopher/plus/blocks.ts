import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { linesBeforeEndMark } from '../end-mark.ts'

/** One attribute of an item (Gopher+ 2.5): one octet a character. */
export interface Block {
  /**
   * The rest of the line after the name. For +INFO it is a menu line; for others it says where the attribute is kept.
   */
  readonly header: string
  /** The lines, without the blank with which each begins. */
  readonly lines: string[]
}

/** The attributes of one item, by name. Names are case-sensitive; +INFO is the item's menu line. */
export type Blocks = Map<string, Block>

/**
 * Matches a line that begins a block: `+ADMIN:`, `+VIEWS: ` with a blank, `+ABSTRACT: 0more TAB /more TAB h TAB 70`.
 * The example in Gopher+ 2.8 has `+ADMIN` without its colon. Such a line must end there: some servers send text without
 * the leading blank, and a line of it may begin with a plus.
 */
const heading = /^\+(?:([\w.-]+)(?::[ \t]*(.*)|[ \t]*)|(INFO)[ \t]+(.*))$/s

/**
 * Yields the items of an answer to `!` or `$`. Each begins with its +INFO (Gopher+ 2.5, 2.7). Lines before any block
 * are yielded as strings.
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

/** Returns the lines of a block, including a line that stands after its name, without empty lines at both ends. */
export function linesIn({ header, lines }: Block): readonly string[] {
  const all = header === '' || header.includes('\t') ? [...lines] : [header, ...lines]
  while (all.at(-1)?.trim() === '') all.pop()
  while (all[0]?.trim() === '') all.shift()
  return all
}
