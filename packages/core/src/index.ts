export { type Completion, completeUrl } from './abbreviation.ts'
export { type Advice, type AdvisedOption, type AdvisedOptions, adviceText } from './advice.ts'
export { type Asked, askedElsewhere } from './asked.ts'
export { absoluteUrl, explain, explainResolution, findScheme, maskResolution, parseUrl, resolve } from './builtin.ts'
export type { CauseJson, ErrorJson } from './error-json.ts'
export {
  type ErrorCode,
  type ErrorDetails,
  type ErrorResponse,
  errorCodes,
  type FollowedRedirect,
  type HandoffDetails,
  type HandoffProgram,
  type Phase,
  RetrievalError,
} from './errors.ts'
export type { Explained, Explanation, PathParameter, Refusal, Unexplained } from './explain/explain.ts'
export {
  type ExplanationLine,
  explanationLines,
  formatExplanation,
  quoteWire,
} from './explain/lines.ts'
export { type ExtractedUrl, type ExtractOptions, extractUrls } from './extract.ts'
export { type Finding, type FindingCode, finding, findingCodes, type Severity } from './finding.ts'
export type { Gateway, Gateways } from './gateway.ts'
export type {
  AccessPlan,
  AccessPlans,
  DataPlan,
  FilePlan,
  FtpPlan,
  GopherPlan,
  HttpPlan,
  LdapPlan,
  Mechanism,
  NntpPlan,
  TelnetPlan,
  TlsMode,
  UrnPlan,
  Z3950Plan,
} from './plan.ts'
export { printable, replaceControls } from './printable.ts'
export type { Resolution } from './resolve.ts'
export type { Defaults, Inspection, Place, ResolveOptions, Scheme } from './scheme.ts'
export { authTls, type FtpCommands, ftpCommands, ftpLine, hasUtf8Names, isAnonymous } from './schemes/ftp.ts'
export { asksGopherForm, asksGopherView, gopherRequest } from './schemes/gopher.ts'
export {
  httpFields,
  httpHead,
  httpRange,
  httpWire,
  shownHttpHead,
} from './schemes/http/request.ts'
export { imapCommands, imapQuoted } from './schemes/imap/commands.ts'
export { builtinSchemes } from './schemes/index.ts'
export { bindnameOf } from './schemes/ldap/index.ts'
export {
  isLdapExternal,
  type LdapAsked,
  type LdapPage,
  type LdapSearch,
  ldapAsked,
  ldapRequests,
  pagedResults,
} from './schemes/ldap/requests.ts'
export { mqttConnect, mqttDisconnect, mqttSubscribe } from './schemes/mqtt/packets.ts'
export { prosperoPackets, prosperoToken } from './schemes/prospero.ts'
export { type WaisDocument, waisLimit, waisMost, waisPiece, waisRetrieval, waisSearch } from './schemes/wais.ts'
export { webSocketHandshake } from './schemes/websocket.ts'
export { z3950Present, z3950Search, z3950Term } from './schemes/z3950/pdus.ts'
export { z3950SyntaxName, z3950SyntaxOid } from './schemes/z3950/syntaxes.ts'
export { redact } from './secrets/redact.ts'
export { isSecretField } from './secrets/secret-fields.ts'
export { shellCommand, shellWord } from './shell.ts'
export { authority, bracketed } from './url/host.ts'
export { isInward, isLoopback } from './url/inward.ts'
export { iriToUri } from './url/iri.ts'
export { formatLocator, type Locator, type Part, type Span } from './url/locator.ts'
export { normalizeUrl } from './url/normalize.ts'
export { decodeOctets, encodeOctets, octetsToText, utf8Octets } from './url/percent.ts'
export { resolveReference } from './url/reference.ts'
export { schemeOf } from './url/split.ts'
export { berElement, berInteger, berOid } from './wire/ber.ts'
