/** Cases of docs/internals/threats.md, section 1, by number: TLS that was meant for another protocol. */
import type { TLSSocket } from 'node:tls'
import { createClient } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testCertificate, testKey } from '../../servers/src/certificate.ts'
import { failure } from '../../support/failure.ts'
import { ok } from './support/http-answers.ts'
import { scriptedHttp } from './support/scripted-http.ts'

const own = { cert: testCertificate, key: testKey }

test('case 68, ALPACA: a server that speaks ftp alone within TLS gets no request', async () => {
  await using server = await scriptedHttp(() => ok('x'), { tls: { ...own, ALPNProtocols: ['ftp'] } })
  await using client = createClient({ tls: { ca: testCa }, limits: { maxRetries: 0 } })
  expect(await failure(client.retrieve(server.url))).toMatchObject({ code: 'tls-failed', phase: 'tls' })
  expect(server.heads).toEqual([])
})

test('case 68, the server is told the name of the host and what is spoken', async () => {
  const told: unknown[] = []
  const script = ({ socket }: { readonly socket: unknown }): string => {
    const { servername, alpnProtocol } = socket as TLSSocket & { readonly servername: string }
    told.push([servername, alpnProtocol])
    return ok('x')
  }
  await using server = await scriptedHttp(script, { tls: { ...own, ALPNProtocols: ['http/1.1'] } })
  await using client = createClient({ tls: { ca: testCa } })
  expect(await (await client.retrieve(`https://localhost:${server.port}/`)).text()).toBe('x')
  expect(told).toEqual([['localhost', 'http/1.1']])
})
