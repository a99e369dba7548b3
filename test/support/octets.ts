import type { Faults } from '@retriever/servers'
import { expect } from 'vitest'

/** 12 KiB in which no piece comes twice: octets that are lost, doubled or from elsewhere show. */
export const octets: Buffer = scrambled(12 * 1024)

/** Every way in which segments may be cut that makes a difference; the list is as good as random. */
export const chunkings: readonly NonNullable<Faults['chunking']>[] = [
  'whole',
  'bytes',
  'split-crlf',
  'glued',
  [3, 1, 40, 7, 2, 19, 1, 1, 90],
]

/** toEqual would look at each octet, and print them all. */
export function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.length).toBe(expected.length)
  expect(Buffer.compare(actual, expected), 'the same octets').toBe(0)
}

function scrambled(length: number): Buffer {
  let state = 1738
  return Buffer.from(
    Array.from({ length }, () => {
      // Numerical Recipes' generator: all that matters is that it repeats itself late.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 24
    }),
  )
}
