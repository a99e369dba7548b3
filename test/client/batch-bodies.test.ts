/** Servers of a batch whose bodies stall or break off: that is trouble of the server, as silence is. */
import { type BatchOptions, type Client, createClient } from '@retriever/fetchers'
import { type Faults, startFtpServer, startHttpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { part, reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const body = 'x'.repeat(1000)
const files = Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`/${number}`, body]))
const limits = { retryDelay: 20 }

const starts = { http: startHttpServer, ftp: startFtpServer }

async function serverOf(protocol: keyof typeof starts, faults: Faults) {
  const server = await starts[protocol]({ files, faults })
  const urls = Object.keys(files).map((path) => server.url.replace(/\/$/, '') + path)
  /** The targets of all requests for files, in their order. */
  const asked = (): readonly string[] =>
    server.requests.map(({ line }) => /(?:GET|RETR) \/?(\d+)/.exec(line)?.[1] ?? '').filter((name) => name !== '')
  return { urls, asked, server, [Symbol.asyncDispose]: () => server.close() }
}

/** How many bodies came whole, and the messages of those that did not. */
async function all(client: Client, urls: readonly string[], options: BatchOptions = {}) {
  let came = 0
  const failed: string[] = []
  for await (const { value, error } of client.mapAll(urls, (each) => each.text(), options)) {
    if (error !== null) failed.push(error.message)
    else if (value === body) came++
  }
  return { came, failed }
}

test.each([
  ['http', 'stalls', { stall: 'body' }],
  ['http', 'breaks off', { cutAfter: 100 }],
  ['ftp', 'breaks off', { resetAfter: 100 }],
] as const)('a server of %s that %s in each body is given up', async (protocol, _, faults) => {
  await using site = await serverOf(protocol, faults)
  await using client = createClient({ limits: { idleTimeout: 200, retryDelay: 200 } })
  const { came, failed } = await all(client, site.urls)
  expect([came, failed.length]).toEqual([0, 100])
  // Those that were under way, and some that ask one at a time.
  expect(site.asked().length).toBeLessThan(40)
  expect(failed.filter((message) => /Not asked\. The last 4 URLs tried of /.test(message)).length).toBeGreaterThan(60)
})

test.each(['http', 'ftp'] as const)('a server of %s that breaks off a few bodies costs no URL', async (protocol) => {
  await using site = await serverOf(protocol, { cutAfter: 100, bodies: 5 })
  await using client = createClient({ limits })
  expect(await all(client, site.urls)).toEqual({ came: 100, failed: [] })
})

test('a URL whose body waits for its next try has no place', async () => {
  await using cut = await serverOf('http', { cutAfter: 100, bodies: 1 })
  await using whole = await serverOf('http', {})
  await using client = createClient({ concurrency: 1, limits: { retryDelay: 1 } })
  const [first = ''] = cut.urls
  const order: number[] = []
  for await (const { index } of client.mapAll([first, ...whole.urls.slice(0, 3)], (each) => each.text()))
    order.push(index)
  // When the wait of the first one ends is up to the machine.
  expect(order[0]).toBe(1)
  expect(order.toSorted()).toEqual([0, 1, 2, 3])
})

test('one URL whose body always breaks off stops none of the others', async () => {
  const fetcher = fakeHttp(async ({ target }, { error }) => {
    async function* octets() {
      yield Buffer.from(body)
      if (target === '/0') throw error('partial', 'Cut.', { phase: 'body', transient: true })
    }
    return retrieved(octets())
  })
  await using client = createClient({ fetchers: [fetcher], perHost: 1 })
  const urls = Object.keys(files).map((path) => `http://h${path}`)
  expect(await all(client, urls, { limits })).toEqual({ came: 99, failed: ['http://h/0: Cut.'] })
})

test.each(['while', 'after'])('a body that its caller reads %s the batch ends goes on after a break', async (when) => {
  const large = 'x'.repeat(200_000)
  await using server = await startHttpServer({ files: { '/a': large }, faults: { cutAfter: 150_000, bodies: 1 } })
  await using client = createClient({ limits })
  const bodies: (() => Promise<string> | undefined)[] = []
  for await (const { representation } of client.retrieveAll([`${server.url}a`])) {
    const reading = when === 'while' ? representation?.text() : undefined
    bodies.push(() => reading ?? representation?.text())
  }
  expect(await bodies[0]?.()).toBe(large)
  expect(server.requests).toHaveLength(2)
})

