/**
 * What the retrieval does, as data. A string in a plan holds one octet a character (U+0000 to U+00FF); null means
 * absent. `wire` has one element for each message that the client sends to a server that accepts them all, with its
 * line end, and with `<password>` in place of a secret. If the session is kept for later retrievals, `wire` leaves out
 * what ends it.
 */
export interface Plan<M extends string> {
  readonly mechanism: M
  readonly wire: readonly string[]
  /**
   * Placeholders in `wire`, each with the reason that the client cannot know the text before the server has answered:
   * `{ '<first>': 'the answer to EXAMINE gives it' }`. Absent if all is known.
   */
  readonly unknown?: Readonly<Record<string, string>>
}

/** How TLS begins: with the first octet (`implicit`), by a command (`explicit`), or not at all. */
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
  /** Null if the URL has none; the client then asks for it if the server does. */
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
  /** The server; null if a news URL names none and no default is configured. */
  readonly host: string | null
  readonly port: number
  readonly tls: TlsMode
  readonly user: string | null
  readonly password: string | null
  readonly select: 'groups' | 'group' | 'article' | 'message'
  /** The group. With `groups` it is a wildmat, or null for all. */
  readonly newsgroup: string | null
  readonly articleNumber: number | null
  /** The message-id without its angle brackets. */
  readonly messageId: string | null
  /**
   * An extension: only the group's articles with these numbers, both included. A high of null means all articles from
   * low on.
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
  /** The document's octets; null if the URL does not say. */
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
  /** The server; "" if the client chooses it. */
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
  /** The path of a local socket, which ldapi uses instead of host and port. */
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
  /** The query of a search, in CCL or PQF: `;query=`, an extension of RFC 2056. */
  readonly query: string | null
  /** The number of one of the records found, counted from 1: `;record=`, an extension as well. Null: all records. */
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
  /** `udp` for rtspu, which is handed to a player. */
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

/** RFC 2384. `auth` says how to log in, in capitals: `*`, `+APOP`. A null message means the list of messages. */
export interface PopPlan extends NetworkPlan<'pop3'> {
  readonly user: string | null
  readonly password: string | null
  readonly auth: string | null
  readonly message: number | null
}

/** RFC 5092. A plan without a mailbox lists the mailboxes. Strings are UTF-8 octets. */
export interface ImapPlan extends NetworkPlan<'imap'> {
  readonly user: string | null
  readonly password: string | null
  readonly auth: string | null
  readonly mailbox: string | null
  readonly uidValidity: number | null
  readonly uid: number | null
  /** The part of the message: `1.2`, `HEADER`; null means all of it. */
  readonly section: string | null
  /** The first octet, and how many to retrieve; a null length means the rest. */
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

/** RFC 2229 5. The database `!` is the first that has the word; the strategy `.` is the server's own. */
export interface DictPlan extends NetworkPlan<'dict'> {
  readonly operation: 'define' | 'match' | 'databases' | 'strategies' | 'information' | 'server'
  /** The login name, if the server should know who asks (RFC 2229 3.11). */
  readonly user: string | null
  /** The word; null if the server is asked about itself. */
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

/** A protocol that is sent one line, and answers to the end of the connection. */
export interface LinePlan<M extends string> extends NetworkPlan<M> {
  /** The line without its end. */
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

/** RFC 6068: a draft. Header names are in lower case; headers that a link must not set are left out. */
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

/** RFC 2392. A cid URL has a null `messageId`, which means the current message. */
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
  /** The URL at which the publisher of the namespace keeps the named thing, if one is known. */
  readonly locatedAt: string | null
}

/** A URL of a scheme that only a gateway knows (RFC 1738 4); the parts stay undecoded. */
export interface GatewayPlan extends Plan<'gateway'> {
  /** The host; null if the URL has none. */
  readonly host: string | null
  /** The port; 0 if neither the URL nor the gateway names one. */
  readonly port: number
  readonly path: string | null
  /** The text behind the colon of a URL without a host. */
  readonly opaque: string | null
  readonly query: string | null
}

/** uri(7). A null page means the index. */
export interface ManPlan extends Plan<'man'> {
  readonly page: string | null
  readonly section: string | null
}

export interface InfoPlan extends Plan<'info'> {
  readonly file: string
  /** The node, with underscores read as blanks. */
  readonly node: string
  /** The node as the URL writes it, if it has underscores: the real name may have them, too. */
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
  /** The address; empty if the URL names none. */
  readonly to: readonly string[]
  /** As in MailtoPlan. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * All plans by mechanism. A package with its own mechanism adds a line:
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
  finger: LinePlan<'finger'>
  gemini: GeminiPlan
  tftp: TftpPlan
}

export type Mechanism = keyof AccessPlans
export type AccessPlan = AccessPlans[Mechanism]
