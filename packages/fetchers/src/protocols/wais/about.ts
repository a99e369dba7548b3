import { wais as waisScheme } from '@retriever/core/internal'
import type { About } from '../../contract/about.ts'
import type { RowsOf } from '../../contract/options.ts'
import { texts } from '../../kit/options.ts'

/** The options of a retrieval that WAIS alone honours. */
export interface WaisOptions {
  /** URLs of documents: a search lists documents similar to them first (relevance feedback). */
  readonly relevantTo?: readonly string[]
}

declare module '../../contract/options.ts' {
  interface NamedOptions {
    readonly wais?: WaisOptions
  }
}

export const wais: About<'wais'> = {
  mechanism: 'wais',
  schemes: [waisScheme],
  title: 'WAIS',
  honours: { limit: 'listings' },
  options: { relevantTo: { kind: texts, extent: 'listings' } } satisfies RowsOf<WaisOptions>,
}
