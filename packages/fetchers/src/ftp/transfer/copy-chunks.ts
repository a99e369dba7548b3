/** The same chunks, each the consumer's own: those of a data connection are overwritten by the next. */
export function copyChunks(lent: AsyncIterableIterator<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const result = await lent.next()
      return result.done === true ? result : { done: false, value: Uint8Array.prototype.slice.call(result.value) }
    },
    async return() {
      await lent.return?.()
      return { done: true, value: undefined }
    },
  }
}
