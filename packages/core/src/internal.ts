/**
 * `@retriever/core/internal` is no public interface: it is for the packages of Retriever alone, and changes without
 * notice.
 */
export { type AdvisedOption, adviceText } from './advice.ts'
export { type Asked, askedElsewhere } from './asked.ts'
export { absoluteUrl, explainResolution, maskResolution } from './builtin.ts'
export type { CauseJson } from './error-json.ts'
export type { ErrorDetails, ErrorResponse, HandoffDetails, HandoffProgram } from './errors.ts'
export {
  type Explained,
  explainBy,
  explainResolutionBy,
  type PathParameter,
  type Refusal,
  type Unexplained,
} from './explain/explain.ts'
export { type ExplanationLine, explanationLines, quoteWire } from './explain/lines.ts'
export type { Gateways } from './gateway.ts'
export type {
  DataPlan,
  FilePlan,
  FtpPlan,
  GopherPlan,
  HttpPlan,
  LdapPlan,
  NntpPlan,
  TelnetPlan,
  TlsMode,
  UrnPlan,
  Z3950Plan,
} from './plan.ts'
export { replaceControls } from './printable.ts'
export { absoluteBy, resolveBy, splitBy } from './resolve.ts'
export type { FindingOptions, SchemeFinder } from './scheme.ts'
export { data } from './schemes/data.ts'
export { dict } from './schemes/dict.ts'
export { file } from './schemes/file.ts'
export { finger } from './schemes/finger.ts'
export {
  authTls,
  type FtpCommands,
  ftp,
  ftpCommands,
  ftpes,
  ftpLine,
  ftps,
  hasUtf8Names,
  isAnonymous,
} from './schemes/ftp.ts'
export { gemini } from './schemes/gemini.ts'
export { asksGopherForm, asksGopherView, gopher, gopherRequest, gophers } from './schemes/gopher.ts'
export { http, https } from './schemes/http/index.ts'
export { httpFields, httpHead, httpRange, httpWire, shownHttpHead } from './schemes/http/request.ts'
export { imapCommands, imapQuoted } from './schemes/imap/commands.ts'
export { imap, imaps } from './schemes/imap/index.ts'
export { bindnameOf, ldap, ldapi, ldaps } from './schemes/ldap/index.ts'
export {
  isLdapExternal,
  type LdapAsked,
  type LdapPage,
  type LdapSearch,
  ldapAsked,
  ldapRequests,
  pagedResults,
} from './schemes/ldap/requests.ts'
export { mailserver } from './schemes/mailserver.ts'
export { mailto } from './schemes/mailto.ts'
export { ghelp, help, info, man, toc, whatis } from './schemes/manual.ts'
export { cid, mid } from './schemes/message.ts'
export { mqtt, mqtts } from './schemes/mqtt/index.ts'
export { mqttConnect, mqttDisconnect, mqttSubscribe } from './schemes/mqtt/packets.ts'
export { nfs } from './schemes/nfs.ts'
export { news, nntp, nntps, snews } from './schemes/nntp.ts'
export { pop, pop3, pop3s } from './schemes/pop.ts'
export { prospero, prosperoPackets, prosperoToken } from './schemes/prospero.ts'
export { rtsp, rtsps, rtspu } from './schemes/rtsp.ts'
export { afs, irc, ircs } from './schemes/services.ts'
export { sftp } from './schemes/sftp.ts'
export { telnet, telnets } from './schemes/telnet.ts'
export { tftp } from './schemes/tftp.ts'
export { tn3270 } from './schemes/tn3270.ts'
export { urn } from './schemes/urn.ts'
export { type WaisDocument, wais, waisLimit, waisMost, waisPiece, waisRetrieval, waisSearch } from './schemes/wais.ts'
export { webSocketHandshake, ws, wss } from './schemes/websocket.ts'
export { z3950, z3950r, z3950s } from './schemes/z3950/index.ts'
export { z3950Present, z3950Search, z3950Term } from './schemes/z3950/pdus.ts'
export { z3950SyntaxName, z3950SyntaxOid } from './schemes/z3950/syntaxes.ts'
export { maskBy } from './secrets/mask-resolution.ts'
export { secretValues } from './secrets/redact.ts'
export { isSecretField } from './secrets/secret-fields.ts'
export { shellCommand, shellWord } from './shell.ts'
export { authority, bracketed } from './url/host.ts'
export { isInward, isLoopback } from './url/inward.ts'
export type { Part, Span } from './url/locator.ts'
export { utf8Octets } from './url/percent.ts'
export { schemeOf } from './url/split.ts'
export { berElement, berInteger, berOid } from './wire/ber.ts'
