/** How the pieces of a document are asked for: never two at once, and no wait for an acknowledgement between them. */
import { startWaisServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { body } from '../../support/outcome.ts'
import { field } from './support/fields.ts'
import { answerOf, NagleServer } from './support/nagle-server.ts'

const content = Buffer.alloc(38_765, '0123456789abcdef')
const pieces = [0, 10_000, 20_000, 30_000].map((start) => [start, Math.min(start + 10_000, content.length)])

test('a server that waits for an acknowledgement within each answer gets octets of the next request', async () => {
  await using server = await NagleServer.start(content)
  const { got, error } = await body(`${server.url}db/GIF/${content.length}/2=db;3=0%200%20/x;`)
  expect(error).toBeNull()
  expect(got?.equals(content)).toBe(true)
  expect(server).toMatchObject({ asked: pieces, early: 0 })
})

test('so it does for a document of unknown length', async () => {
  await using server = await NagleServer.start(content)
  const { got } = await body(`${server.url}db/GIF/2=db;3=0%200%20/x;`)
  expect(got?.equals(content)).toBe(true)
  expect(server).toMatchObject({ asked: [...pieces.slice(0, 3), [30_000, 40_000]], early: 0 })
})

test('a piece that is shorter than its answer announces is followed from where it ends', async () => {
  // Behind the text stands a field without a meaning, which makes the answer as long as one with the whole piece.
  const record = (octets: string): string => answerOf(field(153, field(127, octets)) + field(100, ' '.repeat(12_000)))
  const replies = [record('a'.repeat(9000)), record('of other octets'), record('b'.repeat(9000))]
  await using server = await startWaisServer({ faults: { chunking: [4096], replies: { RETRIEVE: replies } } })
  const { got } = await body(`${server.url}demo/GIF/18000/2=demo;3=0%2018000%20/x;`)
  expect(got?.toString()).toBe('a'.repeat(9000) + 'b'.repeat(9000))
  expect(server.received.map((line) => line.replace(/.* (\d+ \d+)$/, '$1'))).toEqual([
    '0 10000',
    '10000 18000',
    '9000 18000',
  ])
})

test('a server that sends more of a document than it was asked for has sent other octets', async () => {
  const record = (octets: string): string => answerOf(field(153, field(127, octets)))
  const replies = [record('a'.repeat(10_000)), record('b'.repeat(8001))]
  await using server = await startWaisServer({ faults: { replies: { RETRIEVE: replies } } })
  const { got, error } = await body(`${server.url}demo/GIF/18000/2=demo;3=0%2018000%20/x;`)
  expect([got, error]).toEqual([null, expect.objectContaining({ code: 'protocol-violation' })])
})
