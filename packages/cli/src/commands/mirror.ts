import { pathToFileURL } from 'node:url'
import { encodeOctets, formatLocator, printable, type Resolution, RetrievalError, redact } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { MirrorOptions, MirrorResult, MirrorSummary, RetrievalEvent, RetrieveOptions } from '@retriever/fetchers'
import { listeningTo } from '@retriever/fetchers/internal'
import { type Robots, robotsOf } from '@retriever/fetchers/pages'
import { brokenPipe, exitCodeOf, usageError } from '../exit-codes.ts'
import { MirrorFacts } from '../mirror/mirror-facts.ts'
import type { MirrorJournal } from '../mirror/mirror-journal.ts'
import { refuseForm } from '../options/protocols/form.ts'
import { type Result, resultOf } from '../results/result.ts'
import { pickRequest, type Run } from '../run.ts'
import { Session } from '../session.ts'
import { formatSize, jsonLine, StdoutClosed, withoutSecrets } from '../terminal/output.ts'
import type { Meter, Overview, Progress } from '../terminal/progress.ts'

/** `retrieve mirror URL DIR`: copies a tree to disk. Returns the exit code of the first file that failed. */
export async function mirror(run: Run): Promise<number> {
  const { config, signal } = run
  const [operand, folder, ...others] = config.operands
  if (operand === undefined || folder === undefined || others.length > 0) {
    throw usageError('mirror needs a URL and a folder: retrieve mirror ftp://ftp.example.org/pub/ pub')
  }
  refuseForm(config.form, 'mirror')
  const jobs = jobsOf(config.many.jobs)
  const many = { ...config.many, concurrency: jobs, perHost: jobs }
  await using session = new Session({ ...run, config: { ...config, many } })
  await using journal = config.mirror.options.dryRun ? null : await journalOf(run)
  const { entered } = session.open(operand)
  if (entered.plan.mechanism === 'ftp' && entered.plan.tls === 'none') run.optimisation?.expectTree()
  if (config.mirror.options.pages && entered.plan.mechanism !== 'http') {
    throw usageError(`--pages copies sites of http and https; mirror ${entered.scheme.name} URLs without it.`)
  }
  const view = new MirrorView(session)
  if (config.mirror.options.pages) signal.addEventListener('abort', () => view.rewrites(), { once: true })
  const robots = config.mirror.obeysRobots ? await robotsFor(entered, session, view.request) : null
  const { exclude = [] } = config.mirror.options
  const request: MirrorOptions = {
    ...view.request,
    ...pickRequest(config, 'charset', 'limit'),
    ...config.mirror.options,
    concurrency: jobs,
    exclude: [...[exclude].flat(), ...(robots === null ? [] : [robots])],
    ...journal?.options,
    onResult: (result) => {
      journal?.add(result)
      view.add(result)
    },
  }
  try {
    const summary = await session.client.mirror(formatLocator(entered.locator), folder, request)
    await view.written()
    session.progress.end()
    view.end(entered.url, summary)
    journal?.whole()
    return view.exit
  } catch (error) {
    session.progress.end()
    // The reader of the lines is gone, as with `| head`. The tree is incomplete, so this is a failure, unlike a body
    // that is read in part.
    if (view.failure instanceof StdoutClosed) return brokenPipe
    if (signal.aborted) view.breakOff()
    throw view.failure ?? error
  }
}

async function journalOf(run: Run): Promise<MirrorJournal | null> {
  return run.config.journal === null ? null : (await import('../mirror/mirror-journal.ts')).openMirrorJournal(run)
}

/** How many files come at a time, unless the user says, and the most that the library allows. */
const defaultJobs = 4
const maxJobs = 16

function jobsOf(given: number | null): number {
  const jobs = given ?? defaultJobs
  if (jobs <= maxJobs) return jobs
  throw usageError(`mirror takes --jobs from 1 to ${maxJobs}, not ${jobs}.`)
}

/**
 * A pattern of what robots.txt forbids; null if it forbids nothing. Throws `refused` if it forbids the start itself.
 */
