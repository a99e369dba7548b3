import { RetrievalError, redact } from '@retriever/core'
import type { Explained } from '@retriever/core/internal'
import type { RetrievalEvent } from '@retriever/fetchers'
import type { RequestOptions } from '@retriever/fetchers/internal'
import { exitCodeOf } from '../exit-codes.ts'
import { inFlags, shownFinding } from '../options/option-hints.ts'
import type { Output } from './output.ts'
import type { Trace } from './trace.ts'

export interface ReportOptions {
  readonly json: boolean
  readonly verbose?: boolean
  readonly silent?: boolean
  readonly showErrors?: boolean
  readonly request?: Pick<RequestOptions, 'ifChangedSince' | 'ifUnchangedSince'>
}

/**
 * Reports the progress of the command on standard error: to people a line for each event, or with --json to programs an
 * object for each.
 */
export class Reporter {
  readonly #output: Output
  readonly #options: ReportOptions
  readonly #trace: Trace | null
  readonly #warned = new Set<string>()

  /** `trace` makes the lines of -v; null if -v is not given. */
  constructor(output: Output, options: ReportOptions, trace: Trace | null = null) {
    this.#output = output
    this.#options = options
    this.#trace = trace
  }

  /** Reports an error, after a label such as `[37/100] `, and returns its exit code. */
  error(error: unknown, label: string = ''): number {
    const exit = exitCodeOf(error)
    const { json, verbose = false, showErrors = true } = this.#options
    if (exit === 0) this.#notModified(error as RetrievalError)
    if (exit === 0 || !showErrors) return exit
    if (json) this.#output.noteJson({ error: errorRecord(error) })
    else this.#output.note(sentence(error).replace(': ', `: ${label}`), 'danger')
    if (verbose && !RetrievalError.is(error)) this.#output.note(String((error as Error)?.stack))
    if (verbose && !json && RetrievalError.is(error)) {
      for (const line of excerptLines(error)) this.#output.note(line)
    }
    return exit
  }

