import { readFile, stat, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import {
  type Client,
  createClient,
  type Representation,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { startFtpServer, startHttpServer, startServers } from '@retriever/servers'
import { record, replay, replayFetchers } from '@retriever/servers/record'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { failure } from '../../../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../../../support/fake-fetcher.ts'
import { linesIn, recorded, withFile } from '../../../support/transcript-file.ts'

/** All of a representation that a caller sees. */
async function shown(representation: Representation): Promise<unknown> {
  const { url, mechanism, kind, mediaType, charset, size, offset, modified, etag, completeness } = representation
  const { metadata, redirects, findings, hasEntries } = representation
  const facts = { url, mechanism, kind, mediaType, charset, size, offset, modified, etag, completeness }
  const octets = Buffer.from(await representation.bytes()).toString('base64')
  return { ...facts, metadata, redirects, findings, hasEntries, octets }
}

/** Gives the same retrieval twice: recorded, and from the transcript once the server is closed. */
async function both(
  url: string,
  use: (representation: Representation) => Promise<unknown>,
  close: () => Promise<void>,
  options: RetrieveOptions = {},
): Promise<[unknown, unknown]> {
  return withFile(async (file) => {
    const first = await recorded(file, async (client) => use(await client.retrieve(url, options)))
    await close()
    await using client = await replay(file)
    return [first, await use(await client.retrieve(url, options))]
  })
}

const urls = {
  'http://H/pub/hello.txt': 'http',
  'http://H/pub/a.bin': 'http',
  'http://H/redirect/302/pub/hello.txt': 'http',
  'ftp://H/pub/hello.txt': 'ftp',
  'ftp://H/pub/a.bin': 'ftp',
  'ftp://H/pub/': 'ftp',
  'gopher://H/1/': 'gopher',
  'gopher://H/0/readme.txt': 'gopher',
  'nntp://H/retriever.test/1': 'nntp',
  'nntp://H/retriever.test': 'nntp',
  'nntp://H/': 'nntp',
} as const

describe.each(Object.entries(urls))('%s comes from the transcript as it came from the server', (pattern, protocol) => {
  const place = async (): Promise<{ url: string; close: () => Promise<void> }> => {
    const servers = await startServers({ [protocol]: true })
    return { url: pattern.replace('H', `127.0.0.1:${servers[protocol].port}`), close: () => servers.close() }
  }

  test('the octets and all that is known of them', async () => {
    const { url, close } = await place()
    const [first, second] = await both(url, shown, close)
    expect(second).toEqual(first)
  })

  test('the entries, even if the octets were read when it was recorded', async () => {
    const { url, close } = await place()
    const [first, second] = await both(
      url,
      async (representation) => (representation.hasEntries ? entriesOf(representation) : null),
      close,
    )
    expect(second).toEqual(first)
    const other = await place()
    await withFile(async (file) => {
      const { hasEntries, url: from } = await recorded(file, async (client) => {
        const representation = await client.retrieve(other.url)
        await representation.bytes()
        return representation
      })
      await other.close()
      await using client = await replay(file)
      const again = await client.retrieve(from)
      expect(again.hasEntries).toBe(hasEntries)
      // The descriptions of newsgroups are further commands, which only entries() sends.
      const names = async (list: Promise<unknown>): Promise<unknown> =>
        ((await list) as { name: string }[]).map(({ name }) => name)
      if (hasEntries) expect(await names(entriesOf(again))).toEqual(await names(Promise.resolve(first)))
    })
  })
})

test('a file and a folder of this machine', () =>
  withFile(async (file) => {
    const folder = new URL('.', pathToFileURL(file))
    await writeFile(new URL('x.txt', folder), 'hello')
    const use = async (client: Client): Promise<unknown> => [
      await shown(await client.retrieve(new URL('x.txt', folder))),
      await entriesOf(await client.retrieve(folder)),
    ]
    const first = await recorded(file, use)
    await writeFile(new URL('x.txt', folder), 'another text')
    await using client = await replay(file)
    expect(await use(client)).toEqual(first)
  }))

describe('the file', () => {
  test('is JSON Lines that a person can read, for its owner alone', () =>
    withFile(async (file) => {
      await using server = await startFtpServer()
      await recorded(file, async (client) => (await client.retrieve(`${server.url}pub/hello.txt`)).text())
      const [header = '', line = ''] = (await readFile(file, 'utf8')).split('\n')
      expect(JSON.parse(header)).toMatchObject({ transcript: '@retriever/servers/record', version: 1 })
      expect(JSON.parse(line)).toMatchObject({
        number: 1,
        url: `${server.url}pub/hello.txt`,
        mechanism: 'ftp',
        request: {},
        plan: { mechanism: 'ftp', cwd: ['pub'], name: 'hello.txt' },
        events: expect.arrayContaining([expect.objectContaining({ type: 'sent', octets: 'RETR hello.txt\r\n' })]),
        answer: {
          outcome: 'retrieved',
          body: {
            text: 'Hello, world.\n',
            events: expect.arrayContaining([
              expect.objectContaining({ type: 'received', octets: expect.stringMatching(/^226/) }),
            ]),
          },
        },
      })
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    }))

  test('keeps the first octets of a large body, and says so', () =>
    withFile(async (file) => {
      await using server = await startHttpServer()
      await using client = createClient()
      const recording = await record(client, file, { maxBody: 100 })
      const whole = await (await client.retrieve(`${server.url}pub/a.bin`)).bytes()
      await recording.finish()
      await using other = await replay(file)
      const body = await other.retrieve(`${server.url}pub/a.bin`)
      const got: Uint8Array[] = []
      const error = await failure(
        (async () => {
          for await (const chunk of body) got.push(chunk)
        })(),
      )
      expect(Buffer.concat(got)).toEqual(Buffer.from(whole.subarray(0, 100)))
      expect(error).toMatchObject({ code: 'partial', message: expect.stringContaining('transcript') })
    }))

  test('has what came by its end of a body that is still being read', () =>
    withFile(async (file) => {
      await using client = createClient({ fetchers: [fakeHttp(() => retrieved(chunks('one', 'two')))] })
      const recording = await record(client, file)
      const reader = (await client.retrieve('http://h/')).body.getReader()
      await reader.read()
      await recording.finish()
      expect(await linesIn(file)).toMatchObject([{ answer: { body: { text: 'one', cut: true } } }])
      // The client goes on, unrecorded.
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('two')
      await (await client.retrieve('http://h/other')).text()
      await recording.finish()
      expect(await linesIn(file)).toHaveLength(1)
    }))

  test('is for its owner alone even where a file was before', () =>
    withFile(async (file) => {
      await writeFile(file, 'old', { mode: 0o644 })
      await recorded(file, async () => {})
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    }))

  test('that was edited wrongly is an error that names the member', () =>
    withFile(async (file) => {
      await using server = await startFtpServer()
      await recorded(file, async (client) => (await client.retrieve(`${server.url}pub/`)).bytes())
      const [header, line = ''] = (await readFile(file, 'utf8')).split('\n')
      const { answer, ...rest } = JSON.parse(line)
      const edits = { size: '5', modified: 'yesterday', kind: 'x', charset: 5, entries: [], metadata: null, offset: -1 }
      const entries = { list: [null] }
      for (const [name, value] of [...Object.entries(edits), ['entries', entries], ['mediaType', 5]] as const) {
        await writeFile(file, `${header}\n${JSON.stringify({ ...rest, answer: { ...answer, [name]: value } })}\n`)
        const error = await failure(replay(file))
        expect(error).toMatchObject({ code: 'file-failed', message: expect.stringContaining(`\`answer.${name}\``) })
      }
    }))

  test('that cannot be made is an error', async () => {
    await using client = createClient()
    expect(await failure(record(client, '/no/such/folder/x'))).toMatchObject({ code: 'write-failed', phase: 'save' })
    expect(await failure(record(client, '/x', { maxBody: -1 }))).toMatchObject({ code: 'invalid-option' })
    const large = await failure(record(client, '/x', { maxBody: 1e9 }))
    expect(large.message).toContain('`record.maxBody` to be a whole number from 1 to 134217728, got 1000000000')
    const fetchers = Object({ fetchers: [] })
    expect(await failure(replay('/x', fetchers))).toMatchObject({ code: 'invalid-option' })
    expect((await failure(replay('/no/such/x'))).message).not.toContain('ENOENT')
    expect(await failure(record({ ...client }, '/x'))).toMatchObject({ code: 'invalid-option' })
  })

  test.each([
    ['', 'line 1 is not JSON'],
    ['{"x":1}', 'header'],
    ['{"transcript":"@retriever/servers/record","version":99}', 'version 99'],
    ['{"transcript":"@retriever/servers/record","version":1}\n{"url":1}\n', 'line 2'],
    ['{"transcript":"@retriever/servers/record","version":1}\n{"url"', 'line 2 is not JSON'],
  ])('that is no transcript is an error: %s', (text, why) =>
    withFile(async (file) => {
      await writeFile(file, text)
      const error = await failure(replay(file))
      expect(error).toMatchObject({ code: 'file-failed', message: expect.stringContaining(why) })
      expect(error.message).toContain(file)
    }),
  )
})

test('a retrieval of metadata alone, and batches, are recorded, too', () =>
  withFile(async (file) => {
    await using server = await startHttpServer()
    const urls = ['readme.txt', 'none', 'pub/hello.txt'].map((path) => `${server.url}${path}`)
    const use = async (client: Client): Promise<unknown> => {
      const head = await client.retrieve(`${server.url}pub/a.bin`, { head: true })
      const found: string[] = []
      for await (const { url, representation, error } of client.retrieveAll(urls)) {
        found.push(`${url} ${error?.code ?? (await representation?.text())}`)
      }
      return [head.size, await head.text(), found.sort()]
    }
    const first = await recorded(file, use)
    await server.close()
    await using client = await replay(file)
    expect(await use(client)).toEqual(first)
  }))

describe('a replay', () => {
  test('refuses what was not recorded, and names what was', () =>
    withFile(async (file) => {
      const fetchers = [fakeHttp(() => retrieved(chunks('a')))]
      await recorded(file, async (client) => (await client.retrieve('http://h/a', { accept: 'text/x' })).text(), {
        fetchers,
      })
      await using client = await replay(file)
      const refusals = [
        [
          client.retrieve('http://h/b'),
          'http://h/b: This URL without options was not recorded',
          'http://h/a with {"accept":"text/x"}',
        ],
        [client.retrieve('http://h/a'), 'http://h/a: This URL without options was not recorded', '{"accept":"text/x"}'],
        [client.retrieve('ftp://h/a'), 'ftp://h/a', 'http://h/a'],
      ] as const
      for (const [retrieval, ...texts] of refusals) {
        const error = await failure(retrieval)
        expect(error.code).toBe('refused')
        for (const text of [...texts, file]) expect(error.message).toContain(text)
      }
      await (await client.retrieve('http://h/a', { accept: 'text/x' })).text()
      expect(await failure(client.retrieve('http://h/a', { accept: 'text/x' }))).toMatchObject({
        code: 'refused',
        message: expect.stringContaining('was recorded once, and all of that was served'),
      })
    }))

  test('serves the same URL in the order in which it was retrieved', () =>
    withFile(async (file) => {
      let count = 0
      const fetchers = [fakeHttp(() => retrieved(chunks(`answer ${++count}`)))]
      const use = async (client: Client): Promise<string[]> => {
        // The first one is read last.
        const [first, second] = [await client.retrieve('http://h/'), await client.retrieve('http://h/')]
        return [await second.text(), await first.text()]
      }
      expect(await recorded(file, use, { fetchers })).toEqual(['answer 2', 'answer 1'])
      await using client = await replay(file)
      expect(await use(client)).toEqual(['answer 2', 'answer 1'])
    }))

  test('fails as the retrieval did: at once, and in the body', () =>
    withFile(async (file) => {
      await using servers = await startServers({ ftp: { faults: { cutAfter: 10 } }, http: true })
      const wanted = [`${servers.ftp.url}pub/none`, `${servers.ftp.url}pub/a.bin`, `${servers.http.url}status/503`]
      const limits = { maxRetries: 0 }
      const outcomes = async (client: Client): Promise<unknown[]> => {
        const errors = wanted.map(async (url) => {
          const error = await failure(client.retrieve(url).then((representation) => representation.bytes()))
          return error.toJSON()
        })
        return Promise.all(errors)
      }
      const first = await recorded(file, outcomes, { limits })
      expect(first).toMatchObject([{ code: 'not-found' }, { code: 'partial' }, { code: 'http-error', status: 503 }])
      await servers.close()
      await using client = await replay(file, { limits })
      expect(await outcomes(client)).toEqual(first)
    }))

  test('has the policy, the redirects and the retries of its own client', () =>
    withFile(async (file) => {
      let tries = 0
      const fetchers = [
        fakeHttp(({ target }, { error }) => {
          if (target === '/from') return { outcome: 'redirect', location: 'http://other/to', status: 302 }
          if (++tries === 1) throw error('server-refused', 'Later.', { transient: true })
          return retrieved(chunks('there'))
        }),
      ]
      const limits = { maxRetryDelay: 1 }
      const use = async (client: Client): Promise<string> => (await client.retrieve('http://h/from')).text()
      await recorded(file, use, { fetchers, limits })
      expect((await linesIn(file)).map(({ url, answer }) => [url, (answer as { outcome: string }).outcome])).toEqual([
        ['http://h/from', 'redirect'],
        ['http://other/to', 'error'],
        ['http://other/to', 'retrieved'],
      ])
      await using client = await replay(file, { limits })
      expect(await use(client)).toBe('there')
      await using strict = await replay(file, { limits: { maxRedirects: 0 } })
      expect(await failure(use(strict))).toMatchObject({ code: 'too-many-redirects' })
      await using once = await replay(file, { limits: { maxRetries: 0 } })
      expect(await failure(use(once))).toMatchObject({ code: 'server-refused' })
    }))

  test('serves fetch(), handoffs, and mechanisms of others', () =>
    withFile(async (file) => {
      await using server = await startHttpServer()
      const use = async (client: Client): Promise<unknown> => {
        const response = await client.fetch(`${server.url}pub/hello.txt`)
        const missing = await client.fetch(`${server.url}none`)
        const handoff = await client.open('telnet://h/')
        return [response.status, await response.text(), [...response.headers], missing.status, handoff]
      }
      const first = await recorded(file, use)
      await server.close()
      await using client = createClient({ fetchers: await replayFetchers(file) })
      expect(await use(client)).toEqual(first)
    }))

  test('emits the dialogue again', () =>
    withFile(async (file) => {
      await using server = await startFtpServer()
      const dialogue = (events: readonly RetrievalEvent[]): unknown[] =>
        events.map((event) => [event.type, 'octets' in event ? event.octets : null])
      const first: RetrievalEvent[] = []
      const url = `${server.url}pub/hello.txt`
      await recorded(file, async (client) => (await client.retrieve(url)).text(), {
        onEvent: (event) => first.push(event),
      })
      const second: RetrievalEvent[] = []
      await using client = await replay(file, { onEvent: (event) => second.push(event) })
      await (await client.retrieve(url)).text()
      const isProgress = ([type]: unknown[]): boolean => type === 'progress'
      expect(dialogue(second).filter((each) => !isProgress(each as unknown[]))).toEqual(
        dialogue(first).filter((each) => !isProgress(each as unknown[])),
      )
    }))
})