async function robotsFor(
  { plan, url, scheme }: Resolution,
  session: Session,
  request: RetrieveOptions,
): Promise<((path: string, isFolder: boolean) => boolean) | null> {
  if (plan.mechanism !== 'http') return null
  const { origin, pathname } = new URL(`${scheme.name}://${new URL(url).host}${plan.target}`)
  const robots: Robots = await robotsOf(origin, session.client, request)
  const start = pathname.endsWith('/') ? pathname : `${pathname}/`
  // A path is decoded text, and rules are for paths of URLs.
  const forbids = (path: string, isFolder: boolean): boolean =>
    !robots.allows(`${start}${encodeOctets(utf8Octets(path), '/')}${isFolder ? '/' : ''}`)
  if (robots.allows(pathname)) return forbids
  const why = `${origin}/robots.txt forbids programs to retrieve ${pathname}, or could not be read.`
  const message = `${why} If you have permission, give --no-robots.`
  throw new RetrievalError('refused', message, { phase: 'policy', url })
}

/** The events that are reported. Others need not be made. */
const reported: ReadonlySet<RetrievalEvent['type']> = new Set(['resolved', 'retried', 'remark'])

/** Reports what happens to each file, and the totals. */
class MirrorView implements Overview {
  readonly #run: Run
  readonly #progress: Progress
  readonly #isShown: boolean
  /** The progress of the bodies that are being received, by the numbers of their retrievals. */
  readonly #meters = new Map<number, Meter>()
  readonly #facts = new MirrorFacts()
  #received = 0
  /** How many entries lead out of the tree, and the URL of the first one. */
  #outside: { readonly url: string; count: number } | null = null
  done = 0
  readonly total: number | null = null
  failed = 0
  exit = 0
  /** The error of standard output; null if there is none. */
  failure: unknown = null
  readonly #stop = new AbortController()
  #writing: Promise<void> = Promise.resolve()

