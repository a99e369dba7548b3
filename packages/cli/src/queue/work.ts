import { RetrievalError, redact } from '@retriever/core'
import type { RetrieveOptions } from '@retriever/fetchers'
import { folderStore, type Store, type WorkCounts, type WorkOutcome } from '@retriever/queue'
import { netrcLogin, withoutDefault } from '../netrc.ts'
import { Session } from '../session.ts'
import { jsonLine, withoutSecrets } from '../terminal/output.ts'
import { errorRecord } from '../terminal/report.ts'
import { serveMetrics } from './metrics.ts'
import type { Action, QueueRun } from './open.ts'
import { warcStore } from './warc-store.ts'

/** How often the line on the terminal is drawn, in milliseconds. */
const drawEvery = 200

/**
 * `retrieve queue work`: retrieves URLs until a signal, or with --until-done until none is left. After the first signal
 * no URL begins, and those under way come to their end; the second one aborts them, and others go on with their hosts.
 */
export const work: Action = async (run) => {
  const { config, queue, settings, signal, interrupts } = run
  const { hosts, perHost, untilDone, tries, follow, robots } = settings
  const many = { ...config.many, concurrency: hosts * perHost, perHost }
  await using session = new Session({ ...run, config: { ...config, many } }, { isCheck: true })
  const view = new WorkView(run)
  const hard = new AbortController()
  const onSignal = (): void => {
    view.ends()
    interrupts.passTo(() => {
      hard.abort()
      interrupts.passTo(null)
    })
  }
  signal.addEventListener('abort', onSignal, { once: true })
  const metrics = settings.metrics === null ? null : await serveMetrics(queue, settings, view.counts)
  try {
    if (!config.json && !config.silent) view.begin(metrics?.url)
    const counts = await queue.work({
      store: storeOf(run),
      client: session.client,
      hosts,
      perHost,
      interval: config.many.pace,
      ...(tries !== null && { tries }),
      ...(follow !== null && { follow }),
      robots,
      request: requestOf(run),
      logins: loginsOf(run, session),
      stop: signal,
      signal: hard.signal,
      untilDone,
      onOutcome: (outcome) => view.add(outcome),
    })
    await view.end(counts)
  } finally {
    view.stop()
    signal.removeEventListener('abort', onSignal)
    interrupts.passTo(null)
    await metrics?.close()
  }
  return untilDone ? (interrupts.exitCode ?? 0) : 0
}

function storeOf({ archive, config, settings }: QueueRun): Store {
  if (settings.store !== '' || archive === null || config.archive === null) return folderStore(settings.store)
  return warcStore(archive, config.archive.prefix)
}

function requestOf({ config, report, traceFile }: QueueRun): Omit<RetrieveOptions, 'signal'> {
  const { base: _, signal: _signal, ...request } = config.request
  const onEvent: RetrieveOptions['onEvent'] = (event) => {
    traceFile?.event(event)
    report.event(event)
  }
  return { ...request, ...(config.verbose && { onEvent }) }
}

/**
 * `@alice` is the login of alice at the host of the URL, in the file of this worker: no other host gets it. Throws why
 * the URL fails without it.
 */
function loginsOf({ config }: QueueRun, session: Session) {
  const netrc = withoutDefault(config.netrc)
  const entries = netrc?.entries.filter(({ login }) => login !== undefined) ?? []
  return (name: string, url: string) => {
    const { host } = session.client.resolve(url).locator
    const login = host === null ? null : netrcLogin(netrc && { ...netrc, entries }, host, name)
    if (login !== null) return login
    const reason =
      netrc === null
        ? `its login @${name} needs a .netrc of the worker: give it -n or --netrc-file FILE`
        : `the .netrc of the worker has no login ${name} for this host: add it`
    throw new RetrievalError('auth-required', `${redact(url)}: ${reason}.`, { phase: 'policy', url })
  }
}

/** Tells what comes. */
class WorkView {
  readonly counts = { stored: 0, there: 0, listed: 0, again: 0, failed: 0 }
  readonly #run: QueueRun
  #timer: NodeJS.Timeout | undefined
  #written: Promise<void> = Promise.resolve()
  /** Why lines of --json are lost: it ends the worker. */
  #lost: unknown = null

  constructor(run: QueueRun) {
    this.#run = run
  }

  begin(metrics: string | undefined): void {
    const { output, settings } = this.#run
    const end = settings.untilDone ? 'until nothing is left' : 'until Ctrl-C'
    output.note(`retrieve: working at the queue ${settings.name} at ${settings.shownPlace}, ${end}`)
    if (metrics !== undefined) output.note(`retrieve: ${metrics} has the figures for Prometheus`)
    if (!output.stderrIsTerminal) return
    this.#timer = setInterval(() => output.status(lineOf(this.counts)), drawEvery)
  }

  add({ url, state, error }: WorkOutcome): void {
    const { config, output, report } = this.#run
    this.counts[state]++
    if (this.#lost !== null) throw this.#lost
    if (config.json) {
      const told = { url, state, error: error === null ? null : errorRecord(error) }
      const line = jsonLine(withoutSecrets(told))
      this.#written = this.#written.then(() => output.write(line)).catch((lost) => this.#lose(lost))
    } else if (state === 'failed') report.error(error)
  }

  /** Tells why the command does not end at once after Ctrl-C. */
  ends(): void {
    const { config, output } = this.#run
    if (!config.json && !config.silent) output.note('retrieve: ends with the URLs under way; Ctrl-C again aborts them')
  }

  #lose(error: unknown): void {
    // After a signal, nobody waits for a slow reader.
    if (!this.#run.signal.aborted) this.#lost ??= error
  }

  async end(counts: WorkCounts): Promise<void> {
    this.stop()
    await this.#written
    if (this.#lost !== null) throw this.#lost
    const { config, output, settings } = this.#run
    if (config.json || config.silent) return
    output.note(`retrieve: ${lineOf(counts)}`)
    const { left } = await this.#run.queue.progress()
    if (left > 0) output.note(`retrieve: ${left} URLs are left in the queue ${settings.name}; the same command goes on`)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#run.output.status('')
  }
}

function lineOf({ stored, listed, there, again, failed }: Omit<WorkCounts, 'turns' | 'lost'>): string {
  const parts = [
    `${stored} stored`,
    ...(listed > 0 ? [`${listed} listed`] : []),
    ...(there > 0 ? [`${there} were there`] : []),
    ...(again > 0 ? [`${again} put back to be tried again`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  return parts.join(', ')
}
