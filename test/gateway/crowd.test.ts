/** Many clients of a gateway, and clients that break off: nothing of them stays. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startServers } from '@retriever/servers'
import { afterAll, expect, test, vi } from 'vitest'
import { random } from '../support/random.ts'
import { isFull } from '../support/runs.ts'
import { ask, collect, startProxy } from './support/proxy.ts'

const servers = await startServers({ ftp: true, gopher: true, http: true })
afterAll(() => servers.close())

const seed = Number(process.env.RETRIEVER_SEED ?? 1 + (Date.now() % 1_000_000))
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPSocket')).length

test('hundreds of clients at once get the whole of what they ask for, or 503', async () => {
  const count = isFull ? 500 : 200
  await using proxy = await startProxy({ limits: { requests: 100 } })
  const url = `${servers.gopher.url}0/readme.txt`
  const { body } = await ask(proxy.port, url)
  const answers = await Promise.all(Array.from({ length: count }, () => ask(proxy.port, url)))
  const whole = answers.filter(({ status, isWhole, body: came }) => status === 200 && isWhole && came.equals(body))
  const busy = answers.filter(({ status, fields }) => status === 503 && fields['retry-after'] === '1')
  expect(whole.length).toBeGreaterThanOrEqual(100)
  expect(whole.length + busy.length).toBe(count)
  expect((await ask(proxy.port, url)).status).toBe(200)
})

test('clients that break off leave no place, no socket and no memory taken', async () => {
  const places = 20
  const rounds = isFull ? 32 : 4
  await using proxy = await startProxy({ limits: { requests: places } })
  const next = random(seed)
  const urls = [
    `${servers.ftp.url}big`,
    `${servers.gopher.url}9/big`,
    `${servers.http.url}big`,
    `${servers.ftp.url}pub/hello.txt`,
    `${servers.gopher.url}0/missing`,
  ]
  /** One client: it reads up to so many octets, or nothing, and goes. */
  const visit = async (): Promise<void> => {
    const url = urls[Math.floor(next() * urls.length)] ?? ''
    const most = Math.floor(next() ** 4 * 2 ** 20)
    const socket = connect(proxy.port, '127.0.0.1')
    const closed = once(socket, 'close')
    socket.on('error', () => {})
    socket.write(`GET ${url} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`)
    let read = 0
    socket.on('data', ({ length }) => {
      read += length
      if (read >= most) socket.destroy()
    })
    if (next() < 0.2) socket.destroy()
    await closed
  }
  const before = sockets()
  const heaps: number[] = []
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: places }, visit))
    await expect
      .poll(() => [servers.gopher.connections, servers.http.connections], { message: `seed ${seed}` })
      .toEqual([0, 0])
    collectGarbage()
    heaps.push(process.memoryUsage().heapUsed)
  }
  // All places can be taken again.
  const all = Array.from({ length: places }, () => ask(proxy.port, `${servers.gopher.url}0/readme.txt`))
  expect(
    (await Promise.all(all)).map(({ status }) => status),
    `seed ${seed}`,
  ).toEqual(all.map(() => 200))
  // Sessions of FTP are kept for a while, one for each place at most.
  expect(sockets() - before, `seed ${seed}`).toBeLessThanOrEqual(2 * places + 4)
  const [warm = 0] = heaps.slice(1)
  const grown = (heaps.at(-1) ?? 0) - warm
  expect(grown, `seed ${seed}: octets of heap in ${heaps.length} rounds`).toBeLessThan(8 * 2 ** 20)
})

test('requests that wait behind another one of their connection give their places back when it ends', async () => {
  const places = 20
  await using proxy = await startProxy({ limits: { requests: places } })
  const heads = [`${servers.gopher.url}9/big`, `${servers.gopher.url}0/readme.txt`, `${servers.http.url}big`].map(
    (url) => `GET ${url} HTTP/1.1\r\nHost: h\r\n\r\n`,
  )
  const clients = Array.from({ length: 6 }, () => {
    const socket = connect(proxy.port, '127.0.0.1').pause()
    socket.write(heads.join(''))
    return socket
  })
  await Promise.all(clients.map((socket) => once(socket, 'readable')))
  await expect.poll(() => servers.http.connections).toBe(clients.length)
  for (const socket of clients) socket.destroy()
  await expect.poll(() => [servers.gopher.connections, servers.http.connections]).toEqual([0, 0])
  const all = Array.from({ length: places }, () => ask(proxy.port, `${servers.gopher.url}0/readme.txt`))
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200))
})

