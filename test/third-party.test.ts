import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { explain, formatExplanation, resolve, type Scheme } from '@retriever/core'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { failureOf } from './contract/observe.ts'
import { finger, fingerFetcher } from './third-party/finger/index.ts'

/** A finger daemon of one user. `/W stall` never answers. */
async function startFinger() {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
    socket.once('data', (octets) => {
      received.push(octets.toString('latin1'))
      if (!received.at(-1)?.includes('stall')) socket.end('Login: ann\r\nName: Ann Author\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `finger://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

const plugin = { schemes: [finger], fetchers: [fingerFetcher()] }

describe('finger, a scheme from outside, added by createClient({ schemes, fetchers }) alone', () => {
  test.each([
    ['', '\r\n'],
    ['ann', 'ann\r\n'],
    ['/W%20ann', '/W ann\r\n'],
    ['ann@other.example', 'ann@other.example\r\n'],
  ])('%j sends %j', async (path, line) => {
    await using server = await startFinger()
    await using client = createClient(plugin)
    const representation = await client.retrieve(server.url + path)
    expect(await representation.text()).toBe('Login: ann\r\nName: Ann Author\r\n')
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/plain', completeness: 'eof-only' })
    expect(server.received).toEqual([line])
    expect(client.resolve(server.url + path).plan.wire).toEqual([line])
  })

  test('has events, limits and aborts like any other', async () => {
    await using server = await startFinger()
    const events: RetrievalEvent[] = []
    await using client = createClient({
      ...plugin,
      limits: { idleTimeout: 100, maxRetries: 0 },
      onEvent: (event) => void events.push(event),
    })
    expect(await failureOf(client.retrieve(`${server.url}stall`))).toMatchObject({ code: 'timeout', phase: 'request' })
    expect(events.map(({ type }) => type)).toEqual(['resolved', 'connected', 'sent', 'done'])
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  test.each([
    ['ann%0d%0aroot', 'refused'],
    ['/Wann', 'malformed-url'],
  ])('%s is %s before anything is contacted', async (path, code) => {
    await using server = await startFinger()
    await using client = createClient(plugin)
    expect((await failureOf(client.retrieve(server.url + path))).code).toBe(code)
    expect(server.received).toEqual([])
  })

  test('is explained like any other', () => {
    const explanation = explain('finger://h/%2FW%20ann', { schemes: [finger] })
    expect(explanation).toEqual({
      url: 'finger://h/%2FW%20ann',
      scheme: 'finger',
      mechanism: 'rfc1288',
      locator: { user: null, password: null, host: 'h', port: 79, urlPath: '%2FW%20ann', query: null, fragment: null },
      plan: { mechanism: 'rfc1288', host: 'h', port: 79, tls: 'none', query: '/W ann', wire: ['/W ann\r\n'] },
      findings: [],
    })
    expect(formatExplanation(explanation)).toContain('sends    /W ann\\r\\n')
  })

  test('its own port is its own, another protocol has no use of it', () => {
    const codes = (url: string) => resolve(url, { schemes: [finger] }).findings.map(({ code }) => code)
    expect(codes('finger://h:79/')).toEqual([])
    expect(codes('finger://h:25/')).toEqual(['foreign-port'])
    expect(codes('finger://h:6379/FLUSHALL')).toEqual(['foreign-port'])
  })
})

describe('two clients share nothing', () => {
  test('what one was given, the other has not', async () => {
    await using server = await startFinger()
    await using with_ = createClient(plugin)
    await using without = createClient()
    await using half = createClient({ schemes: [finger] })
    expect(await (await with_.retrieve(server.url)).text()).toMatch(/^Login/)
    expect(await failureOf(without.retrieve(server.url))).toMatchObject({ code: 'no-fetcher' })
    expect(await failureOf(half.retrieve(server.url))).toMatchObject({ code: 'no-fetcher' })
    expect([with_.resolve(server.url), without.resolve(server.url)].map(({ plan }) => plan.mechanism)).toEqual([
      'rfc1288',
      'finger',
    ])
  })

  test('closing one leaves the other alone', async () => {
    await using server = await startFinger()
    const one = createClient(plugin)
    await using other = createClient(plugin)
    const representation = await other.retrieve(server.url)
    await one.close()
    expect(await representation.text()).toMatch(/^Login/)
  })

  test('two fetchers for one mechanism are an error that says so', () => {
    expect(() => createClient({ fetchers: [fingerFetcher(), fingerFetcher()] })).toThrow(/one fetcher for "rfc1288"/)
  })
})

test('a name that nobody knows is known to the client that was given it (RFC 1738 4: x-...)', async () => {
  const url = 'x-finger://h/ann'
  const ours: Scheme = { ...finger, name: 'x-finger' }
  await using with_ = createClient({ ...plugin, schemes: [ours] })
  await using without = createClient()
  expect(with_.resolve(url).plan.wire).toEqual(['ann\r\n'])
  expect(await failureOf(without.retrieve(url))).toMatchObject({ code: 'unknown-scheme' })
})

test('it imports the public packages, and nothing inside them', () => {
  const folder = new URL('third-party/finger/', import.meta.url)
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const from = [...text.matchAll(/from '([^']+)'/g)].map(([, path]) => path)
    expect(from.filter((path) => !/^(@retriever\/(core|fetchers\/plugin)|\.\/\w+\.ts)$/.test(path ?? ''))).toEqual([])
  }
})
