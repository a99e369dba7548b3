/** How much one client of a gateway gets. Its address is that of its connection. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { startServers } from '@retriever/servers'
import { afterAll, expect, test } from 'vitest'
import { Clients } from '../../packages/gateway/src/clients.ts'
import { startScripted } from './support/origin.ts'
import { startPages } from './support/pages.ts'
import { exchange, parse, type RawAnswer, startProxy } from './support/proxy.ts'

const servers = await startServers({ gopher: true })
afterAll(() => servers.close())

const get = async (port: number, target: string, from?: string, fields = ''): Promise<RawAnswer> =>
  parse(
    await exchange(
      port,
      `GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n${fields}\r\n`,
      from,
    ),
  )

test('a client that asks too often gets 429 and the time to wait, and others are answered', async () => {
  await using proxy = await startProxy({ limits: { clientRate: 0.01 } })
  const url = `${servers.gopher.url}0/readme.txt`
  expect((await get(proxy.port, url)).status).toBe(200)
  const contacts = servers.gopher.accepted
  const refused = await get(proxy.port, url)
  // Less than 100 if the machine is so busy that seconds have passed.
  expect(refused).toMatchObject({ status: 429, fields: { 'retry-after': expect.stringMatching(/^(?:100|\d\d)$/) } })
  expect(JSON.parse(String(refused.body)).detail).toBe(
    'The gateway answers 0.01 requests of a client a second; wait, and try again.',
  )
  const tunnel = await exchange(proxy.port, 'CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: h\r\n\r\n')
  expect(parse(tunnel).status).toBe(429)
  expect(servers.gopher.accepted).toBe(contacts)
  expect((await get(proxy.port, url, '127.0.0.2')).status).toBe(200)
})

test('a body of fetch() that its caller has forgotten gives its place back', async () => {
  await using proxy = await startProxy({ limits: { requests: 1, idleTimeout: 1000 } })
  // More than waits in the streams between.
  await using origin = await startScripted(`HTTP/1.0 200 OK\r\n\r\n${'x'.repeat(4_000_000)}`)
  const ask = (): Promise<Response> => proxy.gateway.proxy.fetch(new Request(`http://127.0.0.1:${origin.port}/`))
  const forgotten = await ask()
  expect(forgotten.status).toBe(200)
  expect((await ask()).status).toBe(503)
  // The stream is watched, and not read.
  await expect(forgotten.body?.getReader().closed).rejects.toThrow('1000 ms (limits.idleTimeout)')
  expect((await ask()).status).toBe(200)
})

test.each(['headTimeout', 'idleTimeout'])('a time that Node cannot take for %s is an invalid option', async (name) => {
  for (const time of [0, 1.5, 2 ** 31, Number.POSITIVE_INFINITY]) {
    await expect(startProxy({ limits: { [name]: time } })).rejects.toMatchObject({ code: 'invalid-option' })
  }
})

test('a wrong token counts, so that nobody tries many', async () => {
  await using proxy = await startProxy({ policy: { token: 'a'.repeat(20) }, limits: { clientRate: 0.01 } })
  const login = `Proxy-Authorization: Bearer ${'a'.repeat(20)}\r\n`
  expect((await get(proxy.port, 'gopher://127.0.0.1:25/')).status).toBe(407)
  expect((await get(proxy.port, 'gopher://127.0.0.1:25/', '127.0.0.1', login)).status).toBe(429)
})

test('the pages count, too', async () => {
  await using pages = await startPages({ limits: { clientRate: 0.01 } })
  expect((await get(pages.port, '/robots.txt')).status).toBe(200)
  expect((await get(pages.port, '/')).status).toBe(429)
  expect((await get(pages.port, '/', '127.0.0.2')).status).toBe(200)
})

test('a client that has enough requests under way gets 429 until one ends', async () => {
  await using proxy = await startProxy({ limits: { clientRequests: 1 } })
  await using silent = await startScripted('', 'wait')
  const waiting = connect(proxy.port, '127.0.0.1')
  waiting.write(`GET http://127.0.0.1:${silent.port}/ HTTP/1.1\r\nHost: h\r\n\r\n`)
  await expect.poll(() => silent.received.length).toBe(1)
  const url = `${servers.gopher.url}0/readme.txt`
  expect(await get(proxy.port, url)).toMatchObject({ status: 429, fields: { 'retry-after': '1' } })
  expect((await get(proxy.port, url, '127.0.0.2')).status).toBe(200)
  waiting.destroy()
  await once(waiting, 'close')
  await expect.poll(() => silent.sockets.size).toBe(0)
  expect((await get(proxy.port, url)).status).toBe(200)
})

test('a request that finds no place takes none of those of its client', async () => {
  await using proxy = await startProxy({ limits: { requests: 1, clientRequests: 2 } })
  await using silent = await startScripted('', 'wait')
  const waiting = connect({ port: proxy.port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  waiting.write(`GET http://127.0.0.1:${silent.port}/ HTTP/1.1\r\nHost: h\r\n\r\n`)
  await expect.poll(() => silent.received.length).toBe(1)
  const url = `${servers.gopher.url}0/readme.txt`
  for (const _try of [1, 2, 3]) expect((await get(proxy.port, url)).status).toBe(503)
  waiting.destroy()
  await expect.poll(async () => (await get(proxy.port, url)).status).toBe(200)
})

test('what a client may ask for comes back with time, and no more than a second of it', () => {
  let now = 0
  const clients = new Clients({ clientRate: 2, clientRequests: 10 }, () => now)
  const tries = (address: string, count: number): number => {
    let passed = 0
    for (let index = 0; index < count; index++) {
      try {
        clients.enter(address)()
        passed++
      } catch {
        break
      }
    }
    return passed
  }
  expect(tries('10.0.0.1', 5)).toBe(2)
  now += 500
  expect(tries('10.0.0.1', 5)).toBe(1)
  now += 3_600_000
  expect(tries('10.0.0.1', 5)).toBe(2)
  expect(tries('::ffff:10.0.0.1', 5)).toBe(0)
  expect(tries('2001:db8:0:1::1', 5)).toBe(2)
  expect(tries('2001:db8:0:1:ffff:1:2:3', 5)).toBe(0)
  expect(tries('2001:db8:0:2::1', 5)).toBe(2)
  expect(tries('fe80::1%eth0', 5)).toBe(2)
})
