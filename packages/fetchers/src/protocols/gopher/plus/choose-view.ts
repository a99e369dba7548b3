import { printable } from '@retriever/core'
import type { RequestOptions, RetrievalContext } from '../../../contract/fetcher.ts'
import { languageQuality, typeQuality } from '../../../kit/accept.ts'
import type { View } from './views.ts'

/**
 * Chooses the view that `accept` and `acceptLanguage` prefer. Between equals, the server's order decides. If none fits,
 * a remark says so, and it takes a view of a wanted type, or else the server's first. Returns null if the server names
 * no views.
 */
export function chooseView(views: readonly View[], context: RetrievalContext): View | null {
  const { accept, acceptLanguage } = context.request
  const type = ({ mediaType }: View): number => typeQuality(accept, mediaType)
  const best = preferred(views, (view) => type(view) * languageQuality(acceptLanguage, view.language))
  if (best !== null) return best
  const [first = null] = views
  const chosen = (accept === undefined ? null : preferred(views, type)) ?? first
  tellNoneFits(chosen, context)
  return chosen
}

/** Returns the first view of the highest quality. Null if all have quality 0. */
function preferred(views: readonly View[], quality: (view: View) => number): View | null {
  let best: View | null = null
  let highest = 0
  for (const view of views) {
    const ofView = quality(view)
    if (ofView <= highest) continue
    highest = ofView
    best = view
  }
  return best
}

function tellNoneFits(view: View | null, { emit, url, request }: RetrievalContext): void {
  const wants = wanted(request)
  const comes =
    view === null ? 'names no views of the item, and sends it' : `has no view that fits, and sends ${shown(view)}`
  emit({ type: 'remark', url, message: `The server ${comes}; you asked for ${wants}.` })
}

function wanted({ accept, acceptLanguage }: RequestOptions): string {
  return [accept, acceptLanguage].filter((field) => field !== undefined).join(', ')
}

function shown({ name }: View): string {
  return `"${printable(name).slice(0, 100)}"`
}
