import type { Accounts } from './accounts.ts'
import { type DictServerOptions, dictChecks, startDictServer } from './dict/server.ts'
import { type FileOptions, type Files, fileChecks, ServedFiles } from './files/served-files.ts'
import { type FingerServerOptions, fingerChecks, startFingerServer } from './finger/server.ts'
import { type FtpServerOptions, ftpChecks, startFtpOn } from './ftp/server.ts'
import { type GeminiServerOptions, geminiChecks, startGeminiServer } from './gemini/server.ts'
import { type GopherServer, type GopherServerOptions, gopherChecks, startGopherOn } from './gopher/server.ts'
import { type HttpServer, type HttpServerOptions, httpChecks, startHttpOn } from './http/server.ts'
import { type ImapServerOptions, imapChecks, startImapServer } from './imap/server.ts'
import { type LdapServerOptions, ldapChecks, startLdapOn } from './ldap/server.ts'
import { type MqttServerOptions, mqttChecks, startMqttServer } from './mqtt/server.ts'
import { type NfsServerOptions, nfsChecks, startNfsOn } from './nfs/server.ts'
import { type NntpServerOptions, nntpChecks, startNntpOn } from './nntp/server.ts'
import { accounts, type Check, type Checks, checkOptions, flag, isObject, wrong } from './options.ts'
import { type Pop3ServerOptions, pop3Checks, startPop3Server } from './pop3/server.ts'
import { type ProsperoServerOptions, prosperoChecks, startProsperoServer } from './prospero/server.ts'
import { type RtspServerOptions, rtspChecks, startRtspServer } from './rtsp/server.ts'
import { startTelnetServer, type TelnetServerOptions, telnetChecks } from './telnet/server.ts'
import { type FileServer, serverChecks, type TestServer } from './test-server.ts'
import { startTftpServer, type TftpServerOptions, tftpChecks } from './tftp/server.ts'
import { startTn3270Server, type Tn3270ServerOptions, tn3270Checks } from './tn3270/server.ts'
import { startWaisServer, type WaisServerOptions, waisChecks } from './wais/server.ts'
import { startWsServer, type WsServerOptions, wsChecks } from './ws/server.ts'
import { startZ3950Server, type Z3950ServerOptions, z3950Checks } from './z3950/server.ts'

/** The protocols for which there is a server. */
export type ProtocolName = keyof ServerByName

/** Name protocols to start only these; name none to start all. HTTP, FTP, Gopher and NFS share their files. */
export interface ServersOptions extends FileOptions {
  /** The host of all servers. Loopback only. Default 127.0.0.1. */
  readonly host?: string
  /** Whether all servers use TLS from the first octet. Default false. */
  readonly tls?: boolean
  /**
   * For HTTP, FTP, NNTP, LDAP, POP3, IMAP, MQTT, WebSocket, DICT and RTSP: passwords by user, which replace those of
   * the seed.
   */
  readonly accounts?: Accounts
  /** For all servers, see ServerOptions. Default true. */
  readonly record?: boolean
  readonly http?: true | Omit<HttpServerOptions, keyof FileOptions>
  readonly ftp?: true | Omit<FtpServerOptions, keyof FileOptions>
  readonly gopher?: true | Omit<GopherServerOptions, keyof FileOptions>
  readonly nntp?: true | NntpServerOptions
  readonly nfs?: true | Omit<NfsServerOptions, keyof FileOptions>
  readonly telnet?: true | TelnetServerOptions
  readonly tn3270?: true | Tn3270ServerOptions
  readonly tftp?: true | TftpServerOptions
  readonly prospero?: true | ProsperoServerOptions
  readonly ldap?: true | LdapServerOptions
  readonly gemini?: true | GeminiServerOptions
  readonly rtsp?: true | RtspServerOptions
  readonly dict?: true | DictServerOptions
  readonly wais?: true | WaisServerOptions
  readonly finger?: true | FingerServerOptions
  readonly pop3?: true | Pop3ServerOptions
  readonly imap?: true | ImapServerOptions
  readonly ws?: true | WsServerOptions
  readonly mqtt?: true | MqttServerOptions
  readonly z3950?: true | Z3950ServerOptions
}

type Named<Options> = Extract<keyof Options, ProtocolName>
type Started<Options> = [Named<Options>] extends [never] ? ProtocolName : Named<Options>

interface ServerByName {
  readonly http: HttpServer
  readonly ftp: FileServer
  readonly gopher: GopherServer
  readonly nntp: TestServer
  readonly nfs: FileServer
  readonly telnet: TestServer
  readonly tn3270: TestServer
  readonly tftp: TestServer
  readonly prospero: TestServer
  readonly ldap: TestServer
  readonly gemini: TestServer
  readonly rtsp: TestServer
  readonly dict: TestServer
  readonly wais: TestServer
  readonly finger: TestServer
  readonly pop3: TestServer
  readonly imap: TestServer
  readonly ws: TestServer
  readonly mqtt: TestServer
  readonly z3950: TestServer
}

