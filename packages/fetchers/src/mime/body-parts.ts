import type { Entity } from './entity.ts'
import type { MessagePart } from './part.ts'
import type { SplitMessage } from './split-message.ts'

/**
 * The parts that a person reads, in their order: texts, plain or HTML, that are no attachments; of alternatives one
 * (RFC 2046 5.1).
 */
export function bodyOf(
  { entities }: SplitMessage,
  partsOf: ReadonlyMap<Entity, readonly MessagePart[]>,
): readonly MessagePart[] {
  const parts = [...partsOf.values()].flat()
  const tree = new TextTree(entities, partsOf, new Set(parts.filter(isBlank)))
  const unnamed = tree.texts(entities[0], ({ isAttachment }) => !isAttachment)
  if (unnamed.length > 0) return unnamed
  const named = tree.texts(entities[0], ({ disposition }) => disposition !== 'attachment')
  if (named.length > 0) return named
  // There is nothing else to read.
  return parts.length === 1 && parts[0]?.mediaType.startsWith('text/') ? parts : []
}

/** The texts below each part of a message. */
class TextTree {
  readonly #children = new Map<Entity, Entity[]>()
  readonly #partsOf: ReadonlyMap<Entity, readonly MessagePart[]>
  readonly #blank: ReadonlySet<MessagePart>

  constructor(
    entities: readonly Entity[],
    partsOf: ReadonlyMap<Entity, readonly MessagePart[]>,
    blank: ReadonlySet<MessagePart>,
  ) {
    for (const entity of entities) {
      if (entity.parent === null) continue
      const siblings = this.#children.get(entity.parent)
      if (siblings !== undefined) siblings.push(entity)
      else this.#children.set(entity.parent, [entity])
    }
    this.#partsOf = partsOf
    this.#blank = blank
  }

  texts(entity: Entity | undefined, isToRead: (part: MessagePart) => boolean): readonly MessagePart[] {
    if (entity === undefined) return []
    const parts = this.#partsOf.get(entity)
    if (parts !== undefined) return parts.filter((part) => isText(part) && isToRead(part))
    const choices = (this.#children.get(entity) ?? []).map((child) => this.texts(child, isToRead))
    switch (entity.multipart) {
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
