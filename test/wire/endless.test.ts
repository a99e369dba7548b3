/** Cases 42 and 43 of docs/internals/threats.md: answers without end, for the protocols that read lines. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { createClient } from '@retriever/fetchers'
import { startDictServer, startNntpServer, startPop3Server, testCa } from '@retriever/servers'
import { expect, onTestFinished, test } from 'vitest'
import { testCertificate, testKey } from '../servers/src/certificate.ts'
import { entriesOf } from '../support/entries.ts'
import { failure } from '../support/failure.ts'

const limits = { maxRetries: 0, idleTimeout: 20_000 }

test.each([
  ['dict', 'd:x', '220 '],
  ['gemini', '', '20 '],
  ['gopher', '', 'iText'],
  ['nntp', 'a.b', '200 '],
  ['pop', '1', '+OK '],
])('case 42, a line without end of %s ends at a limit', async (scheme, path, beginning) => {
  const serve = (socket: Socket): void => {
    const go = (): void => {
      while (socket.writable && socket.write('x'.repeat(10_000)));
    }
    socket.on('drain', go).on('error', () => {})
    socket.write(beginning)
    go()
  }
  const server =
    scheme === 'gemini' ? createTlsServer({ cert: testCertificate, key: testKey }, serve) : createServer(serve)
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await using client = createClient({ limits, tls: { ca: testCa }, policy: { allow: ['foreign-port'] } })
  const reading = client.retrieve(`${scheme}://127.0.0.1:${port}/${path}`).then(entriesOf)
  expect(await failure(reading)).toMatchObject({ code: 'limit-exceeded' })
})

test.each([
  [startDictServer, 'SHOW', '110 9 here\r\n', 'name "text"\r\n', 'show:db'],
  [startNntpServer, 'LIST', '215 here\r\n', 'a.group 3 1 y\r\n', '*'],
  [startPop3Server, 'LIST', '+OK here\r\n', '1 100\r\n', ''],
])('case 43, a listing of %o that is too long ends at limits.maxListing', async (start, verb, first, line, path) => {
  await using server = await start({ faults: { replies: { [verb]: first + line.repeat(3000) } } })
  const credentials = () => ({ user: 'alice', password: 'secret' })
  await using client = createClient({ limits: { ...limits, maxListing: 10_000 }, credentials })
  const reading = client.retrieve(`${server.url}${path}`).then(entriesOf)
  expect(await failure(reading)).toMatchObject({ code: 'limit-exceeded' })
})
