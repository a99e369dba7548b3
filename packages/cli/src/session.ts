import { normalize } from 'node:path'
import type { Resolution } from '@retriever/core'
import { type Client, type ClientOptions, createClient, type Step } from '@retriever/fetchers'
import { changedUrl } from './changed-url.ts'
import { Cookies } from './cookies/index.ts'
import { enteredUrl, loginAtOnce, netrcAtOnce } from './given-login.ts'
import type { Ledger } from './journal/ledger.ts'
import { FileNames } from './many/file-names.ts'
import { withoutDefault } from './netrc.ts'
import { proxyOf, withLogin } from './options/connection/proxies.ts'
import { Retrieval } from './retrieval.ts'
import type { Run } from './run.ts'
import { SideFile } from './saving/side-file.ts'
import { CredentialPrompt } from './terminal/credential-prompt.ts'
import { Progress } from './terminal/progress.ts'
import { urlArgument } from './url-argument.ts'

/** The step of --from-warc, loaded when it is first needed. */
function fromArchives(files: readonly string[]): Step {
  let step: Promise<Step> | undefined
  return async (request, next) => {
    step ??= import('./archive/reading/archived-answers.ts').then(({ archivedAnswers }) => archivedAnswers(files))
    return (await step)(request, next)
  }
}

/** What the retrievals of a command share: a client, the logins that people gave, and the progress line. */
export class Session implements AsyncDisposable {
  readonly run: Run
  readonly client: Client
  readonly progress: Progress
  /** The file names of all retrievals so far. */
  readonly names: FileNames = new FileNames()
  /** Decides which URLs are asked for; null if all are. */
  ledger: Ledger | null = null
  /** Whether LDIF has been written to standard output. */
  hasLdif = false
  /** The folder that was made for the last file. A list has thousands of files in one folder. */
  madeFolder: string | null = null
  /** The file for header sections that -D names; null if -D is not given. */
  readonly headDump: SideFile | null
  readonly #cookies: Cookies | null
  readonly #credentials: CredentialPrompt
  /** The proxies of the typed URLs. */
  readonly #typedProxies = new Set<string>()

  /** The options of the client. */
  readonly options: ClientOptions

  /** `isCheck` means that only typed URLs get logins, and that nobody at the terminal is asked. */
  constructor(run: Run, { isCheck = false }: { readonly isCheck?: boolean } = {}) {
    const { config, output } = run
    this.run = run
    this.#credentials = new CredentialPrompt(config, output, run.signal, isCheck)
    this.progress = new Progress(output)
    this.headDump = config.dumpHeader === null ? null : new SideFile(config.dumpHeader, output)
    this.#cookies = config.cookies === null ? null : new Cookies(config.cookies, run.jar)
    // These files are written at the end, and would replace what -O had saved under their names.
    for (const file of [config.many.failedList, config.cookies?.jar ?? null])
      if (file !== null) this.names.take(normalize(file))
    const { exposed } = config.netrc ?? {}
    if (exposed !== undefined) {
      run.report.warning({ message: `Other users can read ${exposed}, which holds passwords: chmod 600 ${exposed}` })
    }
    const named = { ...config, netrc: withoutDefault(config.netrc) }
    this.options = {
      ...config.client,
      ...(this.#cookies !== null && { cookies: this.#cookies }),
      concurrency: config.many.concurrency,
      perHost: config.many.perHost,
      giveUpHosts: config.many.givesUpHosts,
      proxy: (target) => {
        const proxy = config.proxyFor(target)
        // -U is only for the proxies of typed URLs. A redirect may lead to another proxy, which must not get it
        // (threats.md 50: proxy credentials).
        if (config.proxyLogin === null || proxy === null || !this.#typedProxies.has(proxy)) return proxy
        return this.#credentials.proxyLogin(config.proxyLogin).then((login) => withLogin(proxy, login))
      },
      ...(config.netrc !== null &&
        !isCheck && { redirectLogin: (url) => netrcAtOnce(this.client.resolve(url), named) }),
      credentials: (challenge) => this.#credentials.answer(challenge),
      ...(config.fromArchives.length > 0 && { use: [fromArchives(config.fromArchives)] }),
    }
    this.client = createClient(this.options)
    run.archive?.attach(this.client)
  }

  /** The resolution of an operand with the options of the command. */
  resolve(operand: string): Resolution {
    const { config, report } = this.run
    const { base } = config.request
    const url = urlArgument(operand, { base, defaultScheme: config.defaultScheme }, report)
    return changedUrl(this.client.resolve(url, base), config, (changed) => this.client.resolve(changed))
  }

  /** The retrieval of an operand; `index` is its number in the command line. Throws what resolve() throws. */
  open(operand: string, index = 0): Retrieval {
    const typed = this.resolve(operand)
    const proxy = proxyOf(typed, this.run.config.proxyFor)
    if (proxy !== null) this.#typedProxies.add(proxy)
    const login = loginAtOnce(typed, this.run.config)
    return new Retrieval(this, typed, { entered: () => this.#entered(typed), login }, index)
  }

  /**
   * The resolution with the user of -u. If the URL stays the same, so does the object, and nothing is resolved twice.
   */
  #entered(resolution: Resolution): Resolution {
    this.#credentials.enter(resolution)
    const url = enteredUrl(resolution, this.run.config)
    return url === resolution.url ? resolution : this.client.resolve(url)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.progress.end()
    await this.client.close()
    this.headDump?.close()
    await this.#cookies?.save(this.run.output, this.run.report)
  }
}
