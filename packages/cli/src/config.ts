import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import { type FindingCode, findingCodes, type ResolveOptions } from '@retriever/core'
import type { ClientOptions, Limits, Policy, RetrieveOptions } from '@retriever/fetchers'
import type { CommandName } from './commands/index.ts'
import { usageError } from './exit-codes.ts'
import { type GivenAnswer, readForm } from './options/form.ts'
import type { OptionName } from './options/index.ts'
import { isPort, readNumber, readSize } from './options/numbers.ts'
import { type PartOptions, readPartOptions } from './options/part-options.ts'
import { readAddresses } from './options/read-addresses.ts'
import { readFtpFetchers } from './options/read-ftp.ts'
import { readHttpFetchers } from './options/read-http.ts'
import { type ProxyChooser, proxyChooser } from './options/read-proxy.ts'
import { readSearch } from './options/read-search.ts'
import { readTls } from './options/tls.ts'
import type { CommandLine } from './parse.ts'
import { type ContinueAt, readContinueAt, readRequest } from './request.ts'
import { type Destination, planDestinations } from './saving/destination.ts'
import { readEtag, readEtagFile } from './saving/etag.ts'
import { nearest } from './suggest.ts'

/** All that the program needs to know of argv and env; nothing later looks at those. */
export interface Config {
  readonly command: CommandName
  readonly operands: readonly string[]
  readonly json: boolean
  readonly verbose: boolean
  readonly silent: boolean
  readonly showErrors: boolean
  /** -i: the head of an answer before its body. */
  readonly include: boolean
  /** One for each operand of get. */
  readonly destinations: readonly Destination[]
  /** Null: from the beginning. */
  readonly continueAt: ContinueAt | null
  /** Where the entity tag of what has come whole goes. */
  readonly etagFile: string | null
  /** That of --etag-compare, where it holds no entity tag. */
  readonly damagedEtagFile: string | null
  /** What of a message is wanted; null: the whole, as it is. */
  readonly parts: PartOptions | null
  readonly login: Login | null
  /** For FTP servers that want one beside user and password. */
  readonly account: string | null
  readonly proxies: Proxies
  /** For the URLs of Gopher searches; null: they go as they are. */
  readonly search: string | null
  /** For the forms of Gopher servers. */
  readonly form: readonly GivenAnswer[]
  readonly client: ClientOptions
  readonly request: RetrieveOptions
  /** For explain: as the client resolves. */
  readonly resolving: ResolveOptions
  /** For serve: its own options, as typed. */
  readonly given: CommandLine
}

/** -u or -U; a password of null is asked for. */
export interface Login {
  readonly user: string
  readonly password: string | null
}

export interface Proxies {
  readonly proxyFor: ProxyChooser
  /** For whichever it is. */
  readonly login: Login | null
}

/** Throws `invalid-option` for a value that makes no sense, `file-failed` for a file that cannot be read. */
export function readConfig(line: CommandLine, env: NodeJS.ProcessEnv): Config {
  const { command, operands } = line
  const destinations = command === 'get' ? planDestinations(line) : []
  const compared = readEtag(line)
  const request = readRequest(line, destinations, compared.tag)
  const { base } = request
  const defaults = { ...readDefaults(line, env), localHosts: [hostname()] }
  return {
    command,
    operands,
    json: line.has('json'),
    verbose: line.has('verbose'),
    silent: line.has('silent'),
    showErrors: !line.has('silent') || line.has('show-error'),
    include: line.has('include'),
    destinations,
    continueAt: readContinueAt(line, destinations),
    etagFile: readEtagFile(line),
    damagedEtagFile: compared.damaged,
    parts: readPartOptions(line),
    login: readLogin(line, 'user'),
    proxies: { proxyFor: proxyChooser(line, env), login: readLogin(line, 'proxy-user') },
    search: readSearch(line),
    form: readForm(line),
    account: line.value('ftp-account') ?? null,
    client: {
      fetchers: [...readFtpFetchers(line), ...readHttpFetchers(line)],
      defaults,
      limits: readLimits(line),
      policy: readPolicy(line),
      tls: readTls(line),
      addresses: readAddresses(line),
      proxyTunnel: line.has('proxytunnel'),
    },
    request,
    resolving: { defaults, domainToAscii: domainToASCII, whatwgHost, ...(base !== undefined && { base }) },
    given: line,
  }
}

