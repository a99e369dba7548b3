import type { Entity } from './entity.ts'
import type { MessagePart } from './part.ts'

/**
 * The parts by Content-ID. If several have the same, the multipart that contains them decides (RFC 2392 2): of
 * alternatives the last counts, which is the best (RFC 2046 5.1.4), of others the first.
 */
export function contentIds(partsOf: ReadonlyMap<Entity, readonly MessagePart[]>): ReadonlyMap<string, MessagePart> {
  const found = new Map<string, { readonly entity: Entity; readonly part: MessagePart }>()
  for (const [entity, parts] of partsOf) {
    for (const part of parts) {
      if (part.contentId === null) continue
      const earlier = found.get(part.contentId)
      if (earlier !== undefined && !(isBetter(part) && areAlternatives(earlier.entity, entity))) continue
      found.set(part.contentId, { entity, part })
    }
  }
  return new Map([...found].map(([id, { part }]) => [id, part]))
}

/** Whether the part holds its data: an external body (RFC 2046 5.2.3) only says where it is. */
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
