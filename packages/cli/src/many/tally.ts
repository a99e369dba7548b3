import { RetrievalError } from '@retriever/core'
import type { Run } from '../run.ts'
import { formatSize } from '../terminal/output.ts'
import { formatDuration } from '../terminal/progress-line.ts'
import { Exits } from './exits.ts'
import { FailedList } from './failed-list.ts'
import type { Job } from './job.ts'
import { WorstHosts } from './worst-hosts.ts'

/** An error of an earlier run. */
const earlier = { phase: 'request' } as const

/** Counts the outcomes of the URLs of one command, and writes the lines about them. */
export class Tally {
  readonly #run: Run
  readonly #exits: Exits
  readonly #failedList: FailedList | null
  readonly #begun = performance.now()
  readonly #worst = new WorstHosts()
  #retrieved = 0
  #failed = 0
  #skipped = 0
  #repeated = 0
  #doneBefore = 0
  #failedBefore = 0
  #brokenOff = 0
  #octets = 0
  #elsewhere = 0
  #total: number | null

  constructor(run: Run) {
    const { targets, many } = run.config
    this.#run = run
    this.#exits = new Exits(many.exitWorst)
    this.#failedList = many.failedList === null ? null : new FailedList(many.failedList)
    this.#total = many.from.length === 0 ? targets.count : null
  }

  /** The number of all URLs that are those of this machine; null until the list has been read to its end. */
  get total(): number | null {
    return this.#total === null ? null : this.#total - this.#elsewhere
  }

  /** Tells how many URLs the command and its lists have. */
  listed(total: number): void {
    this.#total = total
  }

  get exitCode(): number {
    return this.#exits.code
  }

  get failed(): number {
    return this.#failed
  }

  /** How many URLs are done. */
  get done(): number {
    return this.#retrieved + this.#failed + this.#skipped + this.#repeated + this.#doneBefore + this.#failedBefore
  }

  /** How many of these were asked for. */
  get asked(): number {
    return this.done - this.#skipped - this.#repeated - this.#doneBefore - this.#failedBefore
  }

  /** The hosts with the most failures, as in `9 at www.example.org`. */
  get worst(): readonly string[] {
    return this.#worst.hosts
  }

  /** `[37/100] `, or `[37] ` while the list is being read; "" if the command does not count its URLs. */
  label(done: number): string {
    if (!this.#run.config.many.isCounted) return ''
    return this.total === null ? `[${done}] ` : `[${String(done).padStart(String(this.total).length)}/${this.total}] `
  }

  /** `[37/100] 5 failed (4 at www.example.org), 4.1 MiB/s, 0:40 left`. */
  get state(): string {
    const { done, total, asked } = this
    const seconds = (performance.now() - this.#begun) / 1000
    const left = total === null || asked === 0 ? '' : `${formatDuration((seconds / asked) * (total - done))} left`
    const parts = [this.#worst.text(this.#failed), `${formatSize(this.#octets / seconds)}/s`, left]
    return `${this.label(done)}${parts.filter((part) => part !== '').join(', ')}`
  }

  retrieved(job: Job): void {
    this.#retrieved++
    this.#octets += job.received
    if (job.path !== null) this.#note(job, `saved as ${job.path}, ${formatSize(job.received)}`)
  }

  /** Counts a URL that was not asked for. */
  skipped(job: Job): void {
    const { leftOut } = job
    if (leftOut === null) {
      this.#skipped++
      this.#note(job, `skipped: ${job.path} exists`)
    } else if (leftOut.why === 'repeated') {
      this.#repeated++
      this.#note(job, 'skipped: the list has this URL twice')
    } else if (leftOut.why === 'done') this.#doneBefore++
    else if (leftOut.why === 'elsewhere') this.#elsewhere++
    else {
      const { code, message, exit, file } = leftOut.line
      this.#failedBefore++
      this.#exits.add(job.index, exit)
      this.#failedList?.add(job.url, file === null ? null : job.ownName, new RetrievalError(code, message, earlier))
    }
  }

  /** Returns the exit code, which is 0 for a resource that is unchanged. */
  failedWith(job: Job, error: unknown): number {
    const code = this.#run.report.error(error, this.label(this.done + 1))
    if (code === 0) {
      this.#retrieved++
      return 0
    }
    this.#failed++
    this.#worst.add(job.host)
    this.#exits.add(job.index, code)
    this.#failedList?.add(job.url, job.ownName, error)
    return code
  }

  /** Notes a URL that was not retrieved because the command ends early. */
  brokenOff(job: Job, error: unknown): void {
    this.#brokenOff++
    this.#failedList?.add(job.url, job.ownName, error)
  }

  /** Ends the command with its summary. */
  end(isWhole: boolean): void {
    if (!isWhole) this.#failedList?.comment('The command ended here; URLs that it had not begun are not in this list.')
    this.#failedList?.end()
    const { output, config } = this.#run
    if (!config.many.isCounted || config.silent) return
    const seconds = (performance.now() - this.#begun) / 1000
    const { total } = this
    if (config.json) {
      const counts = {
        retrieved: this.#retrieved,
        failed: this.#failed,
        skipped: this.#skipped,
        brokenOff: this.#brokenOff,
      }
      output.noteJson({ summary: { urls: total, ...counts, ...this.#before(), octets: this.#octets, seconds } })
      return
    }
    // If a list cannot be read at all, its error says enough.
    if (total === null && this.done + this.#brokenOff === 0) return
    const good = this.#retrieved + this.#skipped + this.#repeated + this.#doneBefore
    const of = `${good} of ${total ?? `${this.done} or more`}`
    const failed = this.#failed === 0 ? '' : `, ${this.#failed} failed`
    const brokenOff = this.#brokenOff === 0 ? '' : `, ${this.#brokenOff} broken off`
    const left = [
      ...(this.#skipped === 0 ? [] : [`${this.#skipped} skipped`]),
      ...(this.#doneBefore === 0 ? [] : [`${this.#doneBefore} done before`]),
      ...(this.#repeated === 0 ? [] : [`${this.#repeated} repeated`]),
    ]
    const skipped = left.length === 0 ? '' : ` (${left.join(', ')})`
    const before =
      this.#failedBefore === 0 ? '' : `, ${this.#failedBefore} failed before (--retry-failed asks for them again)`
    output.note(
      `retrieve: ${of}${skipped}${failed}${before}${brokenOff}; ${formatSize(this.#octets)} in ${seconds.toFixed(1)} s`,
    )
  }

  /** The counts of --json that only lists and journals have. */
  #before(): Readonly<Record<string, number>> {
    const counts = { repeated: this.#repeated, doneBefore: this.#doneBefore, failedBefore: this.#failedBefore }
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  }

  /** One line for a URL that is done; on a terminal the progress shows it. */
  #note(job: Job, message: string): void {
    const { config, output, report } = this.#run
    if (!config.many.isCounted || config.json || output.stderrIsTerminal) return
    report.notice({ operand: `${this.label(this.done)}${job.url}`, message })
  }
}
