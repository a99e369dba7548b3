/**
 * `@retriever/fetchers/plugin` has the parts to make a fetcher of your own. The built-in fetchers use them, too. See
 * docs/library/plugins.md.
 */
export { wrapFetchers } from './client/registry.ts'
export type { ByteSource, Sink } from './contract/byte-source.ts'
export type { Deadline } from './contract/deadline.ts'
export type { EmittedEvent, RetrievalEvent, TlsFacts } from './contract/events.ts'
export type {
  AcceptedLogins,
  Challenge,
  Credentials,
  Entry,
  ErrorExtras,
  Fetcher,
  Handoff,
  HttpExchange,
  Outcome,
  Redirect,
  RequestOptions,
  ResumePoint,
  RetrievalContext,
  Retrieved,
} from './contract/fetcher.ts'
export type { Form, FormAnswers, FormField, FormFiller } from './contract/form.ts'
export type { Limits } from './contract/limits.ts'
export type { MetadataByMechanism, MetadataOf } from './contract/metadata.ts'
export type { NestedOptions, NestedRepresentation } from './contract/nested.ts'
export type {
  Addresses,
  Network,
  NetworkOptions,
  Place,
  ProxyServer,
  TlsOptions,
  TlsRules,
} from './contract/network.ts'
export type { NamedOptions, NamedRows } from './contract/options.ts'
export type { Retries } from './contract/retries.ts'
export type { Session, SessionOptions, SessionSignal } from './contract/session.ts'
export type { Stopwatch, Timings } from './contract/timings.ts'
export { chunksOf, sourceOf } from './kit/byte-source.ts'
export { withDeadline } from './kit/deadline.ts'
export { defaultLimits, invalidOption, whenHeld } from './kit/limits.ts'
export { optionalLibrary } from './kit/optional-library.ts'
export {
  callback,
  checkOptions,
  count,
  flag,
  line,
  milliseconds,
  type OptionKind,
  text,
  texts,
} from './kit/options.ts'
export { withoutSecrets } from './kit/redact-events.ts'
export { decodeText, octetsDecoder, type TextMetadata } from './kit/text/text.ts'
export { DotDecoder, type DotOptions, dotBody } from './wire/framing/dot.ts'
export { LineReader, linesOf, type OctetSource } from './wire/framing/lines.ts'
export { expectReply, parseReply, type Reply, readReply, refusal, replyWords } from './wire/framing/reply.ts'
export { Connection } from './wire/transport/connection.ts'
export type { Peer } from './wire/transport/dial.ts'
export { openConnection } from './wire/transport/socket.ts'
