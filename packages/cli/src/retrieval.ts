import { basename } from 'node:path'
import { type Resolution, redact } from '@retriever/core'
import type { Representation, ResumePoint, RetrievalEvent, RetrieveOptions } from '@retriever/fetchers'
import { listeningTo, type RequestLogin } from '@retriever/fetchers/internal'
import type { Session } from './session.ts'
import { formFiller } from './terminal/form-prompt.ts'
import type { Meter } from './terminal/progress.ts'
import { shownHead } from './views/head.ts'
import { Heads } from './views/heads.ts'
import { Facts } from './write-out/facts.ts'

/** How a retrieval begins. */
export interface Beginning {
  /** Whether to show progress, if the terminal and the options allow it. Default false. */
  readonly progress?: boolean
  /** How many octets the output file has, and of which representation. Default 0. */
  readonly from?: number | ResumePoint
  /** Why the whole body comes again; reported instead of the remarks on resuming. */
  readonly anew?: string | null
  /** Throws if the representation is of no use. */
  readonly check?: (representation: Representation) => void
}

/** The login that a person gave for one URL. */
interface GivenLogin {
  /** Returns the resolution with the user of -u. */
  readonly entered: () => Resolution
  /** The login for the first request; null if none is known before the server asks. */
  readonly login: RequestLogin | null
}

/** The retrieval of one URL by the command. It turns events into reports, progress and facts. */
export class Retrieval {
  /** The number of the URL in the command line, from 0. */
  readonly index: number
  /** The meaning of the URL as typed. */
  readonly resolution: Resolution
  /** The facts from the events, for -w and --json. */
  readonly facts: Facts
  /** The header sections, for -i, -I and -D. */
  readonly heads: Heads
  /** Called when the client begins with the URL. */
  onBegun: (() => void) | null = null
  readonly #session: Session
  readonly #login: GivenLogin
  /** Whether -i, -I or -D needs the header sections. */
  readonly #wantsHeads: boolean
  #meter: Meter | null = null
  /** The number of the client's retrieval; null before its first event. */
  #id: number | null = null
  /** Remarks that wait until the representation has been checked; null if they are reported at once. */
  #heldRemarks: RetrievalEvent[] | null = null

  constructor(session: Session, resolution: Resolution, login: GivenLogin, index: number) {
    this.#session = session
    this.index = index
    this.resolution = resolution
    this.#login = login
    this.facts = new Facts(session.run.servers)
    this.facts.findings = resolution.findings
    const { include, request, sendsLoginAtOnce } = session.run.config
    this.heads = new Heads(!sendsLoginAtOnce)
    this.#wantsHeads = include || request.head === true || session.headDump !== null
  }

  /** The resolution with the user of -u. The client retrieves this one. */
  get entered(): Resolution {
    return this.#login.entered()
  }

