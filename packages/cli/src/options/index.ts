/**
 * The table of all options, from which the parser, the help, the man page and the completions are made. An option has
 * curl's name, if curl has it.
 */

import { type ArchiveOption, archiveOptions } from '../archive/options.ts'
import { type AuditOption, auditOptions } from '../audit/options.ts'
import { type CommandName, commandNames } from '../commands/index.ts'
import { type GatewayOption, gatewayOptions } from '../serving/gateway-options.ts'
import { type ChecksumOption, checksumOptions } from './checksum.ts'
import { type LoginOption, loginOptions } from './connection/login.ts'
import { type NetworkOption, networkOptions } from './connection/network.ts'
import { type ProxyOption, proxyOptions } from './connection/proxies.ts'
import { type ProxyTlsOption, proxyTlsOptions } from './connection/proxy-tls.ts'
import { type SshOption, sshOptions } from './connection/ssh.ts'
import { type TlsOption, tlsOptions } from './connection/tls.ts'
import { type TlsRuleOption, tlsRuleOptions } from './connection/tls-rules.ts'
import { type DisplayOption, displayOptions } from './display.ts'
import { type LimitOption, limitOptions } from './limits.ts'
import { type LineOption, lineOptions } from './line.ts'
import { type FollowOption, followOptions } from './lists/follow.ts'
import { type JournalOption, journalOptions } from './lists/journal.ts'
import { type PlaceOption, placeOptions } from './lists/layout.ts'
import { type QueueOption, queueOptions } from './lists/queue.ts'
import { type AddOption, addOptions } from './lists/queue-add.ts'
import { type ManyOption, manyOptions } from './many.ts'
import { type MirrorOption, mirrorOptions } from './mirror.ts'
import type { OptionRow } from './option.ts'
import { type OutputOption, outputOptions } from './output.ts'
import { type PolicyOption, policyOptions } from './policy.ts'
import { type CookieOption, cookieOptions } from './protocols/cookies.ts'
import { type FormOption, formOptions } from './protocols/form.ts'
import { type FtpOption, ftpOptions } from './protocols/ftp.ts'
import { type GopherOption, gopherOptions } from './protocols/gopher.ts'
import { type HeaderOption, headerOptions } from './protocols/headers.ts'
import { type HttpOption, httpOptions } from './protocols/http.ts'
import { type NewsOption, newsOptions } from './protocols/news.ts'
import { type NfsOption, nfsOptions } from './protocols/nfs.ts'
import { type QueryDataOption, queryDataOptions } from './protocols/query-data.ts'
import { type TelnetOption, telnetOptions } from './protocols/telnet.ts'
import { type UrlQueryOption, urlQueryOptions } from './protocols/url-query.ts'
import { type WaisOption, waisOptions } from './protocols/wais.ts'
import { type ResolutionOption, resolutionOptions } from './resolution.ts'
import { type RetryOption, retryOptions } from './retries.ts'
import { type ServerOption, serverOptions } from './servers.ts'
import { type TracingOption, tracingOptions } from './tracing.ts'
import { type TransferOption, transferOptions } from './transfer.ts'

type GeneralOption = 'help' | 'manual' | 'version'

export type OptionName =
  | OutputOption
  | DisplayOption
  | TransferOption
  | ChecksumOption
  | MirrorOption
  | TracingOption
  | ArchiveOption
  | LimitOption
  | ManyOption
  | JournalOption
  | PlaceOption
  | QueueOption
  | AddOption
  | FollowOption
  | RetryOption
  | FtpOption
  | HttpOption
  | HeaderOption
  | CookieOption
  | UrlQueryOption
  | QueryDataOption
  | GopherOption
  | FormOption
  | NewsOption
  | TelnetOption
  | WaisOption
  | PolicyOption
  | TlsOption
  | TlsRuleOption
  | ProxyTlsOption
  | LoginOption
  | SshOption
  | NfsOption
  | NetworkOption
  | ProxyOption
  | ResolutionOption
  | ServerOption
  | GatewayOption
  | AuditOption
  | LineOption
  | GeneralOption

