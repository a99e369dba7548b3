import type { ByteSource, Sink } from '../../contract/byte-source.ts'

/** A source that tells when it is over: its octets were read, broke off, or were given up. */
export class WatchedSource implements ByteSource {
  readonly #source: ByteSource
  readonly #ended: () => void
  #isOver = false

  constructor(source: ByteSource, ended: () => void = () => {}) {
    this.#source = source
    this.#ended = ended
    if (source.restartInto !== undefined) this.restartInto = (sink: Sink) => source.restartInto?.(sink)
  }

  restartInto?: (sink: Sink) => void

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    let chunk: Uint8Array | null = null
    try {
      chunk = await this.#source.read()
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
