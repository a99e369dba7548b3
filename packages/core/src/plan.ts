/**
 * The retrieval's plan as data. A string in a plan holds one octet a character (U+0000 to U+00FF); null is absent.
 * `wire` has one element for each message that the client sends to a server that accepts them all, with its line end,
 * and `<password>` in place of a secret. What ends a session that is kept for later retrievals is not part of it.
 */
export interface Plan<M extends string> {
  readonly mechanism: M
  readonly wire: readonly string[]
  /**
   * Why parts of `wire` cannot be known before the server has answered, by the text that stands for them: `{ '<first>':
   * 'the answer to EXAMINE gives it' }`. Absent: all is known.
   */
  readonly unknown?: Readonly<Record<string, string>>
}

/** The beginning of TLS: with the first octet (`implicit`), by a command (`explicit`), or not at all. */
export type TlsMode = 'none' | 'explicit' | 'implicit'

interface NetworkPlan<M extends string> extends Plan<M> {
  /** The host to connect to: canonical, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
}

/** RFC 1738 3.2.2: one CWD for each element of `cwd`, then RETR or NLST of `name`; an empty name is a listing. */
export interface FtpPlan extends NetworkPlan<'ftp'> {
  readonly user: string
  /** Null: the client asks for it, if the server does. */
  readonly password: string | null
  readonly cwd: readonly string[]
  readonly name: string
  readonly typecode: 'a' | 'i' | 'd' | null
}

export interface HttpPlan extends NetworkPlan<'http'> {
  /** The request-target in origin form (RFC 9112 3.2.1). */
  readonly target: string
  readonly user: string | null
  readonly password: string | null
}

/** RFC 4266 2.1. `gopherPlus` is the Gopher+ string as in the URL: `+`, `!` or `$` with its rest. */
export interface GopherPlan extends NetworkPlan<'gopher'> {
  readonly gophertype: string
  readonly selector: string
  readonly search: string | null
  readonly gopherPlus: string | null
}

/** RFC 5538, RFC 1738 3.6 and 3.7. */
export interface NntpPlan extends Plan<'nntp'> {
  /** The server; null: a news URL names none, and no default is configured. */
  readonly host: string | null
  readonly port: number
  readonly tls: TlsMode
  readonly user: string | null
  readonly password: string | null
  readonly select: 'groups' | 'group' | 'article' | 'message'
  /** The group; for `groups` a wildmat or null. */
  readonly newsgroup: string | null
  readonly articleNumber: number | null
  /** The message-id without its angle brackets. */
  readonly messageId: string | null
  /**
   * An extension: only the group's articles with these numbers, both inclusive; a high of null means all from low on.
   */
  readonly articleRange?: readonly [low: number, high: number | null]
}

/** RFC 4248. User and password are advice to the person; the client never sends them by itself. */
export interface TelnetPlan extends NetworkPlan<'telnet'> {
  readonly user: string | null
  readonly password: string | null
}

/** RFC 4156: a database, a search in it, or one document. */
export interface WaisPlan extends NetworkPlan<'wais'> {
  readonly database: string
  readonly search: string | null
  readonly wtype: string | null
  /** The length and document-id as the URL has them, decoded (RFC 1738 3.9). */
  readonly wpath: string | null
  /** The document's octets; null: the URL does not say. */
  readonly length: number | null
  /** The octets of the document-id, which only the server takes apart (RFC 1625). */
  readonly docid: string | null
}

/** RFC 4157. */
export interface ProsperoPlan extends NetworkPlan<'prospero'> {
  readonly transport: 'udp'
  readonly hsoname: string
  readonly attributes: ReadonlyArray<{ readonly field: string; readonly value: string }>
}

/** RFC 4516. No attributes means all user attributes. */
export interface LdapPlan extends Plan<'ldap'> {
  /** The server; "" where the client chooses it. */
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  readonly dn: string
  readonly attributes: readonly string[]
  readonly scope: 'base' | 'one' | 'sub'
  readonly filter: string
  readonly extensions: ReadonlyArray<{
    readonly type: string
    readonly value: string | null
    readonly critical: boolean
  }>
  /** The path of a local socket in place of host and port, for ldapi. */
  readonly socket: string | null
}

/** RFC 2224. The path keeps its escapes, since they are sent (RFC 2054 6.1). */
export interface NfsPlan extends NetworkPlan<'nfs'> {
  readonly path: string
}

/** RFC 2056. */
export interface Z3950Plan extends NetworkPlan<'z3950'> {
  readonly operation: 'session' | 'retrieval' | 'search'
  readonly databases: readonly string[]
  readonly docid: string | null
  /** The query of a search, in CCL or PQF. It is an extension of RFC 2056, `;query=`. */
  readonly query: string | null
  /** The place of one record among those that the query finds, from 1; an extension, too, `;record=`. Null: all. */
  readonly record: number | null
  readonly elementSet: string | null
  readonly recordSyntaxes: readonly string[]
}

/** RFC 6270. */
export interface Tn3270Plan extends NetworkPlan<'tn3270'> {
  readonly service: string
  readonly user: string | null
}

/** A null target means the server itself. */
export interface IrcPlan extends NetworkPlan<'irc'> {
  readonly service: string
  readonly target: string | null
  readonly flags: readonly string[]
  readonly key: string | null
}

/** RFC 2326 3.2. */
export interface RtspPlan extends NetworkPlan<'rtsp'> {
  /** The URL of the request, without login and fragment. */
  readonly target: string
  /** `udp` for rtspu, which is handed over. */
  readonly transport: 'tcp' | 'udp'
  readonly user: string | null
  readonly password: string | null
}

/** `path` begins with `/`, or with `./` below the home directory. */
export interface SftpPlan extends NetworkPlan<'sftp'> {
  readonly user: string | null
  readonly password: string | null
  readonly path: string
}

/** RFC 2384. `auth` is the way to log in, in capitals: `*`, `+APOP`; a null message is the list of messages. */
export interface PopPlan extends NetworkPlan<'pop3'> {
  readonly user: string | null
  readonly password: string | null
  readonly auth: string | null
  readonly message: number | null
}

/** RFC 5092. Without a mailbox it is the list of mailboxes; strings are UTF-8 octets. */
export interface ImapPlan extends NetworkPlan<'imap'> {
  readonly user: string | null
  readonly password: string | null
  readonly auth: string | null
  readonly mailbox: string | null
  readonly uidValidity: number | null
  readonly uid: number | null
  /** The part of the message: `1.2`, `HEADER`; null: the whole. */
  readonly section: string | null
  /** The first octet, and the number of octets; null: the rest. */
  readonly partial: readonly [offset: number, length: number | null] | null
  /** The search program of IMAP. */
  readonly search: string | null
}

/** RFC 6455 3. */
export interface WsPlan extends NetworkPlan<'ws'> {
  readonly user: string | null
  readonly password: string | null
  readonly target: string
}

export interface MqttPlan extends NetworkPlan<'mqtt'> {
  readonly user: string | null
  readonly password: string | null
  /** The topic, or the filter for several (MQTT 3.1.1 4.7). */
  readonly topic: string
}

/** RFC 2229 5; `!` is the first database that has the word, `.` the server's own strategy. */
export interface DictPlan extends NetworkPlan<'dict'> {
  readonly operation: 'define' | 'match' | 'databases' | 'strategies' | 'information' | 'server'
  /** The name to log in with, if the server is to know who asks (RFC 2229 3.11). */
  readonly user: string | null
  /** Null: the server tells of itself. */
  readonly word: string | null
  readonly database: string | null
  readonly strategy: string | null
  readonly number: number | null
}

/** RFC 3617. */
export interface TftpPlan extends NetworkPlan<'tftp'> {
  readonly transport: 'udp'
  readonly filename: string
  readonly mode: 'netascii' | 'octet'
}

/** RFC 1288. */
export interface FingerPlan extends NetworkPlan<'finger'> {
  readonly query: string
}

export interface GeminiPlan extends NetworkPlan<'gemini'> {
  /** The absolute URL that is sent. */
  readonly target: string
}

// These plans make no connection: they read a local file or the URL itself, or name a program.

/** RFC 8089. `host` is null, "" or `localhost` for this machine. */
export interface FilePlan extends Plan<'file'> {
  readonly host: string | null
  readonly path: string
}

/** RFC 6068: a draft. Header names are lower case; fields that a link must not decide are left out. */
export interface MailtoPlan extends Plan<'mailto'> {
  readonly to: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** RFC 2397. `octets` are the decoded data; explain leaves them out. */
export interface DataPlan extends Plan<'data'> {
  readonly mediaType: string
  readonly size: number
  readonly octets: string
}

/** RFC 2392; `messageId` is null for cid, which means the current message. */
export interface MessagePlan extends Plan<'message'> {
  readonly messageId: string | null
  readonly contentId: string | null
}

/** RFC 8141; the parts stay undecoded. */
export interface UrnPlan extends Plan<'urn'> {
  readonly nid: string
  readonly nss: string
  readonly rComponent: string | null
  readonly qComponent: string | null
  /** The URL at which the namespace's publisher keeps it, if one is known. */
  readonly locatedAt: string | null
}

/** A URL of a scheme that only a gateway knows (RFC 1738 4); the parts stay undecoded. */
export interface GatewayPlan extends Plan<'gateway'> {
  /** Null: the URL has none. */
  readonly host: string | null
  /** 0: neither the URL nor the gateway names one. */
  readonly port: number
  readonly path: string | null
  /** The text behind the colon of a URL without a host. */
  readonly opaque: string | null
  readonly query: string | null
}

/** uri(7); a null page is the index. */
export interface ManPlan extends Plan<'man'> {
  readonly page: string | null
  readonly section: string | null
}

export interface InfoPlan extends Plan<'info'> {
  readonly file: string
  /** The node, with underscores read as blanks. */
  readonly node: string
  /** The node as the URL writes it, where it has underscores: its name may really have them. */
  readonly literalNode?: string
}

export interface WhatisPlan extends Plan<'whatis'> {
  readonly query: string
}

export interface GhelpPlan extends Plan<'ghelp'> {
  readonly service: string
  readonly document: string
  readonly page: string | null
}

export interface TocPlan extends Plan<'toc'> {
  readonly service: string
  readonly start: string
}

/** The path below `/afs`, where the Andrew File System is mounted. */
export interface AfsPlan extends Plan<'afs'> {
  readonly path: string
}

/** draft-ietf-uri-url-mailserver-01: the draft of a mail that asks for data. */
export interface MailserverPlan extends Plan<'mailserver'> {
  readonly service: string
  /** The whole path, decoded. */
  readonly text: string
  /** The address; empty: the URL names none. */
  readonly to: readonly string[]
  /** As in MailtoPlan. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * All plans by mechanism. A package that brings a mechanism of its own merges its line in:
 * `declare module '@retriever/core' { interface AccessPlans { finger: FingerPlan } }`
 */
export interface AccessPlans {
  ftp: FtpPlan
  http: HttpPlan
  gopher: GopherPlan
  nntp: NntpPlan
  telnet: TelnetPlan
  file: FilePlan
  mailto: MailtoPlan
  wais: WaisPlan
  prospero: ProsperoPlan
  ldap: LdapPlan
  data: DataPlan
  message: MessagePlan
  urn: UrnPlan
  gateway: GatewayPlan
  nfs: NfsPlan
  z3950: Z3950Plan
  man: ManPlan
  info: InfoPlan
  whatis: WhatisPlan
  ghelp: GhelpPlan
  toc: TocPlan
  tn3270: Tn3270Plan
  irc: IrcPlan
  rtsp: RtspPlan
  afs: AfsPlan
  mailserver: MailserverPlan
  sftp: SftpPlan
  pop3: PopPlan
  imap: ImapPlan
  ws: WsPlan
  mqtt: MqttPlan
  dict: DictPlan
  finger: FingerPlan
  gemini: GeminiPlan
  tftp: TftpPlan
}

export type Mechanism = keyof AccessPlans
export type AccessPlan = AccessPlans[Mechanism]