const generalOptions: readonly OptionRow<GeneralOption>[] = [
  {
    long: 'help',
    sent: false,
    short: 'h',
    help: 'Show help; a word may follow: all, category, a category, a command, a topic or an option, as in --help -o',
    example: 'retrieve --help http',
  },
  { long: 'manual', sent: false, short: 'M', help: 'The same as --help all', example: 'retrieve --manual' },
  {
    long: 'version',
    sent: false,
    short: 'V',
    help: 'Show the version, the protocols and the features',
    example: 'retrieve --version',
  },
]

export type Category =
  | 'Output'
  | 'Transfer'
  | 'Lists'
  | 'HTTP'
  | 'Gopher'
  | 'News'
  | 'Telnet'
  | 'Security'
  | 'Login'
  | 'Connection'
  | 'Proxies'
  | 'Resolution'
  | 'Servers'
  | 'Command line'
  | 'General'

/** The options by category, in the order of --help. */
const tables: Readonly<Record<Category, readonly OptionRow<OptionName>[]>> = {
  Output: [...outputOptions, ...displayOptions, ...tracingOptions, ...archiveOptions],
  Transfer: [...transferOptions, ...checksumOptions, ...limitOptions, ...retryOptions, ...ftpOptions],
  Lists: [
    ...manyOptions,
    ...journalOptions,
    ...placeOptions,
    ...mirrorOptions,
    ...queueOptions,
    ...addOptions,
    ...followOptions,
  ],
  HTTP: [...httpOptions, ...headerOptions, ...urlQueryOptions, ...queryDataOptions, ...cookieOptions],
  Gopher: [...gopherOptions, ...formOptions, ...waisOptions],
  News: newsOptions,
  Telnet: telnetOptions,
  Security: [...policyOptions, ...tlsOptions, ...tlsRuleOptions],
  Login: [...loginOptions, ...sshOptions, ...nfsOptions],
  Connection: networkOptions,
  Proxies: [...proxyOptions, ...proxyTlsOptions],
  Resolution: resolutionOptions,
  Servers: [...serverOptions, ...auditOptions, ...gatewayOptions],
  'Command line': lineOptions,
  General: generalOptions,
}

/** What each category is about, for the list of categories. */
export const categoryHelp: Readonly<Record<Category, string>> = {
  Output: 'Bodies, heads and messages: their form and their place',
  Transfer: 'Parts and conditions, checksums, retries, limits of time and size, FTP',
  Lists: 'Several URLs at a time, lists of URLs, what is skipped and counted, trees for mirror, and queues',
  HTTP: 'Requests, header fields, cache, redirects',
  Gopher: 'Searches, views and forms, also of WAIS',
  News: 'Articles and their parts',
  Telnet: 'Facts that a service may know',
  Security: 'Dangers that are allowed, TLS and certificates',
  Login: 'Users, passwords, tokens, and keys of SSH servers',
  Proxies: 'Ways through other machines',
  Connection: 'The addresses, interfaces, ports and sockets of connections',
  Resolution: 'How URLs are read, and to which addresses they lead',
  Servers: 'The local test servers of serve and audit, and the gateway',
  'Command line': 'Configuration files, variables, groups of options',
  General: 'Help and version',
}

/** The category as a word of the help: `command-line`. */
export const categoryWord = (category: Category): string => category.toLowerCase().replaceAll(' ', '-')

export const categories: readonly Category[] = Object.keys(tables) as Category[]

export interface OptionSpec<Name extends string = string> extends OptionRow<Name> {
  readonly category: Category
}

export const options: readonly OptionSpec<OptionName>[] = categories.flatMap((category) =>
  tables[category].map((row) => ({ ...row, ...commandsOf(row), category })),
)

/** Adds explain to the commands of an option that changes what is sent. */
function commandsOf({ commands, sent }: OptionRow): Pick<OptionRow, 'commands'> {
  if (commands === undefined || !sent || commands.includes('explain')) return {}
  return { commands: commandNames.filter((name) => name === 'explain' || commands.includes(name)) }
}

/** Whether a command takes an option. */
export function applies(option: OptionSpec, command: CommandName): boolean {
  return option.commands?.includes(command) ?? true
}
