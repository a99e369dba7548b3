import { type Explanation, findScheme, type Resolution } from '@retriever/core'
import type { Representation } from './body/representation.ts'
import type { RepresentationOf } from './body/representation-of.ts'
import { mapAll, retrieveAll } from './client/batch/of-client.ts'
import { type Client, makeClient, type SingleClient } from './client/client.ts'
import type { ClientOptions as CommonOptions, RetrieveOptions } from './client/client-options.ts'
import { explainUrl as explainWith } from './client/explain-url.ts'
import { checkClient, checkSingle, isOfCall } from './client/options/checks.ts'
import { knownOptions } from './client/options/known.ts'
import type { Policy } from './client/policy.ts'
import { localHostsOf } from './client/resolving.ts'
import { mirror, walk } from './client/trees.ts'
import { builtinProtocols } from './protocols/index.ts'
import { type ProtocolOptions, protocolKinds, readProtocols } from './protocols/options.ts'

export { isRepresentation, Representation, type SavedFile } from './body/representation.ts'
export type { RepresentationOf } from './body/representation-of.ts'
export type { Batch, BatchItem, BatchOutcome, MapOutcome } from './client/batch/outcome.ts'
export type { Client } from './client/client.ts'
export type { BatchOptions, ConnectOptions, RetrieveOptions } from './client/client-options.ts'
export { isHandoff } from './client/handoff/handoff.ts'
export { type HandoffOptions, type HandUrlOptions, handoffOf } from './client/handoff/handoff-of.ts'
export type { ProxyOption } from './client/network/proxy.ts'
export type { Policy } from './client/policy.ts'
export type { SaveUrlOptions } from './client/save.ts'
export type { RetrieveTrace } from './client/trace.ts'
export type { ClientMirrorOptions as MirrorOptions, ClientWalkOptions as WalkOptions } from './client/trees.ts'
export type { RetrievalEvent } from './contract/events.ts'
export type { Challenge, Credentials, Entry, Fetcher, Handoff, ResumePoint } from './contract/fetcher.ts'
export type { FormFiller } from './contract/form.ts'
export type { Limits } from './contract/limits.ts'
export type { FtpMetadata, HttpMetadata, MetadataByMechanism } from './contract/metadata.ts'
export type { CookieStore, NetworkOptions, TlsOptions } from './contract/network.ts'
export type { RetryOn } from './contract/retries.ts'
export type { Session } from './contract/session.ts'
export type { Step, StepRequest, StepResult } from './contract/steps.ts'
export type { Timings } from './contract/timings.ts'
export { defaultLimits } from './kit/limits.ts'
export type { MirrorResult, MirrorSummary } from './mirror/mirror-options.ts'
export type { HttpOptions } from './protocols/http/about.ts'
export { builtinMechanisms } from './protocols/index.ts'
export type { NfsOptions } from './protocols/nfs/options.ts'
export type { SshOptions } from './protocols/sftp/options.ts'
export { fileNameOf, safeFileName } from './saving/file-name.ts'
export type { SaveOptions } from './saving/save-options.ts'
export type { WalkedEntry } from './walk/walked-entry.ts'

/** Options for all retrievals of a client. createClient checks them once. */
export interface ClientOptions extends CommonOptions, ProtocolOptions {}

/** Options that leave each URL to the built-in fetcher of its scheme. */
export interface DirectOptions extends ClientOptions {
  readonly fetchers?: never
  readonly schemes?: never
  readonly gateways?: never
  readonly proxy?: null
  readonly policy?: Partial<Policy> & { readonly redirectSchemes?: null }
}

/** A client with such options: the scheme of a URL tells the type of its metadata. */
export interface DirectClient extends Client {
  retrieve<const Url extends string>(url: Url, options?: RetrieveOptions): Promise<RepresentationOf<Url>>
  retrieve(url: string | URL | Resolution, options?: RetrieveOptions): Promise<Representation>
}

/**
 * Makes a client. Two clients share nothing but fetchers that both are given. The options are never written to. Throws
 * RetrievalError `invalid-option`, which names the option, its valid values and its actual value.
 */
export function createClient(options?: DirectOptions): DirectClient
export function createClient(options?: ClientOptions): Client
export function createClient(options: ClientOptions = {}): DirectClient {
  checkClient(options, protocolKinds)
  const protocols = readProtocols(options, localHostsOf(options))
  const client = makeClient(options, protocols, Object.keys(protocolKinds), findScheme)
  const whole: Client = Object.assign<SingleClient, Omit<Client, keyof SingleClient>>(client, {
    retrieveAll: (urls, batchOptions) => retrieveAll(client, urls, batchOptions),
    mapAll: (urls, use, batchOptions) => mapAll(client, urls, use, batchOptions),
    walk: (url, walkOptions) => walk(client, url, walkOptions),
    mirror: (url, folder, mirrorOptions) => mirror(client, url, folder, mirrorOptions),
  })
  // The options decide whether the types of DirectClient are right.
  return whole as DirectClient
}

/**
 * Explains a URL as a client with these options would retrieve it, and contacts nothing. See Client.explain. It makes
 * no client, and loads no fetcher.
 */
export async function explainUrl(
  url: string | URL,
  options: ClientOptions & RetrieveOptions = {},
): Promise<Explanation> {
  const protocols = builtinProtocols({ localHosts: [] })
  const known = knownOptions(protocols, options?.fetchers)
  checkSingle(options, protocolKinds, known)
  return explainWith(url, options, protocols, known, findScheme)
}

/**
 * Retrieves one URL with a client of its own, which is closed once the body has been read or cancelled. See
 * Client.retrieve.
 */
export function retrieve<const Url extends string>(
  url: Url,
  options?: DirectOptions & RetrieveOptions,
): Promise<RepresentationOf<Url>>
export function retrieve(url: string | URL, options?: ClientOptions & RetrieveOptions): Promise<Representation>
export async function retrieve(url: string | URL, options: ClientOptions & RetrieveOptions = {}): Promise<never> {
  const known = knownOptions(builtinProtocols({ localHosts: [] }), options?.fetchers)
  checkSingle(options, protocolKinds, known)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const client: Client = createClient(Object.fromEntries(given.filter(([name]) => !isOfCall(name, known))))
  try {
    const representation = await client.retrieve(
      url,
      Object.fromEntries(given.filter(([name]) => isOfCall(name, known))),
    )
    void representation.finished.then(() => client.close())
    // The overloads tell its type.
    return representation as never
  } catch (error) {
    await client.close()
    throw error
  }
}
