import { RetrievalError } from '@retriever/core'
import { defaultLimits } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import type { RetrievalContext } from '../../../../packages/fetchers/src/contract/fetcher.ts'
import { RetrievalDeadline } from '../../../../packages/fetchers/src/kit/deadline.ts'
import { MemoryStore } from '../../../../packages/fetchers/src/protocols/http/cache/memory-store.ts'
import type { Stored } from '../../../../packages/fetchers/src/protocols/http/cache/stored.ts'
import { StoredBody } from '../../../../packages/fetchers/src/protocols/http/cache/stored-body.ts'

test('a body that is opened for a retrieval that was aborted meanwhile is closed', async () => {
  const deadline = new RetrievalDeadline('http://h/', defaultLimits)
  const aborted = new RetrievalError('aborted', 'http://h/: The retrieval was aborted.', { phase: 'body' })
  deadline.fail(aborted)
  let closed = 0
  const reader = { read: async () => null, cancel: async () => void closed++ }
  const body = new StoredBody(reader, { check: 0 } as Stored, { deadline } as unknown as RetrievalContext)
  expect(closed).toBe(1)
  await expect(body.read()).rejects.toBe(aborted)
})

test('a body that was not stored has no octets', async () => {
  const context = { deadline: new RetrievalDeadline('http://h/', defaultLimits) } as unknown as RetrievalContext
  expect(await new StoredBody(null, { check: 0 } as Stored, context).read()).toBe(null)
})

test('a body that memory has let go since the look at its response is a miss', async () => {
  expect(await new MemoryStore(1).open({ body: 'gone' } as Stored)).toBe(null)
})
