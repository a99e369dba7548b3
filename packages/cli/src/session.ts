import type { Resolution } from '@retriever/core'
import {
  type Client,
  createClient,
  type Representation,
  type ResumePoint,
  type RetrievalEvent,
} from '@retriever/fetchers'
import { checkForm } from './options/form.ts'
import { searchUrl } from './options/gopher.ts'
import { type ProxyChooser, withLogin } from './options/proxies.ts'
import type { Run } from './run.ts'
import { CredentialPrompt } from './terminal/credential-prompt.ts'
import { formFiller } from './terminal/form-prompt.ts'
import { Progress } from './terminal/progress.ts'
import { urlArgument } from './url-argument.ts'
import { Facts } from './write-out/facts.ts'

/** The retrievals of one command: a client that reports events, shows progress and asks for logins. */
export class Session implements AsyncDisposable {
  readonly #run: Run
  readonly #client: Client
  readonly #credentials: CredentialPrompt
  readonly #progress: Progress
  #progressShown = false
  /** The facts for -w; null: -w is not given. */
  #facts: Facts | null = null
  /** The proxy for the URL as it was typed. */
  #typedProxy: string | null = null
  #statusLine: string | null = null
  /** Remarks that are held back until the representation has been checked; null: report them at once. */
  #heldRemarks: RetrievalEvent[] | null = null

  constructor(run: Run) {
    const { config, output } = run
    this.#run = run
    this.#credentials = new CredentialPrompt(config, output, run.signal)
    this.#progress = new Progress(output)
    this.#client = createClient({
      ...config.client,
      proxy: async (target) => {
        const proxy = config.proxyFor(target)
        // -U is for the proxy of the typed URL only; a redirect may lead to another one (security.md 50: proxy
        // credentials).
        if (config.proxyLogin === null || proxy === null || proxy !== this.#typedProxy) return proxy
        return withLogin(proxy, await this.#credentials.proxyLogin(config.proxyLogin))
      },
      credentials: (challenge) => this.#credentials.answer(challenge),
      onEvent: (event) => this.#onEvent(event),
    })
  }

  /** Gathers facts from here on, about one URL. */
  gatherFacts(): Facts {
    this.#facts = new Facts(this.#facts ?? undefined)
    return this.#facts
  }

  #onEvent(event: RetrievalEvent): void {
    this.#facts?.event(event)
    if (event.type === 'progress' && this.#progressShown) this.#progress.update(event.received, event.size)
    if (event.type === 'done') this.#progress.end()
    if (event.type === 'received') this.#statusLine = /^HTTP\/[^\r\n]*/.exec(event.octets)?.[0] ?? null
    if (event.type === 'remark' && this.#heldRemarks !== null) this.#heldRemarks.push(event)
    else this.#run.report.event(event)
  }

  /** The meaning of an operand, with --base, --form and --search applied. */
  resolve(operand: string): Resolution {
    const { config, report } = this.#run
    const { base } = config.request
    const resolution = this.#client.resolve(
      urlArgument(operand, { base, defaultScheme: config.defaultScheme }, report),
      base,
    )
    if (config.form.length > 0) checkForm(resolution)
    return config.search === null ? resolution : this.#client.resolve(searchUrl(resolution, config.search))
  }

  /**
   * Retrieves a URL. `progress`: show a progress bar, if the terminal and the options allow one. `from`: how many
   * octets the output file already has, and of which representation. `check` throws if the representation cannot be
   * used; remarks are reported only if it can.
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
    this.#typedProxy = proxyOf(resolution, config.proxyFor)
    this.#progressShown = progress && output.stderrIsTerminal && !config.silent && !config.json
    this.#heldRemarks = from === 0 ? null : []
    const retrieving = this.#client.retrieve(this.entered(resolution), {
      ...request,
      ...(form !== null && { form }),
      ...(from !== 0 && { resumeFrom: from }),
      signal,
    })
    const representation = await retrieving.catch((error) => {
      this.#reportRemarks()
      throw error
    })
    try {
      check(representation)
    } catch (error) {
      await representation.cancel()
      throw error
    }
    this.#reportRemarks()
    // These are Gopher texts and binaries without an end mark (security.md R25 and R26).
    if (representation.completeness === 'eof-only') report.detail('nothing but the end of the connection ends the body')
    return representation
  }

  #reportRemarks(): void {
    const remarks = this.#heldRemarks ?? []
    this.#heldRemarks = null
    for (const remark of remarks) this.#run.report.event(remark)
  }

  /**
   * The resolution with the user of -u; the same object where the URL is not changed, so that it is not resolved twice.
   */
  entered(resolution: Resolution): Resolution {
    const url = this.#credentials.enter(resolution)
    return url === resolution.url ? resolution : this.#client.resolve(url)
  }

  /** The status line of the last response, `HTTP/1.1 200 OK`, one octet a character; null if it was not HTTP. */
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
