import { homedir, hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { domainToASCII } from 'node:url'
import type { ResolveOptions } from '@retriever/core'
import type { ClientOptions, RetrieveOptions } from '@retriever/fetchers'
import type { SessionOptions } from '@retriever/fetchers/internal'
import { readArchive, readFromArchives } from './archive/options.ts'
import type { ArchiveOptions } from './archive/warc-writer.ts'
import { type AuditSettings, readAudit } from './audit/options.ts'
import type { CommandName } from './commands/index.ts'
import { usageError } from './exit-codes.ts'
import { readSet } from './line/set-options.ts'
import type { Netrc } from './netrc.ts'
import { type HashOptions, readHashOptions } from './options/checksum.ts'
import { type Login, readLogin, readLoginAtOnce, readNetrc } from './options/connection/login.ts'
import { readNetwork } from './options/connection/network.ts'
import { type ProxyChooser, proxyChooser, readProxyHeaders } from './options/connection/proxies.ts'
import { readSsh } from './options/connection/ssh.ts'
import { readTls } from './options/connection/tls.ts'
import { readColor, readPage, readPager, readText } from './options/display.ts'
import { readLimits } from './options/limits.ts'
import { type JournalSettings, readJournal } from './options/lists/journal.ts'
import { type Places, readPlaces } from './options/lists/layout.ts'
import { type QueueSettings, readQueue } from './options/lists/queue.ts'
import { type Many, readMany } from './options/many.ts'
import { type MirrorSettings, readMirror } from './options/mirror.ts'
import { readDumpHeader, readWriteOut } from './options/output.ts'
import { readPolicy } from './options/policy.ts'
import { type CookieOptions, readCookies } from './options/protocols/cookies.ts'
import { type GivenAnswer, readForm } from './options/protocols/form.ts'
import { readFtpFetchers, readFtpType } from './options/protocols/ftp.ts'
import { trustingGemini } from './options/protocols/gemini.ts'
import { readSearch } from './options/protocols/gopher.ts'
import { readAutoReferer, readHeaders, readVirtualHost } from './options/protocols/headers.ts'
import { readHttpFetchers } from './options/protocols/http.ts'
import { type PartOptions, readPartOptions } from './options/protocols/news.ts'
import { readNfs } from './options/protocols/nfs.ts'
import { readQueryData } from './options/protocols/query-data.ts'
import type { SharedFetchers } from './options/protocols/shared-fetchers.ts'
import { readTelnet } from './options/protocols/telnet.ts'
import { readUrlQuery } from './options/protocols/url-query.ts'
import { readAddresses, readBase, readDefaultScheme, readDefaults, readGateways } from './options/resolution.ts'
import { readRetryLimits, readRetryOn } from './options/retries.ts'
import { readServing, type Serving } from './options/servers.ts'
import { readStderr, readTrace, type TraceOptions } from './options/tracing.ts'
import {
  type ContinueAt,
  readContinueAt,
  readContinueUnverified,
  readRemoveOnError,
  readTimeCondition,
  readTimeFile,
} from './options/transfer.ts'
import type { CommandLine } from './parse.ts'
import { environmentOf } from './programs/environment.ts'
import { type Destination, noTargets, readClobber, readTargets, type Targets } from './saving/destination.ts'
import { readEtag, readEtagFile } from './saving/etag.ts'
import { type GatewaySettings, readGateway } from './serving/gateway-options.ts'
import type { PagerProgram } from './terminal/pager.ts'
import type { ColorChoice } from './terminal/style.ts'

/** Everything that the program takes from argv and env; later code reads neither. */
export interface Config {
  readonly command: CommandName
  /** The operands as they were typed. */
  readonly operands: readonly string[]
  /**
   * The URLs that get and ls retrieve, with their destinations. They come one by one, since a glob may stand for
   * millions.
   */
  readonly targets: Targets
  /** The scheme of operands that have none; null if it must be guessed. */
  readonly defaultScheme: string | null
  readonly json: boolean
  /** extract --html: whether the text is HTML. */
  readonly isHtml: boolean
  readonly color: ColorChoice
  /** --page: whether pages are shown even without a terminal. */
  readonly page: boolean
  /** --text: whether HTML and mails are written as plain text. */
  readonly text: boolean
  /** Finds the program that shows long pages on a terminal; null if there is to be none. */
  readonly pager: () => PagerProgram | null
  /** --handoff: whether programs of this system get the URLs. */
  readonly handoff: boolean
  /** The environment of these programs. */
  readonly programEnvironment: () => NodeJS.ProcessEnv
  /** The folder that keeps the last page; null if no folder is known. */
  readonly stateFolder: string | null
  /** The format of -w; null if nothing is printed after a URL. */
  readonly writeOut: string | null
  readonly verbose: boolean
  readonly silent: boolean
  readonly showErrors: boolean
  /** -i: whether to print the head of a response before its body. */
  readonly include: boolean
  /** The file for header sections: `-` is standard output, `%` standard error; null if nobody wants them. */
  readonly dumpHeader: string | null
  /**
   * Whether existing files are overwritten. If false, a free name is taken; null leaves it to -o and -O, which differ.
   */
  readonly clobber: boolean | null
  /** The absolute path of the file that -z names; null if it names none. */
  readonly timeFile: string | null
  /** Whether a saved file gets the date of the resource. */
  readonly remoteTime: boolean
  /** Whether missing folders of destinations are made. */
  readonly createDirs: boolean
  readonly many: Many
  /** The octet at which to continue; null to retrieve from the beginning. */
  readonly continueAt: ContinueAt | null
  /** --continue-unverified: whether -C may append without proof that both parts are of one version. */
  readonly continueUnverified: boolean
  /** The file for the entity tag of a complete response. */
  readonly etagFile: string | null
  /** The file of --etag-compare, if it holds anything but an entity tag. */
  readonly damagedEtagFile: string | null
  /** The parts of a message to retrieve; null for the whole message. */
  readonly parts: PartOptions | null
  /** The trace of what is sent and received; null if none is wanted. */
  readonly trace: TraceOptions | null
  /** The web archive of what is sent and received; null if none is wanted. */
  readonly archive: ArchiveOptions | null
  /** The web archives that answer in place of servers; none if servers do. */
  readonly fromArchives: readonly string[]
  /** The file for messages: `-` is standard output, null is standard error. */
  readonly stderr: string | null
  /** Whether an unfinished file is removed. */
  readonly removeOnError: boolean
  /** Whether a status of 400 and above is an error even though its body is written. */
  readonly failWithBody: boolean
  /** The cookies to read and keep; null if none are. */
  readonly cookies: CookieOptions | null
  /** The texts that -G and --url-query add to the query of each URL. */
  readonly urlQuery: readonly string[]
  /** The checksums to print and to check; null for none. */
  readonly hashes: HashOptions | null
  /** The journal of the URLs; null if none is kept. */
  readonly journal: JournalSettings | null
  readonly places: Places
  /** The settings of mirror. */
  readonly mirror: MirrorSettings
  readonly login: Login | null
  /** Whether the first request of HTTP carries the given login. */
  readonly sendsLoginAtOnce: boolean
  /** The logins of a .netrc file; null if none is read. */
  readonly netrc: Netrc | null
  /** The account for FTP servers that ask for one in addition to user and password. */
  readonly account: string | null
  readonly proxyFor: ProxyChooser
  /** The login for any proxy that is used. */
  readonly proxyLogin: Login | null
  /** The type of FTP URLs that have none: text, or a list of names; null if no option says. */
  readonly ftpType: 'a' | 'd' | null
  /** Whether a URL with a user is an error. */
  readonly refusesUsers: boolean
  /** The words for Gopher searches; null if URLs stay as they are. */
  readonly search: string | null
  /** The answers to the forms of Gopher servers. */
  readonly form: readonly GivenAnswer[]
  /** The facts that telnet servers may learn. */
  readonly telnet: SessionOptions
  readonly client: ClientOptions
  readonly request: RetrieveOptions
  /** The options with which explain resolves URLs, as the client does. */
  readonly resolving: ResolveOptions
  /** The settings of `retrieve queue`; null for the other commands. */
  readonly queue: QueueSettings | null
  /** The settings of `retrieve gateway`; null for the other commands. */
  readonly gateway: GatewaySettings | null
  /** The servers and the command of serve; null for the other commands. */
  readonly serving: Serving | null
  /** The settings of audit; null for the other commands. */
  readonly audit: AuditSettings | null
}

/**
 * Reads options and environment. `shared` has the fetchers of all groups of --next; it is null if there is one group.
 * Throws `invalid-option` for a value that makes no sense, `file-failed` for a file that cannot be read.
 */
export function readConfig(line: CommandLine, env: NodeJS.ProcessEnv, shared: SharedFetchers | null = null): Config {
  const { command, operands } = line
  if (command === 'open' && operands.length === 0 && (line.has('output') || line.has('remote-name'))) {
    throw usageError('open without a number shows the page: leave -o and -O out, or give a number.')
  }
  const targets = targetsOf(line)
  const { destinations } = targets
  const compared = readEtag(line, targets.count)
  const request = readRequest(line, destinations, compared.tag)
  const { base } = request
  const many = readMany(line)
  const defaults = { ...readDefaults(line, env), localHosts: [hostname()] }
  const gateways = readGateways(line)
  return {
    command,
    operands,
    targets,
    defaultScheme: readDefaultScheme(line),
    json: line.has('json'),
    isHtml: line.has('html'),
    color: readColor(line),
    page: readPage(line),
    text: readText(line),
    pager: () => readPager(line, env),
    handoff: line.has('handoff'),
    programEnvironment: () => environmentOf(env),
    telnet: readTelnet(line),
    stateFolder: stateFolder(env),
    writeOut: readWriteOut(line),
    verbose: line.has('verbose'),
    silent: line.has('silent'),
    showErrors: !line.has('silent') || line.has('show-error'),
    include: line.has('include'),
    dumpHeader: readDumpHeader(line),
    clobber: readClobber(line),
    timeFile: readTimeFile(line),
    remoteTime: !line.has('no-remote-time'),
    createDirs: line.has('create-dirs'),
    many,
    continueAt: readContinueAt(line, many.from.length > 0 ? [...destinations, many.destination] : destinations),
    continueUnverified: readContinueUnverified(line),
    etagFile: readEtagFile(line, targets.count),
    damagedEtagFile: compared.damaged,
    parts: readPartOptions(line),
    trace: readTrace(line),
    archive: readArchive(line),
    fromArchives: readFromArchives(line),
    stderr: readStderr(line),
    removeOnError: readRemoveOnError(line),
    failWithBody: line.has('fail-with-body'),
    cookies: readCookies(line),
    urlQuery: [...readQueryData(line), ...readUrlQuery(line)],
    hashes: readHashOptions(line, targets),
    journal: readJournal(line, targets),
    places: readPlaces(line),
    mirror: readMirror(line),
    login: readLogin(line, 'user'),
    sendsLoginAtOnce: readLoginAtOnce(line),
    netrc: readNetrc(line, env),
    account: line.value('ftp-account') ?? null,
    proxyFor: proxyChooser(line, env),
    proxyLogin: readLogin(line, 'proxy-user'),
    ftpType: readFtpType(line),
    refusesUsers: line.has('disallow-username-in-url'),
    search: readSearch(line),
    form: readForm(line),
    client: {
      ...(gateways && { gateways }),
      fetchers: [...readFtpFetchers(line, shared), ...readHttpFetchers(line, shared), trustingGemini(stateFolder(env))],
      defaults,
      limits: { ...readLimits(line), ...readRetryLimits(line) },
      retryOn: readRetryOn(line),
      policy: readPolicy(line),
      tls: readTls(line, env),
      addresses: readAddresses(line),
      network: readNetwork(line),
      ssh: readSsh(line, env),
      nfs: readNfs(line),
      proxyTunnel: line.has('proxytunnel'),
      proxyDigest: line.has('proxy-digest'),
      proxyHeaders: readProxyHeaders(line),
    },
    request,
    resolving: {
      ...{ defaults, domainToAscii: domainToASCII, whatwgHost },
      ...(gateways && { gateways }),
      ...(base !== undefined && { base }),
    },
    queue: command === 'queue' ? readQueue(line, env, many) : null,
    gateway: command === 'gateway' ? readGateway(line, env) : null,
    serving: command === 'serve' ? readServing(line, env) : null,
    audit: command === 'audit' ? readAudit(line, env) : null,
  }
}

/** The URLs of the commands that retrieve them one by one. explain shows a glob as the URL itself. */
function targetsOf(line: CommandLine): Targets {
  if (line.command === 'explain') return readTargets(line, { globs: false })
  return ['get', 'ls', 'open'].includes(line.command) ? readTargets(line) : noTargets
}

/** The folder in which this program keeps state between runs, by the XDG Base Directory Specification. */
function stateFolder({ XDG_STATE_HOME: typed = '' }: NodeJS.ProcessEnv): string | null {
  const home = homedir()
  if (!isAbsolute(typed) && !isAbsolute(home)) return null
  return join(isAbsolute(typed) ? typed : join(home, '.local', 'state'), 'retrieve')
}

/** The host that `new URL()` finds in a URL, for the finding `parser-disagreement`. */
function whatwgHost(url: string): string | null {
  // URL.canParse is not used: once Node 20 has optimised it, it refuses every URL with a Latin-1 letter.
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

/** The options of every retrieval. */
function readRequest(line: CommandLine, destinations: readonly Destination[], etag: string | null): RetrieveOptions {
  const base = readBase(line)
  const time = line.value('time-cond')
  const headers = readHeaders(line)
  const virtualHost = readVirtualHost(line)
  const set = readSet(line)
  const http = {
    ...set.http,
    ...(etag !== null && { ifNoneMatch: etag }),
    ...(virtualHost !== undefined && { virtualHost }),
    ...(readAutoReferer(line) && { autoReferer: true }),
  }
  return {
    ...set,
    ...(base !== undefined && { base }),
    ...(time !== undefined && readTimeCondition(time, destinations)),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(http).length > 0 && { http }),
  }
}