test.each(['reads nothing', 'reads on', 'ends its half', 'leaves'])(
  'places come back of answers that wait whole behind another one, when the client %s',
  async (how) => {
    const places = 4
    await using proxy = await startProxy({ limits: { requests: places, idleTimeout: 300 } })
    const heads = ['9/big', '0/readme.txt', '0/readme.txt'].map(
      (path) => `GET ${servers.gopher.url}${path} HTTP/1.1\r\nHost: h\r\n\r\n`,
    )
    const socket = connect(proxy.port, '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write(heads.join(''))
    await once(socket, 'readable')
    await expect.poll(() => servers.gopher.connections).toBe(1)
    if (how === 'reads on') for (let read = 0; read < 2 ** 22; read += socket.read()?.length ?? 0) await setImmediate()
    if (how === 'ends its half') socket.end()
    if (how === 'leaves') socket.destroy()
    await expect.poll(() => servers.gopher.connections).toBe(0)
    const all = Array.from({ length: places }, () => ask(proxy.port, `${servers.gopher.url}0/readme.txt`))
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200))
    socket.destroy()
  },
)

test('a request leaves nothing at the gateway, and close() ends those under way', async () => {
  await using proxy = await startProxy()
  // A signal keeps 1.4 kB of each one that AbortSignal.any() has made of it, so that none may serve two requests.
  const any = vi.spyOn(AbortSignal, 'any')
  const url = `${servers.gopher.url}0/readme.txt`
  for (let times = 0; times < 3; times++) {
    await ask(proxy.port, url)
    await (await proxy.gateway.proxy.fetch(new Request(url))).text()
  }
  const sources = any.mock.calls.flatMap(([signals]) => [...signals])
  any.mockRestore()
  expect(sources).not.toEqual([])
  expect(new Set(sources).size).toBe(sources.length)
  const { body } = await proxy.gateway.proxy.fetch(new Request(`${servers.gopher.url}9/big`))
  const reading = (async () => {
    for await (const _ of body ?? []);
  })()
  const socket = connect(proxy.port, '127.0.0.1')
  socket.write(`GET ${servers.gopher.url}9/big HTTP/1.1\r\nHost: h\r\n\r\n`)
  await expect.poll(() => servers.gopher.connections).toBe(2)
  await proxy.gateway.close()
  await expect(reading).rejects.toThrow()
  await collect(socket)
  await expect.poll(() => servers.gopher.connections).toBe(0)
})

test('content that nothing reads may fail, and is let go with the answer', async () => {
  await using proxy = await startProxy()
  const post = async (body: ReadableStream): Promise<number> => {
    const request = new Request(servers.gopher.url, { method: 'POST', body, duplex: 'half' })
    return (await proxy.gateway.proxy.fetch(request)).status
  }
  // An error without a listener would be an uncaught exception, and fail the run.
  expect(await post(new ReadableStream({ start: (controller) => controller.error(new Error('gone')) }))).toBe(405)
  const cancel = vi.fn()
  expect(await post(new ReadableStream({ cancel }))).toBe(405)
  await expect.poll(() => cancel.mock.calls.length).toBe(1)
})

test('clients that read nothing hold up nobody, and are let go', async () => {
  // For each client, the system takes some megabytes into its buffers.
  const count = isFull ? 50 : 12
  await using proxy = await startProxy({ limits: { requests: count + 1, idleTimeout: 1000 } })
  const readers = Array.from({ length: count }, () => {
    const socket = connect(proxy.port, '127.0.0.1').pause()
    socket.on('error', () => {})
    socket.write(`GET ${servers.http.url}big HTTP/1.1\r\nHost: h\r\n\r\n`)
    // A reset closes it before it is read.
    return { socket, closed: once(socket, 'close') }
  })
  await Promise.all(readers.map(({ socket }) => once(socket, 'readable')))
  expect((await ask(proxy.port, `${servers.gopher.url}0/readme.txt`)).status).toBe(200)
  await expect.poll(() => servers.http.connections).toBe(0)
  for (const { socket, closed } of readers) {
    socket.resume()
    await closed
    // The buffers of the system hold some megabytes; the file has gigabytes.
    expect(socket.bytesRead).toBeLessThan(2 ** 26)
  }
})
