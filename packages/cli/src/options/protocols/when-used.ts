import type { Fetcher } from '@retriever/fetchers'

export type Mechanism = Fetcher['mechanism']

/**
 * A fetcher that is loaded for the first URL that needs it, as the built-in one is. `asked` says what its options
 * change about what is sent.
 */
export function whenUsed<M extends Mechanism>(
  mechanism: M,
  load: () => Promise<Fetcher<M>>,
  asked: NonNullable<Fetcher['asked']> = {},
): Fetcher {
  let loading: Promise<Fetcher<M>> | undefined
  const fetcher: Fetcher<M> = {
    mechanism,
    asked,
    retrieve: async (plan, context) => {
      loading ??= load()
      return (await loading).retrieve(plan, context)
    },
    dispose: async () => (await loading)?.dispose?.(),
  }
  return fetcher as Fetcher
}
