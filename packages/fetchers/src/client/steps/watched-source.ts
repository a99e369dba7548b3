import type { ByteSource, Sink } from '../../contract/byte-source.ts'
import type { Deadline } from '../../contract/deadline.ts'

/** A source that tells when it is over: its octets were read, broke off, or were given up. */
export class WatchedSource implements ByteSource {
  readonly #source: ByteSource
  readonly #ended: () => void
  readonly #deadline: Deadline | undefined
  #isOver = false

  /** `deadline` ends a source that need not listen to it by itself. */
  constructor(source: ByteSource, ended: () => void = () => {}, deadline?: Deadline) {
    this.#source = source
    this.#ended = ended
    this.#deadline = deadline
    deadline?.onAbort(() => void this.cancel().catch(() => {}))
    if (source.restartInto !== undefined) this.restartInto = (sink: Sink) => source.restartInto?.(sink)
  }

  restartInto?: (sink: Sink) => void

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    let chunk: Uint8Array | null = null
    try {
      const read = (): Promise<Uint8Array | null> => this.#source.read()
      chunk = await (this.#deadline?.unlimited(read) ?? read())
      return chunk
    } finally {
      if (chunk === null) this.#end()
    }
  }

  async cancel(): Promise<void> {
    if (this.#isOver) return
    try {
      await this.#source.cancel()
    } finally {
      this.#end()
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#ended()
  }
}
