import type { MirrorOptions, MirrorSummary } from '../mirror/mirror-options.ts'
import type { WalkOptions } from '../walk/walk-options.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import type { CallOptions, TreeClient } from './batch/tree-client.ts'

/** Options of Client.walk. */
export interface ClientWalkOptions extends WalkOptions, CallOptions {}

/** Options of Client.mirror. */
export interface ClientMirrorOptions extends MirrorOptions, CallOptions {}

/** Does what Client.walk() of `@retriever/fetchers` does, by any client of this package. */
export async function* walk(
  client: TreeClient,
  url: string | URL,
  { limits, onEvent, onBody, policy, ...options }: ClientWalkOptions = {},
): AsyncGenerator<WalkedEntry, void, void> {
  const { walk: walkTree } = await import('../walk/walk.ts')
  const { openTree } = await import('./batch/tree-client.ts')
  await using tree = await openTree(client, options, { limits, onEvent, onBody, policy })
  yield* walkTree(tree, url, options)
}

/** Does what Client.mirror() of `@retriever/fetchers` does, by any client of this package. */
export async function mirror(
  client: TreeClient,
  url: string | URL,
  folder: string,
  { limits, onEvent, onBody, policy, ...options }: ClientMirrorOptions = {},
): Promise<MirrorSummary> {
  const { mirror: mirrorTree } = await import('../mirror/mirror.ts')
  const { openTree } = await import('./batch/tree-client.ts')
  await using tree = await openTree(client, options, { limits, onEvent, onBody, policy })
  return await mirrorTree(tree, url, folder, options)
}
