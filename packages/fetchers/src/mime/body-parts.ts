import type { MimeNode } from '@zone-eu/mailsplit'
import type { MessagePart } from './part.ts'
import type { SplitMessage } from './split.ts'

/**
 * The parts that a person reads, in their order: texts, plain or HTML, that are no attachments; of alternatives one
 * (RFC 2046 5.1).
 */
export function bodyOf(
  { root, nodes }: SplitMessage,
  partsOf: ReadonlyMap<MimeNode, readonly MessagePart[]>,
): readonly MessagePart[] {
  const parts = [...partsOf.values()].flat()
  const tree = new TextTree(nodes, partsOf, new Set(parts.filter(isBlank)))
  const unnamed = tree.texts(root, ({ isAttachment }) => !isAttachment)
  if (unnamed.length > 0) return unnamed
  const named = tree.texts(root, ({ disposition }) => disposition !== 'attachment')
  if (named.length > 0) return named
  // There is nothing else to read.
  return parts.length === 1 && parts[0]?.mediaType.startsWith('text/') ? parts : []
}

/** The texts below each part of a message. */
class TextTree {
  readonly #children = new Map<MimeNode, MimeNode[]>()
  readonly #partsOf: ReadonlyMap<MimeNode, readonly MessagePart[]>
  readonly #blank: ReadonlySet<MessagePart>

  constructor(
    nodes: readonly MimeNode[],
    partsOf: ReadonlyMap<MimeNode, readonly MessagePart[]>,
    blank: ReadonlySet<MessagePart>,
  ) {
    for (const node of nodes) {
      const siblings = node.parentNode === false ? undefined : this.#children.get(node.parentNode)
      if (siblings !== undefined) siblings.push(node)
      else if (node.parentNode !== false) this.#children.set(node.parentNode, [node])
    }
    this.#partsOf = partsOf
    this.#blank = blank
  }

  texts(node: MimeNode | null, isToRead: (part: MessagePart) => boolean): readonly MessagePart[] {
    if (node === null) return []
    const parts = this.#partsOf.get(node)
    if (parts !== undefined) return parts.filter((part) => isText(part) && isToRead(part))
    const choices = (this.#children.get(node) ?? []).map((child) => this.texts(child, isToRead))
    switch (node.multipart) {
      case 'alternative':
        return this.#best(choices)
      case 'related':
      case 'signed':
        // The first part with a text is the document; the others belong to it.
        return choices.find(({ length }) => length > 0) ?? []
      default:
        return this.#said(choices.flat())
    }
  }

  /** Plain text, unless it is blank; else the first that says something. */
  #best(choices: readonly (readonly MessagePart[])[]): readonly MessagePart[] {
    const said = choices.filter((parts) => parts.some((part) => !this.#blank.has(part)))
    const plain = said.find((parts) => parts.every(({ mediaType }) => mediaType === 'text/plain'))
    return plain ?? said[0] ?? choices[0] ?? []
  }

  /** Without those that are blank, unless all are. */
  #said(parts: readonly MessagePart[]): readonly MessagePart[] {
    const said = parts.filter((part) => !this.#blank.has(part))
    return said.length > 0 ? said : parts
  }
}

function isText({ mediaType }: MessagePart): boolean {
  return mediaType === 'text/plain' || mediaType === 'text/html'
}

function isBlank(part: MessagePart): boolean {
  return isText(part) && part.octets.every((octet) => octet <= 0x20)
}
