/**
 * Yields what a source gives, and reads up to `most` elements ahead of those that were taken. Calls `onEnd` when the
 * source has been read to its end. An error of the source comes after all that it gave before.
 */
export async function* readAhead<T>(source: AsyncIterable<T>, most: number, onEnd: () => void): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  const read: T[] = []
  let error: { readonly cause: unknown } | null = null
  let isOver = false
  let changed = (): void => {}
  let taken = (): void => {}
  const fill = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !isOver && next.done !== true; next = await iterator.next()) {
        read.push(next.value)
        changed()
        while (!isOver && read.length >= most) await new Promise<void>((resolve) => (taken = resolve))
      }
      if (!isOver) onEnd()
    } catch (cause) {
      error = { cause }
    }
    isOver = true
    changed()
  }
  void fill()
  try {
    while (!isOver || read.length > 0) {
      const [element] = read.splice(0, 1)
      taken()
      if (element !== undefined) yield element
      else await new Promise<void>((resolve) => (changed = resolve))
    }
    if (error !== null) throw (error as { readonly cause: unknown }).cause
  } finally {
    isOver = true
    taken()
    // A source that waits for its next element cannot be closed before that comes, so nobody waits for this; its signal
    // ends it.
    void Promise.resolve(iterator.return?.()).catch(() => {})
  }
}
