import { defaultLimits } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { ExactReader } from '../../packages/fetchers/src/wire/exact-reader.ts'

const deadline = new RetrievalDeadline('', defaultLimits)
const context = { deadline } as Partial<RetrievalContext> as RetrievalContext

test('a frame of many pieces is whole, though each piece is valid until the next read only', async () => {
  const memory = Buffer.alloc(3)
  const pieces = ['abc', 'd', 'ef', 'ghi', 'j']
  const source = {
    read: async () => {
      const piece = pieces.shift()
      memory.fill('-')
      return piece === undefined ? null : memory.subarray(0, memory.write(piece))
    },
  }
  const reader = new ExactReader(source, context)
  expect((await reader.exactly(2, 'body'))?.toString()).toBe('ab')
  expect((await reader.exactly(6, 'body'))?.toString()).toBe('cdefgh')
  expect((await reader.exactly(2, 'body'))?.toString()).toBe('ij')
  expect(await reader.exactly(1, 'body')).toBeNull()
})
