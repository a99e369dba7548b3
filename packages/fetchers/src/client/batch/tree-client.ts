import type { Resolution } from '@retriever/core'
import { both } from '../../kit/listeners.ts'
import type { PageRequest, Saver } from '../../walk/retriever.ts'
import { defaultConcurrency, type WalkOptions } from '../../walk/walk-options.ts'
import type { RetrieveOptions } from '../client-options.ts'
import { partsOf } from '../parts.ts'
import type { SaveUrlOptions } from '../save.ts'
import { TreeSeats } from './tree-seats.ts'

/** The options of one call that hold for each of its retrievals. */
export type CallOptions = Pick<RetrieveOptions, 'limits' | 'onEvent' | 'onBody' | 'policy'>

/** The method of a client that trees use beside its parts. */
export interface TreeClient {
  resolve(url: string | URL | Resolution, base?: string): Resolution
}

/** The methods of a client whose retrievals take its places, and have the options of the call, too. */
export async function openTree(
  client: TreeClient,
  { concurrency = defaultConcurrency }: WalkOptions,
  options: { readonly [Name in keyof CallOptions]: CallOptions[Name] | undefined },
): Promise<Saver & AsyncDisposable> {
  const parts = partsOf(client)
  const known = parts.retriever.options
  const seats = await TreeSeats.open(parts, concurrency)
  const call: CallOptions = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const together = <Request extends RetrieveOptions | SaveUrlOptions>(request: Request): Request => {
    const onEvent = both(request.onEvent, call.onEvent)
    const limits = request.limits === undefined ? call.limits : { ...call.limits, ...request.limits }
    return { ...call, ...request, ...(limits && { limits }), ...(onEvent && { onEvent }) }
  }
  /** The options of retrievals by what they were made of: most of a tree have the same, which are then made once. */
  const made = new WeakMap<PageRequest, RetrieveOptions>()
  const optionsOf = (request: PageRequest): RetrieveOptions => {
    const options = made.get(request) ?? together(request)
    made.set(request, options)
    return options
  }
  const resolve: TreeClient['resolve'] = (resource, base) => client.resolve(resource, base)
  const retrieve: TreeSeats['retrieve'] = (resource, request) => seats.retrieve(resource, request)
  return {
    namedKinds: known.tree,
    resolve,
    retrieve: (resource, request = {}) => retrieve(resource, optionsOf(request)),
    save: async (resource, path, request) => {
      const { saveUrl } = await import('../save.ts')
      return saveUrl({ resolve, retrieve }, resource, path, together(request), known)
    },
    [Symbol.asyncDispose]: async () => seats.end(),
  }
}
