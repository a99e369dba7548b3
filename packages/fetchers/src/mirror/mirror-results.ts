import type { RetrievalError } from '@retriever/core'
import { isPromise } from '../kit/listeners.ts'
import type { MirrorResult, MirrorSummary } from './mirror-options.ts'

/** What a result tells of its entry. */
interface Named {
  readonly path: string
  readonly url: string
}

const maxFailures = 1000

/** Reports and counts what happens to the entries of a tree. */
export class MirrorResults {
  readonly #counts = { saved: 0, skipped: 0, deleted: 0, failed: 0 }
  readonly #failures: MirrorSummary['failures'][number][] = []
  readonly #onResult: ((result: MirrorResult) => unknown) | undefined
  readonly #onError: (cause: unknown) => void
  #received = 0
  #isOver = false

  /** `onError` is called with what `onResult` throws, or its promise rejects with. */
  constructor(onResult: ((result: MirrorResult) => unknown) | undefined, onError: (cause: unknown) => void) {
    this.#onResult = onResult
    this.#onError = onError
  }

  get counts(): Omit<MirrorSummary, 'isComplete'> {
    return { ...this.#counts, received: this.#received, failures: this.#failures }
  }

  /** Stops all reports. */
  end(): void {
    this.#isOver = true
  }

  save({ path, url }: Named, file: string, size: number, resumedFrom = 0): void {
    this.#tell({ outcome: 'saved', path, url, file, size, resumedFrom })
  }

  /** Counts octets of a saved file that arrived over the network. */
  receive(octets: number): void {
    this.#received += octets
  }

  delete(path: string, file: string): void {
    this.#tell({ outcome: 'deleted', path, file })
  }

  skip({ path, url }: Named, reason: Extract<MirrorResult, { outcome: 'skipped' }>['reason']): void {
    this.#tell({ outcome: 'skipped', path, url, reason })
  }

  fail({ path, url }: Named, error: RetrievalError | null): void {
    if (error === null) return
    const result = { outcome: 'failed', path, url, error } as const
    if (this.#failures.length < maxFailures) this.#failures.push(result)
    this.#tell(result)
  }

  #tell(result: MirrorResult): void {
    if (this.#isOver) return
    this.#counts[result.outcome]++
    try {
      const returned = this.#onResult?.(result)
      if (isPromise(returned)) returned.then(undefined, this.#onError)
    } catch (error) {
      this.#onError(error)
    }
  }
}
