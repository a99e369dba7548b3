import { RetrievalError } from '@retriever/core'
import { defaultLimits } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { definitions } from '../../packages/fetchers/src/protocols/dict/definitions.ts'
import { ExactReader } from '../../packages/fetchers/src/wire/exact-reader.ts'
import { LineReader } from '../../packages/fetchers/src/wire/framing/lines.ts'

/** Octets that never make their reader wait, until there have been so many that no reader parses them in 50 ms. */
function storm(text: string) {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
  let left = 400
  return { read: async () => (left-- > 0 ? chunk : null), left: () => left }
}

function context(): RetrievalContext {
  const limits = { ...defaultLimits, totalTimeout: 50 }
  const deadline = new RetrievalDeadline('dict://localhost/', limits)
  const given: Partial<RetrievalContext> = {
    url: 'dict://localhost/',
    limits,
    deadline,
    emit: () => {},
    error: (code, message, details) => new RetrievalError(code, message, { phase: 'body', ...details }),
  }
  return given as RetrievalContext
}

test('property 21: totalTimeout ends a stream of empty definitions that never pauses', async () => {
  const peer = storm('151 word db\r\n.\r\n')
  const told = context()
  const read = async () => {
    for await (const _ of definitions({ announced: undefined, number: 2 ** 40 }, new LineReader(peer, told), told)) {
    }
  }
  await expect(read()).rejects.toMatchObject({ code: 'timeout' })
  expect(peer.left()).toBeGreaterThan(0)
})

test('property 21: totalTimeout ends a stream of short frames that never pauses', async () => {
  const peer = storm('\x01')
  const told = context()
  const reader = new ExactReader(peer, told)
  const read = async () => {
    while ((await reader.exactly(1, 'body')) !== null);
  }
  await expect(read()).rejects.toMatchObject({ code: 'timeout' })
  expect(peer.left()).toBeGreaterThan(0)
})
