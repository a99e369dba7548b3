/** Octets that come piece by piece, each piece lent until the next. */
type Octets = AsyncIterator<Uint8Array>

/**
 * What comes behind the tail, which must come first, as it is: the octets that the caller has already are those of
 * the resource then. Null, and the octets are given up, where others come.
 */
export async function behindTail(octets: Octets, tail: Uint8Array): Promise<AsyncIterableIterator<Uint8Array> | null> {
  for (let expected = tail; expected.length > 0; ) {
    const { done, value } = await octets.next()
    if (done === true) return null
    const again = value.subarray(0, expected.length)
    if (Buffer.compare(again, expected.subarray(0, again.length)) !== 0) {
      await octets.return?.()
      return null
    }
    expected = expected.subarray(again.length)
    if (again.length < value.length) return preceded(value.subarray(again.length), octets)
  }
  return preceded(null, octets)
}

function preceded(first: Uint8Array | null, octets: Octets): AsyncIterableIterator<Uint8Array> {
  let held = first
  const rest: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => rest,
    async next() {
      const value = held
      held = null
      return value === null ? octets.next() : { done: false, value }
    },
    async return() {
      await octets.return?.()
      return { done: true, value: undefined }
    },
  }
  return rest
}
