import type { Resolution } from '@retriever/core'
import type { Representation, ResumePoint, RetrievalEvent } from '@retriever/fetchers'
import type { Session } from './session.ts'
import { formFiller } from './terminal/form-prompt.ts'
import { Facts } from './write-out/facts.ts'

/** The retrieval of one URL by the command: its events become reports, progress and facts. */
export class Retrieval {
  /** The place of the URL in the command line, from 0. */
  readonly index: number
  /** The meaning of the URL as it was typed. */
  readonly resolution: Resolution
  /** What the events tell, for -w and --json. */
  readonly facts: Facts
  readonly #session: Session
  readonly #entered: () => Resolution
  #progressShown = false
  #statusLine: string | null = null
  /** Remarks that are held back until the representation has been checked; null: report them at once. */
  #heldRemarks: RetrievalEvent[] | null = null

  constructor(session: Session, resolution: Resolution, entered: () => Resolution, index: number) {
    this.#session = session
    this.index = index
    this.resolution = resolution
    this.#entered = entered
    this.facts = new Facts(session.servers)
    this.facts.findings = resolution.findings
  }

  /** The resolution with the user of -u, which the client retrieves. */
  get entered(): Resolution {
    return this.#entered()
  }

  /** The status line of the last response, `HTTP/1.1 200 OK`, one octet a character; null if it was not HTTP. */
  get statusLine(): string | null {
    return this.#statusLine
  }

  /**
   * Begins the retrieval. `progress`: show a progress bar, if the terminal and the options allow one. `from`: how many
   * octets the output file already has, and of which representation. `check` throws if the representation cannot be
   * used; remarks are reported only if it can.
   */
  async begin(
    progress: boolean,
    from: number | ResumePoint = 0,
    check: (representation: Representation) => void = () => {},
  ): Promise<Representation> {
    const { config, output, signal, report } = this.#session.run
    const { base: _, ...request } = config.request
    const form = formFiller(this.resolution, config.form, output, signal)
    this.#progressShown = progress && output.stderrIsTerminal && !config.silent && !config.json
    this.#heldRemarks = from === 0 ? null : []
    const retrieving = this.#session.client.retrieve(this.entered, {
      ...request,
      ...(form !== null && { form }),
      ...(from !== 0 && { resumeFrom: from }),
      signal,
      onEvent: (event) => this.#onEvent(event),
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
    this.facts.representation = representation
    if (config.hashes?.sha256) this.facts.hash = representation.hash('sha256')
    // These are Gopher texts and binaries without an end mark (security.md R25 and R26).
    if (representation.completeness === 'eof-only') report.detail('nothing but the end of the connection ends the body')
    return representation
  }

  #onEvent(event: RetrievalEvent): void {
    const { progress, run } = this.#session
    this.facts.event(event)
    if (event.type === 'progress' && this.#progressShown) progress.update(event.received, event.size)
    if (event.type === 'done') progress.end()
    if (event.type === 'received') this.#statusLine = /^HTTP\/[^\r\n]*/.exec(event.octets)?.[0] ?? null
    if (event.type === 'remark' && this.#heldRemarks !== null) this.#heldRemarks.push(event)
    else run.report.event(event)
  }

  #reportRemarks(): void {
    const remarks = this.#heldRemarks ?? []
    this.#heldRemarks = null
    for (const remark of remarks) this.#session.run.report.event(remark)
  }
}
