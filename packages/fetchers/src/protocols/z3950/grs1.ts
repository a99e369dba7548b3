import { octetsToText } from '@retriever/core'
import { type BerNode, context, universal } from '../../wire/framing/ber-tree.ts'

/** An element of a GRS-1 record (Z39.50 appendix REC.5). */
export interface GrsElement {
  /**
   * The set of the tag: 1 is tagSet-M, 2 is tagSet-G, 3 holds the server's own tags. Null: the server does not tell.
   */
  readonly type: number | null
  readonly tag: number | string
  readonly content: string | number | boolean | null | readonly GrsElement[]
}

/** Reads a GenericRecord. Throws BerError. */
export function readGrs1(node: BerNode): GrsElement[] {
  return (node.children ?? []).map((element) => {
    const type = element.child(context(1))
    const [tag] = element.needed(context(2), 'the tag of an element').children ?? []
    const [data] = element.child(context(4))?.children ?? []
    return {
      type: type === undefined ? null : type.integer(),
      tag: tag === undefined ? '' : tag.tag === context(2) ? tag.integer() : textOf(tag),
      content: data === undefined ? null : readContent(data),
    }
  })
}

function readContent(data: BerNode): GrsElement['content'] {
  switch (data.tag) {
    case context(6):
      return readGrs1(data.needed(universal.sequence, 'a subtree'))
    case universal.integer:
      return data.integer()
    case universal.boolean:
      return data.boolean()
    case universal.oid:
      return data.oid()
    case universal.generalString:
    case universal.octetString:
    case universal.visibleString:
    case universal.generalizedTime:
      return textOf(data)
    default:
      // Element not there, empty, not requested; a diagnostic; a number with a unit; an EXTERNAL.
      return null
  }
}

function textOf(node: BerNode): string {
  return octetsToText(Buffer.from(node.octets()).toString('latin1'))
}

/** Writes the record as text, a line for each element, as yaz-client does: `(2,1) title`. */
export function grs1Text(elements: readonly GrsElement[], depth: number = 0): string {
  return elements
    .map(({ type, tag, content }) => {
      const head = `${'    '.repeat(depth)}(${type ?? '?'},${tag})`
      if (content === null) return `${head}\n`
      return typeof content === 'object' ? `${head}\n${grs1Text(content, depth + 1)}` : `${head} ${content}\n`
    })
    .join('')
}

/** Returns the text of the first element with this tag, at any depth. Undefined if there is none. */
export function findGrs1(elements: readonly GrsElement[], type: number, tag: number): string | undefined {
  for (const element of elements) {
    const { content } = element
    if (typeof content === 'object' && content !== null) {
      const found = findGrs1(content, type, tag)
      if (found !== undefined) return found
    } else if (element.type === type && element.tag === tag && content !== null) return String(content)
  }
  return undefined
}
