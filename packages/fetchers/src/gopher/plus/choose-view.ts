import { printable } from '@retriever/core'
import type { RequestOptions, RetrievalContext } from '../../plugin/fetcher.ts'
import { languageQuality, typeQuality } from './accept.ts'
import type { View } from './views.ts'

/**
 * The most welcome view by `accept` and `acceptLanguage`; the server's order breaks ties. Where none is welcome a remark says so, and
 * it is one of a type that is, or else the server's own favourite. Null: the server names no views.
 */
export function chooseView(views: readonly View[], context: RetrievalContext): View | null {
  const { accept, acceptLanguage } = context.request
  const type = ({ mediaType }: View): number => typeQuality(accept, mediaType)
  const best = favourite(views, (view) => type(view) * languageQuality(acceptLanguage, view.language))
  if (best !== null) return best
  const [first = null] = views
  const chosen = (accept === undefined ? null : favourite(views, type)) ?? first
  tellNoneFits(chosen, context)
  return chosen
}

/** The first of those with the highest quality, if any has one at all. */
function favourite(views: readonly View[], quality: (view: View) => number): View | null {
  let best: View | null = null
  let highest = 0
  for (const view of views) {
    const welcome = quality(view)
    if (welcome <= highest) continue
    highest = welcome
    best = view
  }
  return best
}

function tellNoneFits(view: View | null, { emit, url, request }: RetrievalContext): void {
  const wish = wishOf(request)
  const comes =
    view === null ? 'names no views of the item, and sends it' : `has no view as wanted, and sends ${shown(view)}`
  emit({ type: 'remark', url, message: `The server ${comes}; wanted was ${wish}.` })
}

function wishOf({ accept, acceptLanguage }: RequestOptions): string {
  return [accept, acceptLanguage].filter((wish) => wish !== undefined).join(', ')
}

function shown({ name }: View): string {
  return `"${printable(name).slice(0, 100)}"`
}
