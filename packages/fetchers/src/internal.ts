/**
 * `@retriever/fetchers/internal` is no public interface: it is for the command and the tests of Retriever alone, and
 * changes without notice.
 */
export type { Hop } from './body/representation.ts'
export type { BatchEntry, BatchPlace, BatchSource } from './client/batch/outcome.ts'
export { type ServerState, serverStateOf } from './client/batch/server-state.ts'
export { asksToWait, isTrouble } from './client/batch/trouble.ts'
export type { BearerToken } from './client/credentials.ts'
export type { PinnedAddresses } from './client/network/addresses.ts'
export type { ProxyTarget } from './client/network/proxy.ts'
export { openServerSocket } from './client/network/server-socket.ts'
export { isLocal } from './client/policy.ts'
export { resumePointOf } from './client/save.ts'
export type { ByteSource } from './contract/byte-source.ts'
export type { EventStamp, TlsFacts } from './contract/events.ts'
export type { GivenFields, OctetRange, RequestFields, RequestLogin, RequestOptions } from './contract/fetcher.ts'
export type { Form, FormAnswers, FormField } from './contract/form.ts'
export type {
  DataMetadata,
  DictMetadata,
  GeminiMetadata,
  GopherMetadata,
  GopherView,
  ImapMetadata,
  InfoMetadata,
  LdapMetadata,
  MessageMetadata,
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
} from './contract/metadata.ts'
export type { Connect, ConnectTarget, Lookup, TlsRules, TlsVersion } from './contract/network.ts'
export type { SessionOptions, SessionSignal } from './contract/session.ts'
export type { NextStep, OwnAnswer, StepAnswer, StepRetrieved } from './contract/steps.ts'
export { readRanges } from './kit/accept.ts'
export { lookingFirst } from './kit/deadline.ts'
export { makeFolders } from './kit/files/make-folders.ts'
export { type Key, Keys, keyOf, Texts } from './kit/keys.ts'
export { listeningTo } from './kit/listeners.ts'
export { isOwnField } from './kit/options.ts'
export { forOtherOrigin } from './kit/request-options.ts'
export { systemReason, throwUnlessDenied, whyUnreadable } from './kit/system-reason.ts'
export { trimBlanks } from './kit/text/blanks.ts'
export { httpDate } from './kit/text/date.ts'
export { formatSize } from './kit/text/size.ts'
export { charsetOf, knownCharset, type TextMetadata } from './kit/text/text.ts'
export { type Threaded, threaded } from './kit/text/threads.ts'
export { ignoresCase } from './mirror/local-names.ts'
export type { MirrorFile } from './mirror/mirror-options.ts'
export type { ProsperoOptions } from './protocols/prospero/about.ts'
export type { HostKeySource, NamedKey, PrivateKeySource } from './protocols/sftp/options.ts'
export type { WaisOptions } from './protocols/wais/about.ts'
export type { BodyHash, Checksum, HashName } from './saving/digests.ts'
export { hashedPlace, writtenNameOf } from './saving/file-name.ts'
export { findPart, type KeptPart } from './saving/part-file.ts'
export { type FileLock, lockFile, removeStale } from './saving/part-lock.ts'
export type { WholePart } from './saving/save-options.ts'
export { holdFifo, isDescriptor } from './saving/special-file.ts'
export type { PathPattern } from './walk/path-filter.ts'
