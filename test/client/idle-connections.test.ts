/** Idle connections: there is one budget for those of all hosts. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'

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
      server.listen(0, `127.0.2.${n + 1}`)
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
  await using site = await servers(200, () => createServer((_, response) => response.end('x')))
  await using client = createClient()
  const urls = site.places.map((place) => `http://${place}/`)
  for (let round = 0; round < 2; round++) {
    let count = 0
    for await (const { value } of client.mapAll(urls, (representation) => representation.text())) {
      if (value === 'x') count++
    }
    expect(count).toBe(200)
  }
  // 128 are idle, 16 in use; the servers learn a little later that others were closed.
  expect(site.most()).toBeLessThan(180)
})

test('those of sessions count as well', async () => {
  const gopher = (): Server =>
    createTcpServer((socket) => {
      socket.write('220 Ready.\r\n')
      socket.on('data', (octets) => {
        for (const line of octets.toString().trim().split('\r\n')) socket.write(replyTo(line))
      })
    })
  await using site = await servers(160, gopher)
  await using client = createClient()
  const urls = site.places.map((place) => `ftp://${place}/x`)
  let failed = 0
  for await (const { error } of client.mapAll(urls, (representation) => representation.text())) {
    if (error !== null) failed++
  }
  expect(failed).toBe(160)
  expect(site.most()).toBeLessThan(155)
})

/** FTP for a file that is not there, so that no data connection is needed. */
function replyTo(line: string): string {
  const [verb = ''] = line.split(' ')
  if (verb === 'USER') return '331 Go on.\r\n'
  if (verb === 'PASS') return '230 Welcome.\r\n'
  if (verb === 'PWD') return '257 "/"\r\n'
  if (verb === 'TYPE' || verb === 'OPTS') return '200 Well.\r\n'
  return '550 No such file.\r\n'
}
