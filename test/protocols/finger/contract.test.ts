import { createClient } from '@retriever/fetchers'
import { startFingerServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

const alice = 'Login: alice\r\nName: Alice Example\r\n'

testFetcher({
  mechanism: 'finger',
  bytes: Buffer.from(alice),
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  unframed: true,
  async start(faults = {}) {
    const server = await startFingerServer({ faults })
    return { server, object: `${server.url}alice` }
  },
})

test.each([
  ['', '', 'Login     Name\r\nalice     Alice Example\r\nbob       Bob Example\r\n'],
  ['alice', 'alice', alice],
  ['/W%20bob', '/W bob', 'Login: bob\r\nName: Bob Example\r\nPlan:\r\nGrüße an alle.\r\n'],
  ['alice@other.example', 'alice@other.example', 'Finger forwarding service denied\r\n'],
  ['zoe', 'zoe', 'finger: zoe: no such user.\r\n'],
])('the path %j sends the line %j (RFC 1288 2.3)', async (path, line, answer) => {
  await using server = await startFingerServer()
  await using client = createClient()
  const representation = await client.retrieve(server.url + path)
  expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/plain', completeness: 'eof-only' })
  expect(await representation.text()).toBe(answer)
  expect(server.received).toEqual([line])
})

test('a user before the host is the query', async () => {
  await using server = await startFingerServer()
  await using client = createClient()
  expect(Buffer.from(await bytesOf(client, `finger://alice@127.0.0.1:${server.port}`)).toString()).toBe(alice)
})

test('an answer without an octet is an empty text', async () => {
  await using server = await startFingerServer({ faults: { replies: { nobody: '' } } })
  await using client = createClient()
  expect(await bytesOf(client, `${server.url}nobody`)).toHaveLength(0)
})

test.each(['finger://127.0.0.1:1/a%0D%0Ab', 'finger://127.0.0.1:25/x'])('%s is refused', async (url) => {
  await using client = createClient()
  await expect(client.retrieve(url)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
})

test('a range is refused', async () => {
  await using client = createClient()
  await expect(client.retrieve('finger://127.0.0.1/x', { range: [0, 1] })).rejects.toMatchObject({
    code: 'range-refused',
  })
})
