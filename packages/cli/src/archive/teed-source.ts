import { RetrievalError } from '@retriever/core'
import type { ByteSource, Sink } from '@retriever/fetchers/plugin'

/** What gets a copy of a body. */
export interface Copy {
  /** Throws if the octets cannot be kept. */
  write(octets: Uint8Array): void
  /** The octets come anew from the first one. */
  startOver(): void
  /** The body is over. `cut` says why it is not whole, in the words of WARC-Truncated; null if it is. */
  end(cut: Cut | null): Promise<void>
  /** The copy is given up, because octets could not be kept. */
  fail(error: unknown): void
}

export type Cut = 'length' | 'time' | 'disconnect' | 'unspecified'

/** A body of which a copy is kept. Its end waits until the copy is written, so that copies do not pile up. */
export class TeedSource implements ByteSource {
  readonly #source: ByteSource
  readonly #copy: Copy
  #ending: Promise<void> | undefined

  constructor(source: ByteSource, copy: Copy) {
    this.#source = source
    this.#copy = copy
    if (source.restartInto !== undefined) this.restartInto = (sink) => source.restartInto?.(this.#restarting(sink))
  }

  restartInto?: (sink: Sink) => void

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    let chunk: Uint8Array | null
    try {
      chunk = await this.#source.read()
    } catch (error) {
      await this.#end(cutBy(error))
      throw error
    }
    if (chunk === null) await this.#end(null)
    else if (this.#ending === undefined) this.#keep(chunk)
    return chunk
  }

  #keep(chunk: Uint8Array): void {
    try {
      this.#copy.write(chunk)
    } catch (error) {
      this.#ending = Promise.resolve()
      this.#copy.fail(error)
      throw error
    }
  }

  async cancel(): Promise<void> {
    try {
      await this.#source.cancel()
    } finally {
      await this.#end('unspecified')
    }
  }

  #end(cut: Cut | null): Promise<void> {
    this.#ending ??= this.#copy.end(cut)
    return this.#ending
  }

  #restarting(sink: Sink): Sink {
    const copy = this.#copy
    return {
      get startOver() {
        const { startOver } = sink
        if (startOver === null) return null
        return async () => {
          await startOver()
          copy.startOver()
        }
      },
    }
  }
}

function cutBy(error: unknown): Cut {
  const code = RetrievalError.is(error) ? error.code : undefined
  if (code === 'timeout') return 'time'
  return code === 'limit-exceeded' ? 'length' : 'disconnect'
}
