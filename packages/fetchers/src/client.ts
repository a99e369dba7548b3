/**
 * `@retriever/fetchers/client` has a client that speaks only the protocols of its `fetchers`, for programs that bundle
 * no others. See docs/library.md.
 */
import { makeClient, type SingleClient } from './client/client.ts'
import type { ClientOptions } from './client/client-options.ts'
import { checkClient } from './client/options/checks.ts'
import type { OptionKind } from './kit/options.ts'

export { isRepresentation, Representation } from './body/representation.ts'
export type { SingleClient as Client } from './client/client.ts'
export type { ClientOptions, RetrieveOptions } from './client/client-options.ts'
export { isHandoff } from './client/handoff/handoff.ts'
export type { Fetcher } from './contract/fetcher.ts'

/** The options of createClient() of `@retriever/fetchers` that belong to its protocols, and where they belong here. */
const elsewhere: Readonly<Record<string, OptionKind>> = {
  builtins: ['absent, as this client has the protocols of its `fetchers` alone', () => false],
  ssh: ['absent; give it to sftpFetcher()', () => false],
  nfs: ['absent; give it to nfsFetcher()', () => false],
}

/** Makes a client as `@retriever/fetchers` does, but it retrieves only by its `fetchers`. */
export function createClient(options: ClientOptions = {}): SingleClient {
  checkClient(options, elsewhere)
  return makeClient(options, [], Object.keys(elsewhere), () => undefined)
}
