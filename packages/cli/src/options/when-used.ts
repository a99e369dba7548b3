import type { Fetcher } from '@retriever/fetchers'

type Mechanism = Fetcher['mechanism']

/** A fetcher in place of the built-in one, which is loaded for the first URL that needs it, as that is. */
export function whenUsed<M extends Mechanism>(mechanism: M, load: () => Promise<Fetcher<M>>): Fetcher {
  let loading: Promise<Fetcher<M>> | undefined
  const fetcher: Fetcher<M> = {
    mechanism,
    retrieve: async (plan, context) => {
      loading ??= load()
      return (await loading).retrieve(plan, context)
    },
    dispose: async () => (await loading)?.dispose?.(),
  }
  return fetcher as Fetcher
}
