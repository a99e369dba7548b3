import { formatLocator, type Resolution, redact } from '@retriever/core'
import {
  type Client,
  createClient,
  type Representation,
  type ResumePoint,
  type RetrievalEvent,
} from '@retriever/fetchers'
import { usageError } from './exit-codes.ts'
import type { Run } from './main.ts'
import { checkForm } from './options/read-form.ts'
import { type ProxyChooser, withLogin } from './options/read-proxy.ts'
import { searchUrl } from './options/read-search.ts'
import { CredentialPrompt } from './terminal/credential-prompt.ts'
import { formFiller } from './terminal/form-prompt.ts'
import { StdoutClosed } from './terminal/output.ts'
import { Progress } from './terminal/progress.ts'
import { urlArgument } from './url-argument.ts'

/** The retrievals of one command: a client that reports, shows progress and knows logins. */
export class Session implements AsyncDisposable {
  readonly #run: Run
  readonly #client: Client
  readonly #desk: CredentialPrompt
  readonly #progress: Progress
  #progressShown = false
  #typedProxy: string | null = null
  #statusLine: string | null = null
  /** Where the body began in the resource, and where it has got to. */
  #offset = 0
  #at = 0
  /** Those that wait for what comes to be checked; null: none has to. */
  #remarks: RetrievalEvent[] | null = null

  constructor(run: Run) {
    const { config, output, report } = run
    this.#run = run
    this.#desk = new CredentialPrompt(config, output, run.signal)
    this.#progress = new Progress(output)
    this.#client = createClient({
      ...config.client,
      proxy: async (target) => {
        const proxy = config.proxies.proxyFor(target)
        // -U is for the typed URL's own: where a redirect leads, another proxy may be on the way (security.md case 50).
        if (config.proxies.login === null || proxy === null || proxy !== this.#typedProxy) return proxy
        return withLogin(proxy, await this.#desk.proxyLogin(config.proxies.login))
      },
      credentials: (challenge) => this.#desk.answer(challenge),
      onEvent: (event) => {
        if (event.type === 'resolved') this.#at = 0
        if (event.type === 'progress') this.#at = this.#offset + event.received
        if (event.type === 'progress' && this.#progressShown) this.#progress.update(event.received, event.size)
        if (event.type === 'done') this.#progress.end()
        if (event.type === 'received') this.#statusLine = /^HTTP\/[^\r\n]*/.exec(event.octets)?.[0] ?? null
        if (event.type === 'remark' && this.#remarks !== null) this.#remarks.push(event)
        else report.event(event, this.#at)
      },
    })
  }

  /** What an argument means. */
  resolve(operand: string): Resolution {
    const { config, report } = this.#run
    const { base } = config.request
    const resolution = this.#client.resolve(urlArgument(operand, base, report), base)
    if (config.form.length > 0) checkForm(resolution)
    return config.search === null ? resolution : this.#client.resolve(searchUrl(resolution, config.search))
  }

  /**
   * `progress`: whether a bar may be shown; one is where the terminal has room for it and the user wants it. `from`:
   * how many octets are there already, and of what. `check`: throws where what comes will not do; the remarks on it are
   * told only if it does.
   */
  async retrieve(
    resolution: Resolution,
    progress: boolean,
    from: number | ResumePoint = 0,
    check: (representation: Representation) => void = () => {},
  ): Promise<Representation> {
    const { config, output, signal, report } = this.#run
    const { base: _, ...request } = config.request
    const form = formFiller(resolution, config.form, output, signal)
    this.#typedProxy = proxyOf(resolution, config.proxies.proxyFor)
    this.#progressShown = progress && output.stderrIsTerminal && !config.silent && !config.json
    this.#remarks = from === 0 ? null : []
    const opened = this.#client.retrieve(this.#entered(resolution), {
      ...request,
      ...(form !== null && { form }),
      ...(from !== 0 && { resumeFrom: from }),
      signal,
    })
    const representation = await opened.catch((error) => {
      this.#tellRemarks()
      throw error
    })
    this.#offset = representation.offset
    await this.#checked(representation, check)
    // security.md R25, R26
    if (representation.completeness === 'eof-only') report.detail('nothing but the end of the connection ends the body')
    return representation
  }

  async #checked(representation: Representation, check: (representation: Representation) => void): Promise<void> {
    try {
      check(representation)
    } catch (error) {
      await representation.cancel()
      throw error
    }
    this.#tellRemarks()
  }

  #tellRemarks(): void {
    const remarks = this.#remarks ?? []
    this.#remarks = null
    for (const remark of remarks) this.#run.report.event(remark)
  }

  #entered(resolution: Resolution): Resolution {
    const url = this.#desk.enter(resolution)
    return url === resolution.url ? resolution : this.#client.resolve(url)
  }

  /** As a representation says what was asked for, without secrets. */
  urlOf(resolution: Resolution): string {
    const { locator } = this.#entered(resolution)
    return redact(formatLocator({ ...locator, password: null }))
  }

  /** `HTTP/1.1 200 OK`, one octet a character, of the last answer; null where it was none of HTTP. */
  get statusLine(): string | null {
    return this.#statusLine
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#progress.end()
    await this.#client.close()
  }
}

function proxyOf({ plan, scheme }: Resolution, proxyFor: ProxyChooser): string | null {
  return 'port' in plan && plan.host ? proxyFor({ scheme: scheme.name, host: plan.host, port: plan.port }) : null
}

/**
 * Does something with each URL in turn; one that fails does not keep the others back. The exit code is that of the first failure.
 * `afterFailure` comes behind what is said of it, also where an interrupt ends all of it.
 */
export async function eachUrl(
  run: Run,
  action: (operand: string, index: number) => Promise<void>,
  afterFailure: (operand: string) => Promise<void> = async () => {},
): Promise<number> {
  const { operands, command } = run.config
  if (operands.length === 0) throw usageError(`No URL is given. Try: retrieve ${command} --help`)
  let exit = 0
  for (const [index, operand] of operands.entries()) {
    try {
      await action(operand, index)
    } catch (error) {
      const isEnd = run.signal.aborted || error instanceof StdoutClosed
      const code = isEnd ? 0 : run.report.error(error)
      await afterFailure(operand)
      if (isEnd) throw error
      exit ||= code
    }
  }
  return exit
}
