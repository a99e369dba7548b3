/** Limits and listeners of one call, and the bodies whose announced size is over limits.maxSize. */
import { gzipSync } from 'node:zlib'
import { createClient, type RetrievalEvent, type RetrieveOptions, retrieve } from '@retriever/fetchers'
import { startHttpServer, startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'
import { chunks, endless, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const url = 'http://h.example/'

describe('limits of one call', () => {
  test('hold for this call alone, in both directions', async () => {
    const fetchers = [fakeHttp(() => retrieved(chunks('1234')))]
    await using client = createClient({ fetchers, limits: { maxCollected: 3 } })
    const text = async (options?: RetrieveOptions): Promise<string> => (await client.retrieve(url, options)).text()
    expect((await failure(text())).code).toBe('limit-exceeded')
    expect(await text({ limits: { maxCollected: 4 } })).toBe('1234')
    expect((await failure(text({ limits: { maxCollected: 4, maxSize: 3 } }))).code).toBe('limit-exceeded')
    expect((await failure(text())).code).toBe('limit-exceeded')
  })

  test('keep those that the client has set, and undefined changes nothing', async () => {
    const limits: number[][] = []
    const answer = fakeHttp((_, context) => {
      limits.push([context.limits.maxSize, context.limits.maxRetries, context.limits.minSpeed])
      return retrieved(chunks())
    })
    await using client = createClient({ fetchers: [answer], limits: { maxSize: 5, maxRetries: 1 } })
    for (const call of [{}, { maxSize: 6 }, { maxSize: undefined, maxRetries: 2 }]) {
      await (await client.retrieve(url, { limits: call } as RetrieveOptions)).bytes()
    }
    await (await client.retrieve(url, { policy: { publicOnly: true } })).bytes()
    await (await client.retrieve(url, { policy: { publicOnly: true }, limits: { minSpeed: 3 } })).bytes()
    expect(limits).toEqual([
      [5, 1, 0],
      [6, 1, 0],
      [5, 2, 0],
      [5, 1, 10],
      [5, 1, 3],
    ])
  })

  test('end a call that takes too long', async () => {
    await using server = await startHttpServer()
    server.setFaults({ stall: 'response' })
    await using client = createClient({ limits: { maxRetries: 0 } })
    const error = await failure(client.retrieve(`${server.url}never`, { limits: { totalTimeout: 30 } }))
    expect(error).toMatchObject({ code: 'timeout', advice: { option: 'limits.totalTimeout' } })
  })

  test.each<readonly [unknown, RegExp]>([
    [{ maxSize: -1 }, /`limits\.maxSize`/],
    [{ maxsize: 1 }, /`limits\.maxsize` to be one of/],
    [5, /`limits` to be an object/],
  ])('%j are checked like those of the client', async (limits, message) => {
    await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks()))] })
    const error = await failure(client.retrieve(url, { limits } as RetrieveOptions))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(message) })
  })
})

describe('onEvent of one call', () => {
  const fetchers = [fakeHttp(() => retrieved(chunks('ab')))]

  test('gets the events of this call alone, after the listener of the client', async () => {
    const heard: string[] = []
    const listener = (name: string) => (event: RetrievalEvent) => void heard.push(`${name} ${event.type}`)
    await using client = createClient({ fetchers, onEvent: listener('client') })
    await (await client.retrieve(url, { onEvent: listener('call') })).text()
    expect(heard).toEqual(['resolved', 'progress', 'done'].flatMap((type) => [`client ${type}`, `call ${type}`]))
    heard.length = 0
    await (await client.retrieve(url)).text()
    expect(heard).toEqual(['client resolved', 'client progress', 'client done'])
  })

  test('is enough without a listener of the client, and reaches every URL of a batch', async () => {
    await using client = createClient({ fetchers })
    const heard: string[] = []
    const onEvent = ({ type, url: at }: RetrievalEvent): void => void (type === 'done' && heard.push(at))
    for await (const { representation } of client.retrieveAll([url, `${url}b`], { onEvent })) {
      await representation?.text()
    }
    expect(heard.sort()).toEqual([url, `${url}b`])
  })

  test('ends its retrieval if it throws', async () => {
    await using client = createClient({ fetchers })
    const onEvent = (): void => {
      throw new Error('no')
    }
    expect(await failure(client.retrieve(url, { onEvent }))).toMatchObject({ code: 'aborted' })
    expect(await (await client.retrieve(url)).text()).toBe('ab')
  })
})

