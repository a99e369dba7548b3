import { asksGopherForm, asksGopherView, type GopherPlan, gopherRequest } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { GopherMetadata } from '../../contract/metadata.ts'
import type { FormData } from './plus/answers.ts'
import { readAsk } from './plus/ask.ts'
import { type Block, linesIn } from './plus/blocks.ts'
import { chooseView } from './plus/choose-view.ts'
import { fillForm } from './plus/fill-form.ts'
import { askBlocks } from './plus/item-blocks.ts'
import { readViews } from './plus/views.ts'

/** The request for the item, after the server has listed its views and its form. */
export interface Prepared {
  readonly plan: GopherPlan
  /** The form data to send after the request. */
  readonly form: FormData | null
  /** The metadata that the preparation found. */
  readonly metadata: GopherMetadata
}

/**
 * Asks the server for views and forms if they are needed. Returns undefined if the plan is enough. A phone book has no
 * Gopher+.
 */
export function preparation(plan: GopherPlan, context: RetrievalContext): Promise<Prepared> | undefined {
  if (plan.gophertype === '2') return undefined
  return asksGopherForm(plan, context.request) || asksGopherView(plan, context.request)
    ? prepare(plan, context)
    : undefined
}

async function prepare(plan: GopherPlan, context: RetrievalContext): Promise<Prepared> {
  const blocks = await askBlocks(plan, context)
  if (blocks === null) {
    tell(context, 'The server knows no Gopher+, and has neither views nor forms: it is asked for the item as it is.')
    return { plan: withGopherPlus(plan, null), form: null, metadata: { gopherPlus: false } }
  }
  const views = readViews(linesOf(blocks.get('VIEWS')))
  const view = asksGopherView(plan, context.request) ? chooseView(views, context) : null
  const questions = asksGopherForm(plan, context.request) ? readAsk(linesOf(blocks.get('ASK'))) : []
  const form = questions.length > 0 ? await fillForm(questions, context) : null
  if (form === null && context.request.form !== undefined) {
    tell(context, 'The item has no form: the answers were not sent.')
  }
  return {
    plan: withGopherPlus(plan, view === null ? namedView(plan) : `+${view.name}`),
    form,
    metadata: asksGopherView(plan, context.request) ? { view, views } : {},
  }
}

function namedView({ gopherPlus }: GopherPlan): string {
  return gopherPlus?.startsWith('+') ? gopherPlus : '+'
}

/** Returns the plan for the same item with another Gopher+ part. */
function withGopherPlus(plan: GopherPlan, gopherPlus: string | null): GopherPlan {
  const { gophertype, selector, search } = plan
  // The empty search in `%09%09?` only separates the selector from the Gopher+ part.
  return { ...plan, gopherPlus, wire: [gopherRequest(gophertype, selector, search || null, gopherPlus)] }
}

function linesOf(block: Block | undefined): readonly string[] {
  return block === undefined ? [] : linesIn(block)
}

function tell({ emit, url }: RetrievalContext, message: string): void {
  emit({ type: 'remark', url, message })
}
