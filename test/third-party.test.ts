import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { explain, formatExplanation, resolve, type Scheme } from '@retriever/core'
import { createClient, type Fetcher, type RetrievalEvent } from '@retriever/fetchers'
import { type Subject, testFetcher } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'
import { failureOf } from './support/contract/observe.ts'
import { bundleForNode } from './support/node-bundle.ts'
import { finger, fingerFetcher } from './third-party/finger/src/index.ts'
import { startFinger } from './third-party/finger/test/finger-server.ts'
import { subject } from './third-party/finger/test/subject.ts'

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
    expect(server.received).toEqual([line.slice(0, -2)])
    expect(client.resolve(server.url + path).plan.wire).toEqual([line])
  })

  test('has events, limits and aborts like any other', async () => {
    await using server = await startFinger({ stall: 'response' })
    const events: RetrievalEvent[] = []
    await using client = createClient({
      ...plugin,
      limits: { idleTimeout: 100, maxRetries: 0 },
      onEvent: (event) => void events.push(event),
    })
    expect(await failureOf(client.retrieve(server.url))).toMatchObject({ code: 'timeout', phase: 'request' })
    expect(events.map(({ type }) => type)).toEqual(['resolved', 'connected', 'sent', 'done'])
    await server.waitForConnections(0)
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
    // The built-in fetcher has another mechanism.
    expect((await without.retrieve(server.url)).mechanism).toBe('finger')
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

const folder = fileURLToPath(new URL('third-party/finger/', import.meta.url))

test.each([
  ['src', /^(@retriever\/(core|fetchers\/plugin)|\.\/[\w-]+\.ts)$/],
  ['test', /^(@retriever\/(fetchers|servers|servers\/contract)|vitest|node:test|\.\.?\/[\w/-]+\.ts)$/],
])('%s/ imports the public packages, and nothing inside them', (part, allowed) => {
  for (const name of readdirSync(join(folder, part))) {
    const text = readFileSync(join(folder, part, name), 'utf8')
    const from = [...text.matchAll(/from '([^']+)'/g)].map(([, path]) => path)
    expect(from.filter((path) => !allowed.test(path ?? ''))).toEqual([])
  }
})

/** A fetcher for finger whose bodies are made from those of the right one. */
function withBodies(change: (body: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>): Fetcher<'rfc1288'> {
  const right = fingerFetcher()
  return {
    mechanism: 'rfc1288',
    async retrieve(plan, context) {
      const outcome = await right.retrieve(plan, context)
      if (outcome.outcome !== 'retrieved' || !(Symbol.asyncIterator in outcome.body))
        throw new Error('finger retrieves')
      return { ...outcome, body: change(outcome.body) }
    },
  }
}

describe('the contract suite finds', () => {
  test.each<[string, string, Fetcher<'rfc1288'>]>([
    [
      'changed octets',
      'the bytes are the resource',
      withBodies(async function* (body) {
        for await (const chunk of body) yield chunk.slice(1)
      }),
    ],
    [
      'an end that hides a reset',
      'a reset in the body is partial (property 12)',
      withBodies(async function* (body) {
        try {
          yield* body
        } catch {}
      }),
    ],
    [
      'a request that is not that of the plan',
      'the server gets the wire of the plan for an object, and nothing else (property 16)',
      { ...fingerFetcher(), retrieve: (plan, context) => fingerFetcher().retrieve({ ...plan, query: 'bob' }, context) },
    ],
  ])('%s', async (_fault, name, wrong) => {
    const run = (fetcher: Fetcher<'rfc1288'>): Promise<void> | undefined => {
      const tests = new Map<string, () => Promise<void>>()
      const createOne: Subject['createClient'] = (options) =>
        createClient({ ...options, schemes: [finger], fetchers: [fetcher] })
      testFetcher(
        { ...subject, createClient: createOne },
        { describe: (_name, body) => body(), test: (title, body) => tests.set(title, body) },
      )
      return tests.get(name)?.()
    }
    await run(fingerFetcher())
    await expect(run(wrong)).rejects.toThrow()
  })
})

test('its contract tests run by node:test, too', { timeout: 60_000 }, async () => {
  const place = mkdtempSync(join(tmpdir(), 'retriever-node-test-'))
  try {
    const file = await bundleForNode(join(folder, 'test/contract.node.ts'), place)
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
      encoding: 'utf8',
      timeout: 50_000,
    })
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# fail 0$/m) })
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(20)
  } finally {
    rmSync(place, { recursive: true })
  }
})
