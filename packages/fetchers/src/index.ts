import { type Client, createClient } from './client/client.ts'
import { type ClientOptions, callOptionNames, checkSingle, type RetrieveOptions } from './client/client-options.ts'
import type { Representation } from './result/representation.ts'

export type {
  Batch,
  BatchEntry,
  BatchItem,
  BatchOutcome,
  BatchPlace,
  BatchSource,
  MapOutcome,
} from './client/batch/outcome.ts'
export type { Client } from './client/client.ts'
export { createClient } from './client/client.ts'
export type { BatchOptions, ClientOptions, ConnectOptions, RetrieveOptions } from './client/client-options.ts'
export type { BearerToken } from './client/credentials.ts'
export { explainUrl } from './client/explain-url.ts'
export { isHandoff } from './client/handoff/handoff.ts'
export { type HandoffOptions, type HandUrlOptions, handoffOf } from './client/handoff/handoff-of.ts'
export type { PinnedAddresses } from './client/network/addresses.ts'
export type { ProxyOption, ProxyTarget } from './client/network/proxy.ts'
export type { Policy } from './client/policy.ts'
export { builtinMechanisms } from './client/registry.ts'
export { resumePointOf, type SaveUrlOptions } from './client/save.ts'
export type { RetrieveTrace } from './client/trace.ts'
export type { ClientMirrorOptions as MirrorOptions, ClientWalkOptions as WalkOptions } from './client/trees.ts'
export type { NfsOptions } from './nfs/options.ts'
export type { ByteSource } from './plugin/byte-source.ts'
export type { EventStamp, RetrievalEvent, TlsFacts } from './plugin/events.ts'
export type {
  Challenge,
  Credentials,
  Entry,
  Fetcher,
  GivenFields,
  Handoff,
  OctetRange,
  RequestFields,
  RequestLogin,
  RequestOptions,
  ResumePoint,
} from './plugin/fetcher.ts'
export type { Form, FormAnswers, FormField, FormFiller } from './plugin/form.ts'
export { defaultLimits, type Limits } from './plugin/limits.ts'
export type {
  DataMetadata,
  DictMetadata,
  FtpMetadata,
  GeminiMetadata,
  GopherMetadata,
  GopherView,
  HttpMetadata,
  ImapMetadata,
  InfoMetadata,
  LdapMetadata,
  MessageMetadata,
  MetadataByMechanism,
  MqttMetadata,
  NfsMetadata,
  NntpMetadata,
  Pop3Metadata,
  ProsperoAccess,
  ProsperoAttribute,
  ProsperoMetadata,
  RtspMetadata,
  SftpMetadata,
  TftpMetadata,
  Tn3270Field,
  Tn3270Metadata,
  WaisMetadata,
  WsMetadata,
  Z3950Metadata,
} from './plugin/metadata.ts'
export type { CookieStore, NetworkOptions, TlsOptions, TlsRules, TlsVersion } from './plugin/network.ts'
export { isOwnField } from './plugin/options.ts'
export type { RetryOn } from './plugin/retry.ts'
export type { Session, SessionOptions, SessionSignal } from './plugin/session.ts'
export { systemReason } from './plugin/system-reason.ts'
export { charsetOf, knownCharset, type TextMetadata } from './plugin/text/text.ts'
export type { Timings } from './plugin/timings.ts'
export type { BodyHash, Checksum, HashName } from './result/digests.ts'
export { fileNameOf, safeFileName, writtenNameOf } from './result/file-name.ts'
export { makeFolders } from './result/local-file.ts'
export { findPart, type KeptPart } from './result/part-file.ts'
export { type Hop, isRepresentation, Representation, type SavedFile } from './result/representation.ts'
export type { SaveOptions } from './result/save.ts'
export { holdFifo, isDescriptor } from './result/special-file.ts'
export type { HostKeySource, NamedKey, PrivateKeySource, SshOptions } from './sftp/options.ts'
export type { MirrorResult, MirrorSummary } from './tree/mirror-options.ts'
export type { PathPattern } from './tree/path-filter.ts'
export type { WalkedEntry } from './tree/walked-entry.ts'

/**
 * Retrieves one URL with a client of its own, which is closed once the body has been read or cancelled. See
 * Client.retrieve.
 */
export async function retrieve(
  url: string | URL,
  options: ClientOptions & RetrieveOptions = {},
): Promise<Representation> {
  checkSingle(options)
  const isOfCall = (name: string): boolean => callOptionNames.includes(name)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const client: Client = createClient(Object.fromEntries(given.filter(([name]) => !isOfCall(name))))
  try {
    const representation = await client.retrieve(url, Object.fromEntries(given.filter(([name]) => isOfCall(name))))
    void representation.finished.then(() => client.close())
    return representation
  } catch (error) {
    await client.close()
    throw error
  }
}