  /** Reports a warning once, however many URLs it applies to. */
  warning(warning: { readonly message: string; readonly [more: string]: unknown }): void {
    if (this.#options.silent || this.#warned.has(warning.message)) return
    this.#warned.add(warning.message)
    if (this.#options.json) this.#output.noteJson({ warning })
    else this.#output.note(`retrieve: warning: ${warning.message}`, 'warning')
  }

  /** Reports that the resource is unchanged, so that no body came. This is no failure. */
  #notModified({ code, url = '' }: RetrievalError): void {
    const { ifChangedSince: since, ifUnchangedSince: before } = this.#options.request ?? {}
    const unchanged = `not modified${since ? ` since ${since.toUTCString()}` : ''}`
    const message = before === undefined ? unchanged : `modified since ${before.toUTCString()}, so nothing came`
    this.notice({ operand: url, code, message })
  }

  /** Reports how something typed was understood, and why. */
  notice(notice: { readonly operand: string; readonly message: string; readonly code?: string }): void {
    if (this.#options.silent) return
    if (this.#options.json) this.#output.noteJson({ notice })
    // The operand is redacted alone, since a secret at its end would hide the colon as well.
    else this.#output.note(`retrieve: ${redact(notice.operand)}: ${notice.message}`)
  }

  /** Reports a detail to people, with -v only. */
  detail(message: string): void {
    if (this.#options.verbose && !this.#options.json) this.#output.note(`* ${message}`)
  }

  /** Reports an event of the client: warnings always, other events with -v. */
  event(event: RetrievalEvent): void {
    if (event.type === 'resolved') {
      for (const finding of event.findings)
        if (finding.severity === 'warning') this.warning({ ...shownFinding(finding) })
    }
    if (event.type === 'remark') this.notice({ operand: event.url, message: inFlags(event.message, event.advice) })
    if (event.type === 'retried') this.#wait(event)
    if (!this.#options.verbose || isUnshown(event)) return
    if (this.#options.json) this.#output.noteJson(this.#record(event))
    else for (const line of this.#lines(event)) this.#output.note(line)
  }

  /** Reports why the retrieval waits or continues. With -v the events show it, and also a retry without a wait. */
  #wait({ url, error, delay, offset = 0 }: Retried): void {
    if ((delay === 0 && offset === 0) || this.#options.verbose) return
    // The next try begins by itself, so the error's advice to try again is removed.
    const what = shownMessage(error)
      .replace(`${url}: `, '')
      .replace(/; try again\.$/, '.')
    const next = nextTry(delay, offset)
    const message = `${what} ${next.charAt(0).toUpperCase()}${next.slice(1)}.`
    this.notice({ operand: url, code: error.code, message })
  }

  #record(event: RetrievalEvent): Record<string, unknown> {
    const { type, id: _id, time: _time, attempt: _attempt, ...rest } = event
    // The event has the same shape as the output of explain --json.
    if (event.type === 'resolved') return { event: type, ...explanationOf(event) }
    if (event.type === 'remark') return { event: type, url: event.url, message: inFlags(event.message, event.advice) }
    if (event.type === 'retried') return { event: type, ...rest, error: errorRecord(event.error) }
    return { event: type, ...rest, ...(type === 'done' && { error: undefined, timings: undefined }) }
  }

  /** The lines of -v. */
  #lines(event: RetrievalEvent): string[] {
    if (event.type === 'retried') return [`* ${nextTry(event.delay, event.offset)} after: ${shownMessage(event.error)}`]
    return this.#trace?.lines(event) ?? []
  }
}

/** Whether -v leaves the event to the progress line. */
function isUnshown({ type }: RetrievalEvent): boolean {
  return type === 'progress'
}

/** The explanation, with its findings as the command shows them. */
function explanationOf({ explanation, findings }: Extract<RetrievalEvent, { type: 'resolved' }>): Explained {
  return { ...explanation, findings: findings.map(shownFinding) }
}

type Retried = Extract<RetrievalEvent, { type: 'retried' }>

/** Says when the next try begins: `trying again in 1.0 s`, `going on at octet 4096 in 0.0 s`. */
function nextTry(delay: number, offset = 0): string {
  const what = offset > 0 ? `going on at octet ${offset}` : 'trying again'
  return `${what} in ${(delay / 1000).toFixed(1)} s`
}

/** The text of the server's error page, since the message only has the status. */
function excerptLines({ response }: RetrievalError): string[] {
  const excerpt = response?.excerpt.trim() ?? ''
  return excerpt === '' ? [] : excerpt.split(/\r?\n/).map((line) => `< ${line}`.trimEnd())
}

/** The sentence that tells people about an error. */
export function sentence(error: unknown): string {
  if (RetrievalError.is(error)) return `retrieve: ${located(error)}`
  return `retrieve: Unexpected: ${error instanceof Error ? error.message : String(error)}. This is a defect; please report it.`
}

/** The message with the command's options instead of the library's. */
function shownMessage({ message, advice }: RetrievalError): string {
  return inFlags(message, advice)
}

/** The message behind the URL, unless it contains the URL: a command may have many URLs. */
function located(error: RetrievalError): string {
  const message = shownMessage(error)
  const { url } = error
  return url === undefined || message.includes(url) ? message : `${url}: ${message}`
}

/** An error as --json shows it. */
export interface ErrorRecord {
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly [more: string]: unknown
}

export function errorRecord(error: unknown): ErrorRecord {
  const exit = exitCodeOf(error)
  if (!RetrievalError.is(error)) return { code: 'unexpected', exit, message: String(error) }
  const { code, phase, url = null, reply = null, status = null, span = null, response = null, handoff } = error
  const told = { code, exit, phase, url, message: shownMessage(error), reply, status, span, response }
  return handoff === undefined ? told : { ...told, handoff }
}
