import type { Resolution } from '@retriever/core'
import type { Representation, SavedFile } from '../body/representation.ts'
import type { MirrorOptions, MirrorSummary } from '../mirror/mirror-options.ts'
import type { Retriever } from '../walk/retriever.ts'
import type { WalkOptions } from '../walk/walk-options.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import type { RetrieveOptions } from './client-options.ts'
import { partsOf } from './parts.ts'
import type { SaveUrlOptions } from './save.ts'

/** The options of one call that hold for each of its retrievals. */
type CallOptions = Pick<RetrieveOptions, 'limits' | 'onEvent' | 'onBody' | 'policy'>

/** Options of Client.walk. */
export interface ClientWalkOptions extends WalkOptions, CallOptions {}

/** Options of Client.mirror. */
export interface ClientMirrorOptions extends MirrorOptions, CallOptions {}

/** The methods of a Client by which trees are read and brought to disk. */
interface TreeClient {
  resolve(url: string | URL, base?: string): Resolution
  retrieve(url: string | Resolution, options?: RetrieveOptions): Promise<Representation>
  save(url: string | Resolution, path: string, options?: SaveUrlOptions): Promise<SavedFile>
}

/** Does what Client.walk() of `@retriever/fetchers` does, by any client of this package. */
export async function* walk(
  client: TreeClient,
  url: string | URL,
  { limits, onEvent, onBody, policy, ...options }: ClientWalkOptions = {},
): AsyncGenerator<WalkedEntry, void, void> {
  const { walk: walkTree } = await import('../walk/walk.ts')
  yield* walkTree(withCall(client, { limits, onEvent, onBody, policy }), url, options)
}

/** Does what Client.mirror() of `@retriever/fetchers` does, by any client of this package. */
export async function mirror(
  client: TreeClient,
  url: string | URL,
  folder: string,
  { limits, onEvent, onBody, policy, ...options }: ClientMirrorOptions = {},
): Promise<MirrorSummary> {
  const { mirror: mirrorTree } = await import('../mirror/mirror.ts')
  return mirrorTree(withCall(client, { limits, onEvent, onBody, policy }), url, folder, options)
}

/** A client whose retrievals have the options of the call, too. */
function withCall(
  client: TreeClient,
  options: { readonly [Name in keyof CallOptions]: CallOptions[Name] | undefined },
): TreeClient & Retriever {
  const call: CallOptions = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const together = <Request extends RetrieveOptions | SaveUrlOptions>(request: Request): Request => {
    const own = request.onEvent
    const onEvent: typeof own = (event) => {
      own?.(event)
      return call.onEvent?.(event)
    }
    const limits = { ...call.limits, ...request.limits }
    return { ...call, ...request, limits, ...(own !== undefined && { onEvent }) }
  }
  return {
    namedKinds: partsOf(client).retriever.options.tree,
    resolve: (url, base) => client.resolve(url, base),
    retrieve: (url, request = {}) => client.retrieve(url, together(request)),
    save: (url, path, request = {}) => client.save(url, path, together(request)),
  }
}
