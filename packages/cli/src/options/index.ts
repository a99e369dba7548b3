/** The table of all options, from which the parser and --help are made. Names are curl's wherever curl has one. */
import type { CommandName } from '../commands/index.ts'
import { type ChecksumOption, checksumOptions } from './checksum.ts'
import { type LoginOption, loginOptions } from './connection/login.ts'
import { type ProxyOption, proxyOptions } from './connection/proxies.ts'
import { type TlsOption, tlsOptions } from './connection/tls.ts'
import { type LimitOption, limitOptions } from './limits.ts'
import { type ManyOption, manyOptions } from './many.ts'
import type { OptionRow } from './option.ts'
import { type OutputOption, outputOptions } from './output.ts'
import { type PolicyOption, policyOptions } from './policy.ts'
import { type FormOption, formOptions } from './protocols/form.ts'
import { type FtpOption, ftpOptions } from './protocols/ftp.ts'
import { type GopherOption, gopherOptions } from './protocols/gopher.ts'
import { type HeaderOption, headerOptions } from './protocols/headers.ts'
import { type HttpOption, httpOptions } from './protocols/http.ts'
import { type NewsOption, newsOptions } from './protocols/news.ts'
import { type ResolutionOption, resolutionOptions } from './resolution.ts'
import { type ServerOption, serverOptions } from './servers.ts'
import { type TransferOption, transferOptions } from './transfer.ts'

type GeneralOption = 'help' | 'version'

export type OptionName =
  | OutputOption
  | TransferOption
  | ChecksumOption
  | LimitOption
  | ManyOption
  | FtpOption
  | HttpOption
  | HeaderOption
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
  { long: 'help', short: 'h', help: 'Show this help', example: 'retrieve explain --help' },
  { long: 'version', short: 'V', help: 'Show the version', example: 'retrieve --version' },
]

type Category =
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
  Output: outputOptions,
  Transfer: [...transferOptions, ...checksumOptions, ...limitOptions, ...ftpOptions],
  'Many URLs': manyOptions,
  HTTP: [...httpOptions, ...headerOptions],
  Gopher: [...gopherOptions, ...formOptions],
  News: newsOptions,
  Security: [...policyOptions, ...tlsOptions],
  Login: loginOptions,
  Proxies: proxyOptions,
  Resolution: resolutionOptions,
  Servers: serverOptions,
  General: generalOptions,
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
