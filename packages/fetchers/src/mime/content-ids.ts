import type { Entity } from './entity.ts'
import { MessagePart, multipartContent } from './part.ts'
import type { SplitMessage } from './split-message.ts'

/**
 * Maps each Content-ID to its part or whole multipart, in the order of `entities`. If several have the same id, the
 * multipart that contains them decides (RFC 2392 2): among alternatives the last counts, because it is the best (RFC
 * 2046 5.1.4), elsewhere the first.
 */
export function contentIds(
  { entities, multiparts }: SplitMessage,
  partsOf: ReadonlyMap<Entity, readonly MessagePart[]>,
): ReadonlyMap<string, MessagePart> {
  const found = new Map<string, { readonly entity: Entity; readonly part: MessagePart }>()
  for (const entity of entities) {
    const octets = multiparts.get(entity)
    const whole = octets === undefined ? [] : [new MessagePart(0, multipartContent(entity, octets), null)]
    for (const part of partsOf.get(entity) ?? whole) {
      if (part.contentId === null) continue
      const earlier = found.get(part.contentId)
      if (earlier !== undefined && !(isBetter(part) && areAlternatives(earlier.entity, entity))) continue
      found.set(part.contentId, { entity, part })
    }
  }
  return new Map([...found].map(([id, { part }]) => [id, part]))
}

/** Whether the part holds its data. An external body (RFC 2046 5.2.3) only says where the data is. */
function isBetter({ mediaType }: MessagePart): boolean {
  return mediaType !== 'message/external-body'
}

/** Whether the innermost multipart that contains both is a multipart/alternative. */
function areAlternatives(one: Entity, other: Entity): boolean {
  const around = new Set<Entity>()
  for (let { parent } = one; parent !== null; parent = parent.parent) around.add(parent)
  let { parent } = other
  while (parent !== null && !around.has(parent)) parent = parent.parent
  return parent?.multipart === 'alternative'
}