/** The servers that were started. */
export type TestServers<Name extends ProtocolName = ProtocolName> = Pick<ServerByName, Name> & {
  /** From now on shows the seed and these files, over HTTP, FTP, Gopher and NFS. */
  setFiles(files: Files): void
  /** Resets all servers, see TestServer. */
  reset(): void
  /** Closes all servers. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of startServers that all servers, or several, get. */
type Shared = Pick<ServersOptions, 'host' | 'tls' | 'accounts' | 'record'>

function own<Options extends object>(protocol: string, checks: Checks<Options>): Check {
  return (_name, value) => {
    if (value === true) return
    if (!isObject(value)) throw wrong(`startServers: ${protocol}`, 'true or an object', value)
    checkOptions(`startServers: ${protocol}`, value as Options, checks, `${protocol}.`)
  }
}

const checks: Checks<ServersOptions> = {
  http: own('http', httpChecks),
  ftp: own('ftp', ftpChecks),
  gopher: own('gopher', gopherChecks),
  nntp: own('nntp', nntpChecks),
  nfs: own('nfs', nfsChecks),
  telnet: own('telnet', telnetChecks),
  tn3270: own('tn3270', tn3270Checks),
  tftp: own('tftp', tftpChecks),
  prospero: own('prospero', prosperoChecks),
  ldap: own('ldap', ldapChecks),
  gemini: own('gemini', geminiChecks),
  rtsp: own('rtsp', rtspChecks),
  dict: own('dict', dictChecks),
  wais: own('wais', waisChecks),
  finger: own('finger', fingerChecks),
  pop3: own('pop3', pop3Checks),
  imap: own('imap', imapChecks),
  ws: own('ws', wsChecks),
  mqtt: own('mqtt', mqttChecks),
  z3950: own('z3950', z3950Checks),
  ...fileChecks,
  host: serverChecks.host,
  tls: flag,
  accounts,
  record: flag,
}

const starters: Readonly<Record<ProtocolName, (tree: ServedFiles, options: object) => Promise<TestServer>>> = {
  http: startHttpOn,
  ftp: startFtpOn,
  gopher: startGopherOn,
  nntp: (_tree, options) => startNntpOn(options),
  nfs: startNfsOn,
  telnet: (_tree, options) => startTelnetServer(options),
  tn3270: (_tree, options) => startTn3270Server(options),
  tftp: (_tree, options) => startTftpServer(options),
  prospero: (_tree, options) => startProsperoServer(options),
  ldap: (_tree, options) => startLdapOn(options),
  gemini: (_tree, options) => startGeminiServer(options),
  rtsp: (_tree, options) => startRtspServer(options),
  dict: (_tree, options) => startDictServer(options),
  wais: (_tree, options) => startWaisServer(options),
  finger: (_tree, options) => startFingerServer(options),
  pop3: (_tree, options) => startPop3Server(options),
  imap: (_tree, options) => startImapServer(options),
  ws: (_tree, options) => startWsServer(options),
  mqtt: (_tree, options) => startMqttServer(options),
  z3950: (_tree, options) => startZ3950Server(options),
}

const NAMES: readonly ProtocolName[] = Object.keys(starters).filter(isProtocol)

function isProtocol(name: string): name is ProtocolName {
  return Object.hasOwn(starters, name)
}

/**
 * The compiler lets a generic type have any further property; this gives such a property the type never, so it is an
 * error.
 */
type Known<Options> = {
  readonly [Name in Exclude<keyof Options, keyof ServersOptions | number> as string extends Name ? never : Name]: never
}

/** Starts test servers on loopback. If one cannot start, all are closed. */
export async function startServers<const Options extends ServersOptions = Record<never, never>>(
  options?: Options & Known<Options>,
): Promise<TestServers<Started<Options>>> {
  const given: ServersOptions = options ?? {}
  checkOptions('startServers', given, checks)
  const named = NAMES.filter((name) => given[name] !== undefined)
  const names = named.length > 0 ? named : NAMES
  const { files, bigSize, seed, folder, privateFiles } = given
  const tree = new ServedFiles(defined({ files, bigSize, seed, folder, privateFiles }))
  const outcomes = await Promise.allSettled(
    names.map((name) => {
      const own = given[name]
      return starters[name](tree, { ...sharedWith(name, given), ...(typeof own === 'object' ? own : {}) })
    }),
  )
  const servers = outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value)
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()))
  }
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure) {
    await close()
    throw failure.reason
  }
  const byName = Object.fromEntries(servers.map((server) => [server.protocol, server]))
  const reset = (): void => {
    for (const server of servers) server.reset()
  }
  const setFiles = (files: Files): void => tree.set(files)
  return { ...byName, setFiles, reset, close, [Symbol.asyncDispose]: close } as TestServers<Started<Options>>
}

function sharedWith(name: ProtocolName, { host, tls, accounts, record }: ServersOptions): Shared {
  const hasLogins = ['http', 'ftp', 'nntp', 'ldap', 'pop3', 'imap', 'mqtt', 'ws', 'dict', 'rtsp'].includes(name)
  // There is no TLS over UDP, and NFS and Z39.50 have none here.
  return defined({
    host,
    tls: ['tftp', 'prospero', 'nfs', 'z3950'].includes(name) ? undefined : tls,
    record,
    accounts: hasLogins ? accounts : undefined,
  })
}

/** Leaves out options that are undefined: they count as not given. */
function defined<Options extends object>(options: Options): { [Name in keyof Options]?: NonNullable<Options[Name]> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Name in keyof Options]?: NonNullable<Options[Name]> }
}
