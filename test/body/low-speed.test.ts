import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** A server that says `first` and then one octet of `rest` each few milliseconds, on every connection. */
async function dripping(first: string, rest: string, milliseconds: number) {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    if (first !== '') socket.write(first)
    let at = 0
    const timer = setInterval(() => {
      if (at < rest.length) socket.write(rest.charAt(at++))
      else socket.end()
    }, milliseconds)
    socket.once('close', () => clearInterval(timer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, [Symbol.asyncDispose]: async () => void server.close() }
}

/** A server whose one connection is the test's to write to. */
async function answeringByHand() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const connected = once(server, 'connection').then(([socket]) => (socket as Socket).on('error', () => {}))
  return { port, connected, [Symbol.asyncDispose]: async () => void server.close() }
}

async function read(url: string, options: ClientOptions): Promise<string> {
  await using client = createClient({ ...options, limits: { maxRetries: 0, ...options.limits } })
  return await (await client.retrieve(url)).text()
}

afterEach(() => void vi.useRealTimers())

describe('a body that drips (threats.md case 60)', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n'

  test('ends with `timeout` over gopher too, and where it stands still', async () => {
    await using server = await dripping('', 'x'.repeat(40), 20)
    const limits = { minSpeed: 10_000, minSpeedTime: 200 }
    expect(await failure(read(`gopher://127.0.0.1:${server.port}/9x`, { limits }))).toMatchObject({ code: 'timeout' })
    await using still = await dripping(`${head}x`, 'y', 60_000)
    expect(await failure(read(`http://127.0.0.1:${still.port}/`, { limits }))).toMatchObject({ code: 'timeout' })
  })

  test('ends so, too, where the server does not even answer', async () => {
    await using silent = await dripping('', 'x', 60_000)
    const limits = { minSpeed: 1, minSpeedTime: 200 }
    const error = await failure(read(`http://127.0.0.1:${silent.port}/`, { limits }))
    expect(error).toMatchObject({ code: 'timeout', phase: 'request', advice: { option: 'limits.minSpeedTime' } })
  })

  test.each([
    [{ minSpeed: 10, minSpeedTime: 100 }, null],
    [{ minSpeedTime: 100 }, null],
    [{ minSpeed: 30, minSpeedTime: 100 }, 'timeout'],
  ])('of 20 octets a second: with %j its error is %j', async (limits, code) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    await using server = await answeringByHand()
    await using client = createClient({ limits: { maxRetries: 0, ...limits } })
    const retrieving = client.retrieve(`http://127.0.0.1:${server.port}/`)
    const socket = await server.connected
    socket.write(head)
    const representation = await retrieving
    // The client waits for the octet by the time that the clock goes on.
    const drip = (): void => {
      vi.advanceTimersByTime(50)
      socket.write('x')
    }
    let octets = 0
    const read = async (): Promise<void> => {
      setImmediate(drip)
      for await (const chunk of representation) {
        octets += chunk.length
        if (octets < 40) setImmediate(drip)
      }
    }
    if (code === null) await read()
    else {
      const words = 'fewer than 30 octets a second for 0.1 s. Try later, or lower `limits.minSpeed`'
      const message = expect.stringContaining(words)
      expect(await failure(read())).toMatchObject({ code, phase: 'body', message })
    }
    // The octet with which the speed is known to be too low is the second.
    expect(octets).toBe(code === null ? 40 : 1)
    socket.destroy()
  })

  test('R41: is not ended for a consumer that takes its time', async () => {
    await using server = await dripping(`${head}${'x'.repeat(39)}`, 'x', 10)
    await using client = createClient({ limits: { minSpeed: 100, minSpeedTime: 50 } })
    const { body } = await client.retrieve(`http://127.0.0.1:${server.port}/`)
    let octets = 0
    for await (const chunk of body) {
      octets += chunk.length
      await new Promise((resolve) => setTimeout(resolve, 120))
    }
    expect(octets).toBe(40)
  })

  test.each([
    [{ policy: { publicOnly: true } }, 10],
    [{ policy: { publicOnly: true }, limits: { minSpeed: 0 } }, 0],
    [{}, 0],
  ])('%j: minSpeed is %i', async (options, expected) => {
    let minSpeed: number | undefined
    const fetcher = fakeHttp((_plan, { limits }) => {
      minSpeed = limits.minSpeed
      return retrieved(chunks('x'))
    })
    await using client = createClient({ ...options, fetchers: [fetcher] })
    await (await client.retrieve('http://h/')).text()
    expect(minSpeed).toBe(expected)
  })
})

test.each(['ftp', 'nntp'])('case 60, %s: a greeting that drips is given up after idleTimeout', async (scheme) => {
  await using server = await dripping('', `220 ${'x'.repeat(500)}\r\n`, 20)
  const url = `${scheme}://127.0.0.1:${server.port}/${scheme === 'ftp' ? 'x' : 'a.b/1'}`
  const error = await failure(read(url, { limits: { idleTimeout: 150 } }))
  expect(error).toMatchObject({ code: 'timeout', phase: 'greeting' })
})