/** What `new URL()` makes of it, for the finding `parser-disagreement`. */
function whatwgHost(url: string): string | null {
  // Not URL.canParse: of Node 20, once it is optimised, it refuses every URL with a letter of Latin-1.
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

function readDefaults(line: CommandLine, env: NodeJS.ProcessEnv): NonNullable<ResolveOptions['defaults']> {
  const newsServer = line.value('news-server') ?? (env.NNTPSERVER || systemNewsServer())
  const anonymousPassword = line.value('anonymous-password')
  return {
    ...(newsServer !== undefined && { newsServer }),
    ...(anonymousPassword !== undefined && { anonymousPassword }),
    requireTls: line.has('ssl-reqd'),
  }
}

/** Debian's place for it; INN's clients and tin read it too. */
function systemNewsServer(): string | undefined {
  try {
    return readFileSync('/etc/news/server', 'utf8').split('\n', 1)[0]?.trim() || undefined
  } catch {
    return undefined
  }
}

function readLimits(line: CommandLine): Partial<Limits> {
  const total = line.value('max-time')
  const connect = line.value('connect-timeout')
  const size = line.value('max-filesize')
  const redirects = line.value('max-redirs')
  const retries = line.value('retry')
  return {
    ...readTimeout('totalTimeout', 'max-time', total),
    ...readTimeout('connectTimeout', 'connect-timeout', connect),
    ...readSpeed(line),
    ...(size !== undefined && { maxSize: readSize('max-filesize', size) }),
    ...(redirects !== undefined && { maxRedirects: readNumber('max-redirs', redirects, /^\d+$/) }),
    ...(retries !== undefined && { maxRetries: readNumber('retry', retries, /^\d+$/) }),
  }
}

/** In seconds; 0 is the default, as in curl. */
function readTimeout(
  limit: 'totalTimeout' | 'connectTimeout',
  option: OptionName,
  text: string | undefined,
): Partial<Limits> {
  const seconds = text === undefined ? 0 : readNumber(option, text)
  return seconds === 0 ? {} : { [limit]: 1000 * seconds }
}

/** As in curl: either alone brings the other's default, 30 seconds and 1 octet a second. */
function readSpeed(line: CommandLine): Partial<Limits> {
  const speed = line.value('speed-limit')
  const time = line.value('speed-time')
  if (speed === undefined && time === undefined) return {}
  const seconds = time === undefined ? 0 : readNumber('speed-time', time)
  return {
    minSpeed: speed === undefined ? 1 : readSize('speed-limit', speed),
    minSpeedTime: 1000 * (seconds === 0 ? 30 : seconds),
  }
}

function readPolicy(line: CommandLine): Partial<Policy> {
  return {
    allow: line.values('allow').map(readFindingCode),
    allowPorts: line.values('allow-port').map((port) => {
      if (isPort(port)) return Number(port)
      throw usageError(`--allow-port needs a port number up to 65535, not ${JSON.stringify(port)}.`)
    }),
    allowDowngrade: line.has('allow-downgrade'),
    allowInward: line.has('allow-inward'),
    publicOnly: line.has('public-only'),
  }
}

function readFindingCode(text: string): FindingCode {
  const dangers = Object.entries(findingCodes).filter(([, severity]) => severity === 'danger')
  const codes = dangers.map(([code]) => code as FindingCode).filter((code) => code !== 'encoded-delimiter')
  const code = codes.find((candidate) => candidate === text)
  if (code !== undefined) return code
  if (text === 'encoded-delimiter')
    throw usageError('--allow encoded-delimiter is not possible: it would break the protocol.')
  const meant = nearest(text, codes)
  const hint = meant === undefined ? `What can be allowed: ${codes.join(', ')}.` : `Did you mean ${meant}?`
  throw usageError(`--allow needs the code of a danger, not ${JSON.stringify(text)}. ${hint}`)
}

function readLogin(line: CommandLine, option: 'user' | 'proxy-user'): Login | null {
  const text = line.value(option)
  if (text === undefined) return null
  const colon = text.indexOf(':')
  return colon < 0 ? { user: text, password: null } : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
