/** Idle connections: there is one budget for those of all hosts. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { endHeaders, endStream, headers200, type OnStream, rawHttp2 } from '../protocols/http/support/raw-http2.ts'

/** Makes servers at so many addresses of this machine, which count their connections together. */
async function servers(count: number, make: () => Server) {
  let open = 0
  let most = 0
  const all = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const server = make()
      server.on('connection', (socket) => {
        most = Math.max(most, ++open)
        socket.on('close', () => open--)
        socket.on('error', () => {})
      })
      server.listen(0, `127.0.${2 + Math.floor(n / 250)}.${(n % 250) + 1}`)
      await once(server, 'listening')
      const address = server.address()
      return { server, place: typeof address === 'object' ? `${address?.address}:${address?.port}` : '' }
    }),
  )
  return {
    places: all.map(({ place }) => place),
    most: () => most,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(({ server }) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

test('those of many hosts are closed, and those of the hosts used last are kept', async () => {
  await using site = await servers(640, () => createServer((_, response) => response.end('x')))
  await using client = createClient()
  const urls = site.places.map((place) => `http://${place}/`)
  for (let round = 0; round < 2; round++) {
    let count = 0
    for await (const { value } of client.mapAll(urls, (representation) => representation.text())) {
      if (value === 'x') count++
    }
    expect(count).toBe(640)
  }
  // 512 are idle, 16 in use; the servers learn a little later that others were closed.
  expect(site.most()).toBeLessThan(600)
})

test('those of HTTP/2 count while they have no stream, and only then', async () => {
  const held: (() => void)[] = []
  const hold: OnStream = (stream, send, { count }) => {
    send({ type: 'headers', flags: endHeaders, stream, payload: headers200() })
    const end = (): void => send({ type: 'data', flags: endStream, stream, payload: 'whole' })
    if (count === 0) held.push(end)
    else end()
  }
  await using busy = await rawHttp2(hold)
  await using idle = await rawHttp2((stream, send, { socket }) =>
    hold(stream, send, { socket, connection: 0, count: 1 }),
  )
  await using site = await servers(640, () => createServer((_, response) => response.end('x')))
  await using client = createClient({ tls: { ca: testCa } })
  const text = async (url: string): Promise<string> => (await client.retrieve(url)).text()
  // The second stream of this connection ends while the first one goes on.
  const waiting = await client.retrieve(busy.url)
  expect(await text(busy.url)).toBe('whole')
  expect(await text(idle.url)).toBe('whole')
  const urls = site.places.map((place) => `http://${place}/`)
  for await (const { error } of client.mapAll(urls, (representation) => representation.text())) expect(error).toBe(null)
  // It was closed when the 513th connection became idle, which its server learns later. After 4 s it is closed anyway.
  const closed = (): boolean[] => idle.connections.map(({ destroyed }) => destroyed)
  await expect.poll(closed, { timeout: 2500, interval: 5 }).toEqual([true])
  for (const end of held) end()
  expect(await waiting.text()).toBe('whole')
  expect([busy.connections.length, busy.streams()]).toEqual([1, 2])
})

test('those of sessions count as well', async () => {
  const news = (): Server =>
    createTcpServer((socket) => {
      socket.write('200 Ready.\r\n')
      socket.on('data', (octets) => {
        for (const line of octets.toString().trim().split('\r\n')) socket.write(replyTo(line))
      })
    })
  await using site = await servers(640, news)
  await using client = createClient({ policy: { allow: ['foreign-port'] } })
  const urls = site.places.map((place) => `news://${place}/a@b`)
  let failed = 0
  for await (const { error } of client.mapAll(urls, (representation) => representation.text())) {
    if (RetrievalError.is(error) && error.code === 'not-found') failed++
  }
  expect(failed).toBe(640)
  expect(site.most()).toBeLessThan(600)
})

/** News without the article that is asked for. */
function replyTo(line: string): string {
  const [verb = ''] = line.split(' ')
  if (verb === 'ARTICLE') return '430 No such article.\r\n'
  return verb === 'MODE' ? '200 Ready.\r\n' : '500 What?\r\n'
}
