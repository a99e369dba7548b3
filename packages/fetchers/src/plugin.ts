/**
 * `@retriever/fetchers/plugin`: the parts for a fetcher of your own, which the built-in fetchers use, too. See
 * docs/library/plugins.md.
 */
export { type ByteSource, chunksOf, type Sink, sourceOf } from './contract/byte-source.ts'
export type { EmittedEvent, RetrievalEvent, TlsFacts } from './contract/events.ts'
export type {
  AcceptedLogins,
  Challenge,
  Credentials,
  Entry,
  ErrorExtras,
  Fetcher,
  Handoff,
  Outcome,
  Redirect,
  RequestOptions,
  ResumePoint,
  RetrievalContext,
  Retrieved,
} from './contract/fetcher.ts'
export type { Form, FormAnswers, FormField, FormFiller } from './contract/form.ts'
export { defaultLimits, invalidOption, type Limits, whenHeld } from './contract/limits.ts'
export type { MetadataByMechanism, MetadataOf } from './contract/metadata.ts'
export type {
  Addresses,
  Network,
  NetworkOptions,
  Place,
  ProxyServer,
  TlsOptions,
  TlsRules,
} from './contract/network.ts'
export type { Session, SessionOptions, SessionSignal } from './contract/session.ts'
export type { Deadline } from './kit/deadline.ts'
export { withDeadline } from './kit/deadline.ts'
export type { NestedOptions, NestedRepresentation } from './kit/nested.ts'
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
export type { Retries } from './kit/retry.ts'
export { decodeText, octetsDecoder, type TextMetadata } from './kit/text/text.ts'
export type { Stopwatch, Timings } from './kit/timings.ts'
export { DotDecoder, type DotOptions, dotBody } from './wire/framing/dot.ts'
export { LineReader, linesOf, type OctetSource } from './wire/framing/lines.ts'
export { expectReply, parseReply, type Reply, readReply, refusal, replyWords } from './wire/framing/reply.ts'
export { Connection } from './wire/transport/connection.ts'
export type { Peer } from './wire/transport/dial.ts'
export { openConnection } from './wire/transport/socket.ts'