describe('retrieve() of one URL', () => {
  test('takes the options of a client and of a call, and gives each to one of them', async () => {
    const heard: string[] = []
    const options = {
      fetchers: [fakeHttp(({ target }, { request }) => retrieved(chunks(`${target} ${request.accept}`)))],
      policy: { allowPorts: [25] },
      limits: { maxSize: 20 },
      onEvent: ({ type }: RetrievalEvent): void => void heard.push(type),
      base: 'http://h.example:25/',
      accept: 'text/plain',
    }
    expect(await (await retrieve('x', options)).text()).toBe('/x text/plain')
    expect(heard).toEqual(['resolved', 'progress', 'done'])
    expect((await failure(retrieve('a-name-of-twenty', options).then((it) => it.text()))).code).toBe('limit-exceeded')
  })

  test('a misspelled option is told with the names of both', async () => {
    const misspelled = { acccept: 'text/plain' }
    const error = await failure(retrieve('http://h/', misspelled as RetrieveOptions))
    expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(/\baccept,.*\bproxy\b/) })
  })
})

describe('a body whose announced size is over maxSize is refused before there is a representation', () => {
  test.each(['http', 'ftp', 'file'] as const)('%s', async (mechanism) => {
    await using servers = await startServers({ http: true, ftp: true })
    const at = mechanism === 'file' ? new URL(import.meta.url).href : `${servers[mechanism].url}pub/a.bin`
    await using client = createClient()
    const whole = await client.retrieve(at)
    const size = whole.size ?? 0
    await whole.cancel()
    await (await client.retrieve(at, { limits: { maxSize: size } })).cancel()
    for (let time = 0; time < 2; time++) {
      expect(await failure(client.retrieve(at, { limits: { maxSize: size - 1 } }))).toMatchObject({
        code: 'limit-exceeded',
        phase: 'body',
        advice: { option: 'limits.maxSize' },
        message: expect.stringContaining(`The body has ${size} octets, and the limit set by`),
      })
    }
    await client.close()
    await Promise.all([servers.http, servers.ftp].map((server) => server.waitForConnections(0)))
  })

  test('ftp, where only the reply to RETR tells the size', async () => {
    await using servers = await startServers({ ftp: true })
    servers.ftp.setFaults({ replies: { SIZE: '500 Unknown.\r\n' } })
    await using client = createClient()
    const error = await failure(client.retrieve(`${servers.ftp.url}pub/a.bin`, { limits: { maxSize: 10 } }))
    expect(error.message).toMatch(/The body has \d+ octets, and the limit/)
    expect(servers.ftp.received).toContain('RETR a.bin')
    await client.close()
    await servers.ftp.waitForConnections(0)
  })

  test('the body is released, and its metadata may still be had', async () => {
    const source = endless()
    const answer = fakeHttp(() => retrieved(source.body, { size: 5 }))
    await using client = createClient({ fetchers: [answer], limits: { maxSize: 4 } })
    const heard: RetrievalEvent[] = []
    const error = await failure(client.retrieve(url, { onEvent: (event) => heard.push(event) }))
    expect(error.code).toBe('limit-exceeded')
    expect(source.pulled()).toBe(0)
    expect(heard.at(-1)).toMatchObject({ type: 'done', error: { code: 'limit-exceeded' } })
    const head = await client.retrieve(url, { head: true })
    expect(head.size).toBe(5)
  })

  test('a range counts by its own size', async () => {
    await using server = await startHttpServer()
    await using client = createClient({ limits: { maxSize: 3 } })
    const part = await client.retrieve(`${server.url}pub/hello.txt`, { range: [0, 2] })
    expect(await part.text()).toBe('Hel')
  })

  test('a coded body counts decoded: its own size says something only if it is over twice the limit', async () => {
    const plain = Buffer.alloc(100_000, 'a')
    await using server = await scriptedHttp(({ target }) => {
      const body =
        target === '/stored' ? gzipSync(Buffer.alloc(300_000, 'b'), { level: 0 }) : gzipSync(plain, { level: 0 })
      return { octets: reply('200', { 'Content-Encoding': 'gzip' }, body.toString('latin1')) }
    })
    await using client = createClient({ limits: { maxSize: plain.length } })
    // The coded body is larger than the limit, the decoded one is not.
    const whole = await client.retrieve(`${server.url}hardly`, { http: { compressed: true } })
    expect(await whole.bytes()).toHaveLength(plain.length)
    expect(await failure(client.retrieve(`${server.url}stored`, { http: { compressed: true } }))).toMatchObject({
      code: 'limit-exceeded',
    })
    // Where it is not decoded, its size is what counts.
    expect((await failure(client.retrieve(`${server.url}hardly`))).code).toBe('limit-exceeded')
  })
})
