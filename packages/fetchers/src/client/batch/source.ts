import { invalidOption } from '../../kit/limits.ts'
import type { BatchEntry, BatchItem, BatchSource } from './outcome.ts'

/** One element of the caller's list, and its position. */
export interface Listed<Key> {
  readonly entry: BatchEntry<Key>
  readonly index: number
}

/** Throws `invalid-option` unless the value is a list. A string is a list of characters, but not one of URLs. */
export function checkSource(source: unknown): void {
  const isList =
    typeof source === 'object' && source !== null && (Symbol.iterator in source || Symbol.asyncIterator in source)
  if (!isList) throw invalidOption('urls', 'an iterable or async iterable of URLs (one URL goes into an array)', source)
}

export function isItem<Key>(entry: BatchEntry<Key>): entry is BatchItem<Key> {
  return typeof entry === 'object' && entry !== null && !('plan' in entry) && !('href' in entry)
}

export function priorityOf<Key>(entry: BatchEntry<Key>): number {
  return (isItem(entry) ? entry.priority : undefined) ?? 0
}

/** The caller's list, read one element at a time. */
export interface SourceReader<Key> {
  /** True: the elements are in memory already, so reading far ahead costs little. */
  readonly isInMemory: boolean
  /** True once the list has no further elements. */
  readonly isOver: boolean
  /** Null: the list has ended. Throws or rejects with the error of the list. */
  next(): Listed<Key> | null | Promise<Listed<Key> | null>
  /** Tells the list that no more of it is read. */
  close(): Promise<void>
}

export function readerOf<Key>(source: BatchSource<Key>): SourceReader<Key> {
  if (Symbol.asyncIterator in source) return new AsyncReader(source)
  return Array.isArray(source) ? new ArrayReader(source) : new IterableReader(source)
}

class ArrayReader<Key> implements SourceReader<Key> {
  readonly isInMemory = true
  readonly #elements: readonly Listed<Key>[] | null
  readonly #source: readonly BatchEntry<Key>[]
  readonly #count: number
  #at = 0

  constructor(source: readonly BatchEntry<Key>[]) {
    this.#source = source
    this.#count = source.length
    this.#elements = source.some((entry) => priorityOf(entry) !== 0) ? byPriority(source) : null
  }

  get isOver(): boolean {
    return this.#at >= this.#count
  }

  next(): Listed<Key> | null {
    if (this.isOver) return null
    const index = this.#at++
    // A hole of the array is no URL, and its outcome says so.
    return this.#elements?.[index] ?? { entry: this.#source[index] as BatchEntry<Key>, index }
  }

  async close(): Promise<void> {}
}

function byPriority<Key>(source: readonly BatchEntry<Key>[]): readonly Listed<Key>[] {
  // Unlike map(), it gives a hole its index, too.
  const elements = Array.from(source, (entry, index) => ({ entry, index }))
  return elements.sort((one, other) => priorityOf(other.entry) - priorityOf(one.entry))
}

class IterableReader<Key> implements SourceReader<Key> {
  readonly isInMemory = false
  isOver = false
  readonly #iterator: Iterator<BatchEntry<Key>>
  #count = 0

  constructor(source: Iterable<BatchEntry<Key>>) {
    this.#iterator = source[Symbol.iterator]()
  }

  next(): Listed<Key> | null {
    // An iterator that throws has ended.
    this.isOver = true
    const { done, value } = this.#iterator.next()
    if (done === true) return null
    this.isOver = false
    return { entry: value, index: this.#count++ }
  }

  async close(): Promise<void> {
    if (!this.isOver) this.#iterator.return?.()
    this.isOver = true
  }
}

class AsyncReader<Key> implements SourceReader<Key> {
  readonly isInMemory = false
  isOver = false
  readonly #iterator: AsyncIterator<BatchEntry<Key>>
  #count = 0
  #isReading = false

  constructor(source: AsyncIterable<BatchEntry<Key>>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  async next(): Promise<Listed<Key> | null> {
    this.#isReading = true
    try {
      const { done, value } = await this.#iterator.next()
      if (done !== true) return { entry: value, index: this.#count++ }
      this.isOver = true
      return null
    } catch (error) {
      this.isOver = true
      throw error
    } finally {
      this.#isReading = false
    }
  }

  async close(): Promise<void> {
    if (this.isOver) return
    this.isOver = true
    // A generator that waits for something cannot be left before it has come.
    const left = this.#iterator.return?.()
    if (this.#isReading) left?.catch(() => {})
    else await left
  }
}