  /** Begins the retrieval. Remarks are reported only if `check` accepts the representation. */
  async begin({ progress = false, from = 0, ...beginning }: Beginning = {}): Promise<Representation> {
    const retrieving = this.#session.client.retrieve(this.entered, {
      ...this.request({ progress, from }),
      signal: this.#session.run.signal,
    })
    const representation = await retrieving.catch(async (error) => {
      await this.failed()
      throw error
    })
    await this.opened(representation, beginning)
    return representation
  }

  /** The options for the client. */
  request({ progress = false, from = 0 }: Beginning): RetrieveOptions {
    const { config, output, signal } = this.#session.run
    // The URL is already absolute, so it needs no base. But a cid or mid URL names a part of the message at the base.
    const { base, ...request } = config.request
    const { mechanism } = this.resolution.plan
    const isPart = mechanism === 'message'
    const hasMessages = mechanism === 'mqtt' || mechanism === 'ws'
    const { login } = this.#login
    const form = formFiller(this.resolution, config.form, output, signal)
    const isShown = progress && output.stderrIsTerminal && !config.silent && !config.json
    this.#meter = isShown ? this.#session.progress.open(nameOf(this.facts.file, this.resolution.url)) : null
    this.#heldRemarks = from === 0 ? null : []
    this.#id = null
    return {
      ...request,
      ...(isPart && base !== undefined && { base }),
      ...(login !== null && { login }),
      ...(form !== null && { form }),
      ...(config.json && hasMessages && { jsonMessages: true }),
      ...(from !== 0 && { resumeFrom: from }),
      ...(this.#wantsHeads && { onHead: (octets: string) => this.heads.add(octets) }),
      ...this.#session.run.traceFile?.listener,
      onEvent: this.#listener(),
    }
  }

  /** Callers must call this when the representation has come. Throws what `check` throws. */
  async opened(representation: Representation, { check, anew = null }: Beginning = {}): Promise<void> {
    await this.#endHeads()
    try {
      check?.(representation)
    } catch (error) {
      // A representation that is not used needs no remarks, so they are dropped.
      this.#heldRemarks = []
      await representation.cancel()
      throw error
    }
    // A listing replaces no file, so it is not reported as coming anew.
    if (anew !== null && representation.offset === 0 && representation.kind === 'object') this.#reportAnew(anew)
    this.#reportRemarks()
    this.facts.representation = representation
    if (this.#session.run.config.hashes?.sha256) this.facts.hash = representation.hash('sha256')
    // Gopher texts and binaries without an end mark come here (threats.md R25 and R26).
    if (representation.completeness !== 'eof-only') return
    this.#session.run.report.detail('the server marks the end of the body only by closing the connection')
  }

  /** Callers must call this when no representation comes. */
  async failed(): Promise<void> {
    this.#reportRemarks()
    await this.#endHeads()
  }

  async #endHeads(): Promise<void> {
    const { headDump } = this.#session
    if (!this.heads.end() || headDump === null) return
    await headDump.write(this.heads.octets, shownHead)
    this.heads.onLate = (octets) => headDump.add(octets, shownHead)
  }

  #listener(): (event: RetrievalEvent) => void {
    const listener = (event: RetrievalEvent): void => this.#onEvent(event)
    const { config, traceFile } = this.#session.run
    const { verbose, json, writeOut, hashes } = config
    const isRecorded = verbose || json || writeOut !== null || hashes?.sha256 || traceFile !== null
    return isRecorded || this.#wantsHeads || this.#meter !== null ? listener : listeningTo(usual, listener)
  }

  #onEvent(event: RetrievalEvent): void {
    const { run } = this.#session
    if (this.#id === null) this.onBegun?.()
    this.#id ??= event.id
    // The retrieval of a part also has the events of the message or folder that contains it.
    const isOwn = event.id === this.#id
    if (isOwn || event.type === 'connected' || event.type === 'secured') this.facts.event(event)
    if (this.#wantsHeads) this.heads.event(event)
    run.traceFile?.event(event)
    if (isOwn && event.type === 'progress') this.#meter?.update(event.received, event.size)
    if (isOwn && event.type === 'done') this.#meter?.end()
    if (event.type === 'remark' && this.#heldRemarks !== null) this.#heldRemarks.push(event)
    else run.report.event(event)
  }

  #reportAnew(why: string): void {
    this.#heldRemarks = (this.#heldRemarks ?? []).filter((event) => !isOnResuming(event))
    this.#session.run.report.notice({ operand: this.resolution.url, message: why })
  }

  #reportRemarks(): void {
    const remarks = this.#heldRemarks ?? []
    this.#heldRemarks = null
    for (const remark of remarks) this.#session.run.report.event(remark)
  }
}

/** The events that the command needs unless its options ask for more. Making all takes a tenth of a small retrieval. */
const usual: ReadonlySet<RetrievalEvent['type']> = new Set(['resolved', 'redirected', 'retried', 'remark', 'done'])

function isOnResuming(event: RetrievalEvent): boolean {
  return event.type === 'remark' && event.advice?.option === 'resumeFrom'
}

/** The name of a body in the progress: that of its file, or else its URL. */
function nameOf(file: string | null, url: string): string {
  return file === null ? redact(url) : basename(file)
}
