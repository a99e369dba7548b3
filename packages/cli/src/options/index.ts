/**
 * The table of all options, from which the parser, the help, the man page and the completions are made. Names are
 * curl's wherever curl has one.
 */
import type { CommandName } from '../commands/index.ts'
import { type LoginOption, loginOptions } from './connection/login.ts'
import { type ProxyOption, proxyOptions } from './connection/proxies.ts'
import { type TlsOption, tlsOptions } from './connection/tls.ts'
import { type DisplayOption, displayOptions } from './display.ts'
import { type LimitOption, limitOptions } from './limits.ts'
import { type ManyOption, manyOptions } from './many.ts'
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
import { type UrlQueryOption, urlQueryOptions } from './protocols/url-query.ts'
import { type ResolutionOption, resolutionOptions } from './resolution.ts'
import { type RetryOption, retryOptions } from './retries.ts'
import { type ServerOption, serverOptions } from './servers.ts'
import { type TracingOption, tracingOptions } from './tracing.ts'
import { type TransferOption, transferOptions } from './transfer.ts'

type GeneralOption = 'help' | 'version'

export type OptionName =
  | OutputOption
  | DisplayOption
  | TransferOption
  | TracingOption
  | LimitOption
  | ManyOption
  | RetryOption
  | FtpOption
  | HttpOption
  | HeaderOption
  | CookieOption
  | UrlQueryOption
  | GopherOption
  | FormOption
  | NewsOption
  | PolicyOption
  | TlsOption
  | LoginOption
  | ProxyOption
  | ResolutionOption
  | ServerOption
  | GeneralOption

const generalOptions: readonly OptionRow<GeneralOption>[] = [
  {
    long: 'help',
    short: 'h',
    help: 'Show help; a word may follow: all, category, a category, a command, a topic or an option, as in --help -o',
    example: 'retrieve --help http',
  },
  { long: 'version', short: 'V', help: 'Show the version', example: 'retrieve --version' },
]

export type Category =
  | 'Output'
  | 'Transfer'
  | 'Many URLs'
  | 'HTTP'
  | 'Gopher'
  | 'News'
  | 'Security'
  | 'Login'
  | 'Proxies'
  | 'Resolution'
  | 'Servers'
  | 'General'

/** The options by category, in the order of --help. */
const tables: Readonly<Record<Category, readonly OptionRow<OptionName>[]>> = {
  Output: [...outputOptions, ...displayOptions, ...tracingOptions],
  Transfer: [...transferOptions, ...limitOptions, ...retryOptions, ...ftpOptions],
  'Many URLs': manyOptions,
  HTTP: [...httpOptions, ...headerOptions, ...urlQueryOptions, ...cookieOptions],
  Gopher: [...gopherOptions, ...formOptions],
  News: newsOptions,
  Security: [...policyOptions, ...tlsOptions],
  Login: loginOptions,
  Proxies: proxyOptions,
  Resolution: resolutionOptions,
  Servers: serverOptions,
  General: generalOptions,
}

/** What the options of a category are about, for the list of categories. */
export const categoryHelp: Readonly<Record<Category, string>> = {
  Output: 'What is shown or written, and where',
  Transfer: 'Parts and conditions, retries, limits of time and size',
  'Many URLs': 'Several URLs at a time, lists of URLs, what is skipped and counted',
  HTTP: 'Requests, header fields, cache, redirects',
  Gopher: 'Searches, views and forms',
  News: 'Articles and their parts',
  Security: 'Dangers that are allowed, TLS and certificates',
  Login: 'Users, passwords and tokens',
  Proxies: 'Ways through other machines',
  Resolution: 'How URLs are read, and to which addresses they lead',
  Servers: 'The local test servers of serve',
  General: 'Help and version',
}

export const categories: readonly Category[] = Object.keys(tables) as Category[]

export interface OptionSpec<Name extends string = string> extends OptionRow<Name> {
  readonly category: Category
}

export const options: readonly OptionSpec<OptionName>[] = categories.flatMap((category) =>
  tables[category].map((row) => ({ ...row, category })),
)

/** Whether an option belongs to a command. */
export function applies(option: OptionSpec, command: CommandName): boolean {
  return option.commands?.includes(command) ?? true
}