test('a body that waits for its server goes on at once when the batch is left', async () => {
  const large = 'x'.repeat(200_000)
  await using server = await startHttpServer({ files: { '/a': large }, faults: { cutAfter: 150_000, bodies: 1 } })
  let wake: () => void = () => {}
  const waits = new Promise<void>((resolve) => (wake = resolve))
  await using client = createClient({
    giveUpHosts: false,
    limits: { retryDelay: 3_600_000, maxRetryDelay: 3_600_000 },
    onEvent: ({ type }) => type === 'retried' && setImmediate(wake),
  })
  const batch = client.retrieveAll([`${server.url}a`])
  const reading = (await batch.next()).value?.representation?.text()
  await waits
  await batch.return()
  expect(await reading).toBe(large)
})

test('while a server has broken one body off, the others that still come let further ones begin', async () => {
  let letGo: () => void = () => {}
  const gone = new Promise<void>((resolve) => (letGo = resolve))
  const fetcher = fakeHttp(({ target }, { error }) => {
    async function* octets() {
      yield Buffer.from(body)
      if (target === '/2') throw error('partial', 'Cut.', { phase: 'body', transient: true })
      if (target < '/2') await gone
    }
    return retrieved(octets())
  })
  await using client = createClient({ fetchers: [fetcher], perHost: 3, limits: { retryDelay: 1 } })
  const order: number[] = []
  for await (const { index } of client.mapAll(
    Object.keys(files)
      .slice(0, 5)
      .map((path) => `http://h${path}`),
    (each) => each.text(),
  )) {
    order.push(index)
    if (order.length === 3) letGo()
  }
  expect(order.slice(0, 3).toSorted()).toEqual([2, 3, 4])
})

test('a megabyte of the body that broke off makes its server well again, and less does not', async () => {
  const large = Buffer.alloc(3 * 1024 * 1024)
  const fields = { ETag: '"a"', 'Accept-Ranges': 'bytes' }
  type Send = (from: number, to: number) => void
  let begin: (send: Send) => void = () => {}
  const begun = new Promise<Send>((resolve) => (begin = resolve))
  await using server = await scriptedHttp((asked) => {
    if (asked.target === '/1') return reply(200, {}, 'x')
    const isFirst = asked.fields.range === undefined
    const whole = isFirst ? reply(200, fields, large) : part(asked, large, fields)
    const end = whole.indexOf('\r\n\r\n') + 4 + 1000
    if (!isFirst) begin((from, to) => asked.socket.write(whole.subarray(end + from, end + to)))
    return { octets: whole.subarray(0, end), end: isFirst ? 'fin' : 'keep' }
  })
  await using client = createClient({ limits: { retryDelay: 1 } })
  const batch = client.retrieveAll(
    (async function* () {
      yield `${server.url}0`
      await begun
      yield `${server.url}1`
    })(),
  )
  let received = 0
  const { value } = await batch.next()
  const reading = (async () => {
    for await (const chunk of value?.representation ?? []) received += chunk.length
  })()
  const next = batch.next()
  const send = await begun
  await expect.poll(() => received).toBe(2000)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(server.asked.map(({ target }) => target)).toEqual(['/0', '/0'])
  const further = 1024 * 1024 - 1000
  send(0, further)
  expect((await next).value?.index).toBe(1)
  send(further, large.length)
  await reading
  expect(received).toBe(large.length)
})

test('with giveUpHosts false, bodies wait for their server however often they break off', async () => {
  await using site = await serverOf('http', { cutAfter: 100, bodies: 40 })
  await using client = createClient({ limits, giveUpHosts: false })
  expect(await all(client, site.urls)).toEqual({ came: 100, failed: [] })
})

test('bodies that are aborted while they wait for a place leave none taken', async () => {
  await using cut = await serverOf('http', { cutAfter: 100 })
  await using whole = await serverOf('http', { delay: 1 })
  await using client = createClient({ concurrency: 3, perHost: 3, limits: { retryDelay: 1 }, giveUpHosts: false })
  const items = cut.urls.flatMap((url, at) => {
    const stop = new AbortController()
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'retried') setTimeout(() => stop.abort(), at % 20)
    }
    return [{ url, options: { signal: stop.signal, onEvent } }, { url: whole.urls[at] ?? '' }]
  })
  const outcomes = { came: 0, aborted: 0 }
  for await (const { value, error } of client.mapAll(items, (each) => each.text())) {
    if (value === body) outcomes.came++
    else if (error !== null && 'code' in error && error.code === 'aborted') outcomes.aborted++
  }
  expect(outcomes).toEqual({ came: 100, aborted: 100 })
  // All places are free again: so many functions wait for each other.
  let come = (): void => {}
  const all3 = new Promise<void>((resolve) => (come = resolve))
  let running = 0
  const use = (): Promise<void> => {
    if (++running === 3) come()
    return all3
  }
  for await (const { error } of client.mapAll(whole.urls.slice(0, 3), use)) expect(error).toBe(null)
  expect(running).toBe(3)
})
