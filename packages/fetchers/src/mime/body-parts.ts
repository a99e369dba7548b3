import type { Entity } from './entity.ts'
import type { MessagePart } from './part.ts'
import type { SplitMessage } from './split-message.ts'

/**
 * Returns the parts that a person reads, in order: plain texts and HTML that are no attachments, and one of several
 * alternatives.
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
  // A message that is a single text shows it, even if it is an attachment.
  return parts.length === 1 && parts[0]?.mediaType.startsWith('text/') ? parts : []
}

/** Finds the texts below each part of a message. */
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
        // The first part with a text is the document. The others (pictures, a signature) belong to it.
        return choices.find(({ length }) => length > 0) ?? []
      default:
        return this.#withoutBlank(choices.flat())
    }
  }

  /** Returns the best alternative: plain text unless it is blank, else the first that is not blank (RFC 2046 5.1.4). */
  #best(choices: readonly (readonly MessagePart[])[]): readonly MessagePart[] {
    const filled = choices.filter((parts) => parts.some((part) => !this.#blank.has(part)))
    const plain = filled.find((parts) => parts.every(({ mediaType }) => mediaType === 'text/plain'))
    return plain ?? filled[0] ?? choices[0] ?? []
  }

  /** Returns the parts that are not blank, or all if every part is blank. */
  #withoutBlank(parts: readonly MessagePart[]): readonly MessagePart[] {
    const filled = parts.filter((part) => !this.#blank.has(part))
    return filled.length > 0 ? filled : parts
  }
}

function isText({ mediaType }: MessagePart): boolean {
  return mediaType === 'text/plain' || mediaType === 'text/html'
}

function isBlank(part: MessagePart): boolean {
  return isText(part) && part.octets.every((octet) => octet <= 0x20)
}
