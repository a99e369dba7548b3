import type { Entry } from '../../contract/fetcher.ts'

/** An article, and its depth in its thread. */
export interface Threaded {
  readonly entry: Entry
  readonly depth: number
}

interface Node {
  readonly entry: Entry
  readonly number: number
  readonly answers: Node[]
}

/**
 * Orders articles by thread. The thread with the newest article comes first. Within a thread an article precedes its
 * answers, the oldest first. An article that refers to none in the list begins a thread (RFC 5536 3.2.10).
 */
export function threaded(articles: readonly Entry[]): readonly Threaded[] {
  const nodes = articles.map((entry): Node => ({ entry, number: Number(entry.details?.number ?? 0), answers: [] }))
  const byId = new Map(nodes.map((node) => [String(node.entry.details?.messageId ?? ''), node]))
  byId.delete('')
  const roots: Node[] = []
  for (const node of nodes) (parentOf(node, byId)?.answers ?? roots).push(node)
  // An answer has a higher number than the article that it answers, so descending order rates answers first.
  const newest = new Map<Node, number>()
  for (const node of nodes.toSorted((one, other) => other.number - one.number)) {
    newest.set(
      node,
      node.answers.reduce((most, answer) => Math.max(most, newest.get(answer) ?? 0), node.number),
    )
  }
  roots.sort((one, other) => (newest.get(other) ?? 0) - (newest.get(one) ?? 0))
  return roots.flatMap(inThread)
}

/**
 * The article that this one answers: the last of its References that is in the list. Only articles with lower numbers
 * count, so that there are no circles.
 */
function parentOf({ entry, number }: Node, byId: ReadonlyMap<string, Node>): Node | undefined {
  const references = Array.isArray(entry.details?.references) ? entry.details.references : []
  for (const id of references.toReversed()) {
    const parent = byId.get(String(id))
    if (parent !== undefined && parent.number < number) return parent
  }
  return undefined
}

/** The articles of a thread. A stack replaces recursion, since a thread may be as deep as the list is long. */
function inThread(root: Node): Threaded[] {
  const order: Threaded[] = []
  const open = [{ node: root, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth } = next
    order.push({ entry: node.entry, depth })
    // The last one pushed is popped first, so the order is reversed.
    for (const answer of node.answers.toSorted((one, other) => other.number - one.number)) {
      open.push({ node: answer, depth: depth + 1 })
    }
  }
  return order
}
