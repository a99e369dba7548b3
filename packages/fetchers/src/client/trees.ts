import type { Resolution } from '@retriever/core'
import type { Representation, SavedFile } from '../body/representation.ts'
import type { MirrorOptions, MirrorSummary } from '../mirror/mirror-options.ts'
import type { Retriever, Saver } from '../walk/retriever.ts'
import type { WalkOptions } from '../walk/walk-options.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import type { RetrieveOptions } from './client-options.ts'
import type { KnownOptions } from './options/known.ts'
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

/** Implements Client.walk. */
export async function* walkWith(
  client: TreeClient,
  url: string | URL,
  { limits, onEvent, onBody, policy, ...options }: ClientWalkOptions,
  { tree }: KnownOptions,
): AsyncGenerator<WalkedEntry, void, void> {
  const { walk } = await import('../walk/walk.ts')
  yield* walk(withCall(client, tree, { limits, onEvent, onBody, policy }), url, options)
}

/** Implements Client.mirror. */
export async function mirrorWith(
  client: TreeClient & Pick<Saver, 'pageReader'>,
  url: string | URL,
  folder: string,
  { limits, onEvent, onBody, policy, ...options }: ClientMirrorOptions,
  { tree }: KnownOptions,
): Promise<MirrorSummary> {
  const { mirror } = await import('../mirror/mirror.ts')
  const saver = { ...withCall(client, tree, { limits, onEvent, onBody, policy }), pageReader: client.pageReader }
  return mirror(saver, url, folder, options)
}

/** A client whose retrievals have the options of the call, too. */
function withCall(
  client: TreeClient,
  tree: KnownOptions['tree'],
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
    namedKinds: tree,
    resolve: (url, base) => client.resolve(url, base),
    retrieve: (url, request = {}) => client.retrieve(url, together(request)),
    save: (url, path, request = {}) => client.save(url, path, together(request)),
  }
}
