/**
 * `@retriever/fetchers/plugin`: the parts for a fetcher of your own, which the built-in fetchers use, too. See
 * docs/library/plugins.md.
 */
export { type ByteSource, chunksOf, type Sink, sourceOf } from './plugin/byte-source.ts'
export type { Deadline } from './plugin/deadline.ts'
export { withDeadline } from './plugin/deadline.ts'
export type { EmittedEvent, RetrievalEvent, TlsFacts } from './plugin/events.ts'
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
} from './plugin/fetcher.ts'
export type { Form, FormAnswers, FormField, FormFiller } from './plugin/form.ts'
export { defaultLimits, invalidOption, type Limits, whenHeld } from './plugin/limits.ts'
export type { MetadataByMechanism, MetadataOf } from './plugin/metadata.ts'
export type { NestedOptions, NestedRepresentation } from './plugin/nested.ts'
export type { Addresses, Network, NetworkOptions, Place, ProxyServer, TlsOptions, TlsRules } from './plugin/network.ts'
export { optionalLibrary } from './plugin/optional-library.ts'
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
} from './plugin/options.ts'
export type { Retries } from './plugin/retry.ts'
export type { Session, SessionOptions, SessionSignal } from './plugin/session.ts'
export { decodeText, octetsDecoder, type TextMetadata } from './plugin/text/text.ts'
export type { Stopwatch, Timings } from './plugin/timings.ts'
export { DotDecoder, type DotOptions, dotBody } from './wire/framing/dot.ts'
export { LineReader, linesOf, type OctetSource } from './wire/framing/lines.ts'
export { expectReply, parseReply, type Reply, readReply, refusal, replyWords } from './wire/framing/reply.ts'
export { Connection } from './wire/transport/connection.ts'
export type { Peer } from './wire/transport/dial.ts'
export { openConnection } from './wire/transport/socket.ts'