  constructor({ run, progress }: Session) {
    const { config, output } = run
    this.#run = run
    this.#progress = progress
    this.#isShown = output.stderrIsTerminal && !config.silent && !config.json
    if (this.#isShown) progress.showMany(this)
  }

  label(done: number): string {
    return done === 1 ? '1 file:' : `${done} files:`
  }

  /** The options of all retrievals of the command. */
  get request(): RetrieveOptions {
    const { config } = this.#run
    const { compressed, virtualHost } = config.request.http ?? {}
    return {
      ...pickRequest(config, 'accept', 'acceptLanguage', 'headers', 'digest'),
      http: { ...(compressed && { compressed }), ...(virtualHost !== undefined && { virtualHost }) },
      signal: AbortSignal.any([this.#run.signal, this.#stop.signal]),
      ...this.#run.traceFile?.listener,
      onEvent: this.#listener(),
    }
  }

  #listener(): (event: RetrievalEvent) => void {
    const listener = (event: RetrievalEvent): void => this.event(event)
    const { config, traceFile } = this.#run
    const wantsAll = config.verbose || config.json || this.#isShown || traceFile !== null
    return wantsAll ? listener : listeningTo(reported, listener)
  }

  event(event: RetrievalEvent): void {
    this.#run.traceFile?.event(event)
    this.#run.report.event(event)
    if (this.#run.config.json) this.#facts.event(event)
    if (this.#isShown) this.#show(event)
  }

  /** Shows on a terminal how much of a file has come. */
  #show(event: RetrievalEvent): void {
    const { id, type } = event
    if (type === 'progress') {
      const meter = this.#meters.get(id) ?? this.#progress.open(nameIn(event.url))
      this.#meters.set(id, meter)
      meter.update(event.received, event.size)
    }
    if (type !== 'done') return
    this.#meters.get(id)?.end()
    this.#meters.delete(id)
  }

  add(result: MirrorResult): void {
    const { config, report } = this.#run
    const { outcome } = result
    if (outcome === 'failed') {
      const code = report.error(result.error)
      this.exit ||= code
      this.failed++
    }
    if (outcome === 'skipped' && result.reason === 'outside') {
      this.#outside ??= { url: result.url, count: 0 }
      this.#outside.count++
    }
    if (outcome === 'saved') {
      this.done++
      this.#received += result.size - result.resumedFrom
    }
    if (config.json) this.#write(jsonLine(withoutSecrets(this.#resultFor(result))))
    else if (outcome === 'deleted' || (config.mirror.options.dryRun && outcome === 'saved')) {
      const verb = config.mirror.options.dryRun ? `would be ${outcome}` : outcome
      this.#write(`${verb}: ${printable(result.path)}\n`)
    }
    const { quota } = config.mirror
    if (quota === null || this.#received <= quota) return
    const message = `More than ${formatSize(quota)} came, the limit of --quota. The same command goes on from here.`
    throw new RetrievalError('limit-exceeded', message, { phase: 'body' })
  }

  /** Resolves when all lines are written. Rejects with the error of standard output. */
  async written(): Promise<void> {
    await this.#writing
    if (this.failure !== null) throw this.failure
  }

  /** Writes a line. If that fails, the run ends. */
  #write(line: string): void {
    this.#writing = this.#run.output.write(line).catch((error: unknown) => {
      this.failure ??= error
      this.#stop.abort(error)
    })
  }

  /** Tells why the command does not end at once after Ctrl-C. */
  rewrites(): void {
    const { config, output } = this.#run
    if (config.silent || config.json || config.mirror.options.dryRun) return
    this.#progress.end()
    output.note('retrieve: rewriting the links of the pages that came; Ctrl-C again leaves them to the next run.')
  }

  /** Tells how to continue after Ctrl-C or another signal. */
  breakOff(): void {
    const { config, output } = this.#run
    if (config.silent || config.json) return
    const count = this.done === 1 ? '1 file' : `${this.done} files`
    output.note(`retrieve: broken off after ${count} (${formatSize(this.#received)}); the same command goes on.`)
  }

  end(url: string, { saved, skipped, deleted, failed, received, isComplete }: MirrorSummary): void {
    const { config, output, report } = this.#run
    if (!isComplete) {
      const kept = config.mirror.options.delete ? ', and nothing was deleted' : ''
      report.warning({
        message: `${redact(url)}: A listing may be incomplete, so files may be missing here${kept}.`,
      })
    }
    const { dryRun = false, include } = config.mirror.options
    const counts = { saved, skipped, deleted, failed, received, isComplete }
    if (config.json) output.noteJson({ summary: dryRun ? { ...counts, dryRun } : counts })
    else if (!config.silent) {
      // A listing may lack sizes.
      const size = dryRun && this.#received === 0 ? '' : ` (${formatSize(dryRun ? this.#received : received)})`
      const parts = [`${saved} ${dryRun ? 'to save' : 'saved'}${size}`, `${skipped} unchanged or left out`]
      if (deleted > 0) parts.push(`${deleted} ${dryRun ? 'to delete' : 'deleted'}`)
      if (failed > 0) parts.push(`${failed} failed`)
      output.note(`retrieve: ${dryRun ? 'dry run: ' : ''}${parts.join(', ')}`)
      const outside = this.#outside
      if (outside !== null && saved + failed === 0 && skipped === outside.count) {
        const all = skipped === 1 ? 'The only entry leads' : `All ${skipped} entries lead`
        output.note(
          `retrieve: ${all} to another host or folder, such as ${printable(redact(outside.url))}; mirror that one instead.`,
        )
      }
      if (include !== undefined && saved + skipped + failed === 0) {
        output.note('retrieve: No file fits --include-path. For all in a folder, give its name with / at the end.')
      }
    }
  }

  /** The object of --json. A deleted file has no URL at the server, so it gets a file: URL. */
  #resultFor(result: MirrorResult): Result {
    const { outcome } = result
    const url = outcome === 'deleted' ? pathToFileURL(result.file).href : result.url
    const error = outcome === 'failed' ? result.error : null
    const base = resultOf({ operand: url, facts: this.#facts.take(url), error })
    if (outcome === 'saved') {
      return { ...base, finalUrl: base.finalUrl ?? redact(url), size: result.size, file: result.file }
    }
    if (outcome === 'deleted') return { ...base, outcome: 'deleted', file: result.file }
    if (outcome === 'failed') return { ...base, exit: exitCodeOf(error) }
    return { ...base, outcome: result.reason === 'unchanged' ? 'not-modified' : 'skipped' }
  }
}

/** The last name in the path of a URL. */
function nameIn(url: string): string {
  return redact(url)
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^.*\//s, '')
}
