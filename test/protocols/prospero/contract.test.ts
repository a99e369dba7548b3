import { createClient, type Entry, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { startProsperoServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

const bytes = Uint8Array.from({ length: 3000 }, (_, at) => at % 256)
const large = Buffer.from(
  Array.from({ length: 600 }, (_, at) => `line ${String(at + 1).padStart(4, '0')} of a large file, it's long\n`).join(
    '',
  ),
)

// Nothing is connected in UDP, so of the suite only the parts without connections fit.
testFetcher({
  mechanism: 'prospero',
  bytes,
  entries: ['hello.txt', 'large.txt', 'bytes.bin', 'empty.txt', "it's a file", 'sub'],
  async start(faults = {}) {
    const server = await startProsperoServer({ faults })
    return {
      server,
      object: `${server.url}/docs/bytes.bin`,
      listing: `${server.url}/docs`,
      missing: `${server.url}/nope`,
      [Symbol.asyncDispose]: () => server.close(),
    }
  },
})

type Options = Parameters<typeof startProsperoServer>[0]

async function retrieve(path: string, options: Options = {}, request: RetrieveOptions = {}) {
  await using server = await startProsperoServer(options)
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetries: 0, idleTimeout: 2500 },
    onEvent: (event) => void events.push(event),
  })
  const representation = await client.retrieve(server.url + path, request)
  const entries: Entry[] = []
  if (representation.kind === 'listing') for await (const entry of representation.entries()) entries.push(entry)
  const octets = representation.kind === 'listing' ? new Uint8Array(0) : await representation.bytes()
  const remarks = events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))
  return { representation, octets, entries, remarks, received: [...server.received], events, url: server.url }
}

describe('files', () => {
  test.each<readonly [string, Options, Uint8Array]>([
    ['/docs/hello.txt', {}, Buffer.from('hello from prospero\n')],
    ['/docs/bytes.bin', {}, bytes],
    ['/docs/large.txt', {}, large],
    ['/docs/empty.txt', {}, new Uint8Array(0)],
    ["/docs/it's%20a%20file", {}, Buffer.from('odd name\n')],
    ['/moved', {}, Buffer.from('hello from prospero\n')],
    ['/docs/large.txt', { reorders: true }, large],
    ['/docs/large.txt', { duplicates: true }, large],
    ['/docs/large.txt', { forges: true }, large],
    ['/docs/large.txt', { loses: 3 }, large],
    ['/docs/large.txt', { loses: 1 }, large],
    ['/docs/large.txt', { loses: 16 }, large],
    ['/docs/large.txt', { loses: 3, swapsId: true }, large],
    ['/docs/hello.txt', { loses: 1 }, Buffer.from('hello from prospero\n')],
    ['/docs/hello.txt', { losesRequests: 1 }, Buffer.from('hello from prospero\n')],
    ['/docs/hello.txt', { waits: 1 }, Buffer.from('hello from prospero\n')],
    ['/docs/bytes.bin', { answersElsewhere: true }, bytes],
    ['/docs/bytes.bin', { appendsNul: true }, bytes],
  ])('%s of a server with %j', async (path, options, octets) => {
    expect(Buffer.compare((await retrieve(path, options)).octets, octets)).toBe(0)
  })

  test('attributes are metadata, and the requests are those of the plan', async () => {
    const { representation, received, events } = await retrieve('/docs/hello.txt')
    expect(representation).toMatchObject({
      kind: 'object',
      size: 20,
      completeness: 'verified',
      modified: new Date('2024-02-29T12:00:00Z'),
      metadata: {
        hsoname: '/docs/hello.txt',
        attributes: expect.arrayContaining([
          { name: 'SIZE', appliesTo: 'OBJECT', namespace: 'INTRINSIC', value: ['20 bytes'] },
        ]),
        accessMethods: [
          { method: 'PROSPERO-CONTENTS', url: null },
          { method: 'LOCAL', url: null },
        ],
      },
    })
    expect(received).toEqual([
      'GET-OBJECT-INFO ACCESS-METHOD+BASE-TYPE+SIZE+LAST-MODIFIED ASCII /docs/hello.txt 0',
      'GET-OBJECT-INFO CONTENTS ASCII /docs/hello.txt 0',
    ])
    expect(events.map(({ type }) => type).filter((type) => type !== 'progress')).toEqual([
      'resolved',
      'connected',
      'sent',
      'received',
      'sent',
      'done',
    ])
  })
})

describe('directories', () => {
  test('links are entries', async () => {
    const { entries, representation, url } = await retrieve('/links')
    expect(representation).toMatchObject({ kind: 'listing', mediaType: 'text/plain', charset: 'utf-8' })
    expect(entries.map(({ name, kind, url }) => [name, kind, url])).toEqual([
      ['ext.txt', 'file', 'ftp://127.0.0.1:2121/pub/hello.txt;type=i'],
      ['plain', 'file', `${url}/docs/hello.txt`],
      ['far', 'directory', 'prospero://other.example.org:1526/ARCHIE/HOST'],
      ['sym', 'link', null],
      ['deep.txt', 'file', `${url}/docs/sub/deep.txt`],
      ['virtual', 'file', `${url}/objects/virtual`],
      ['docs', 'directory', `${url}/docs`],
    ])
    expect(entries[1]).toMatchObject({ size: 20 })
    expect(entries[0]?.details).toMatchObject({
      attributes: expect.arrayContaining([
        { name: 'COMMENT', appliesTo: 'LINK', namespace: 'APPLICATION', value: ['two words', "it's"] },
      ]),
    })
  })

  test('an empty directory is an empty listing', async () => {
    expect((await retrieve('/empty')).entries).toEqual([])
  })

  test('union links that lead back end', async () => {
    const { entries, received } = await retrieve('/loop')
    expect(entries.map(({ name }) => name)).toEqual(['hello.txt'])
    expect(received.filter((line) => line.startsWith('DIRECTORY'))).toHaveLength(2)
  })

  test('a path of links leads to the object behind it', async () => {
    expect(Buffer.from((await retrieve('/links/docs/hello.txt')).octets).toString()).toBe('hello from prospero\n')
    expect((await retrieve('/links/ext.txt')).entries).toMatchObject([
      { name: 'AFTP', url: 'ftp://127.0.0.1:2121/pub/hello.txt;type=i' },
    ])
  })
})

describe('access methods', () => {
  test('are listed', async () => {
    const { entries, representation } = await retrieve('/objects/virtual')
    expect(representation.kind).toBe('listing')
    expect(entries.map(({ name, url }) => [name, url])).toEqual([
      ['GOPHER', 'gopher://127.0.0.1:7070/0/pub/hello.txt'],
      ['AFTP', 'ftp://127.0.0.1:2121/pub/hello.txt;type=i'],
    ])
  })
})

describe('R33: failures', () => {
  test.each<readonly [string, Options, string]>([
    ['/nope', {}, 'not-found'],
    ['/docs/nope', {}, 'not-found'],
    ['/private/x', {}, 'access-denied'],
    ['/circle', {}, 'too-many-redirects'],
    ['/docs/hello.txt', { refuses: true }, 'server-refused'],
    ['/docs/hello.txt', { faults: { stall: 'response' } }, 'timeout'],
    ['/docs/hello.txt', { waits: 60 }, 'timeout'],
    ['/docs/large.txt', { faults: { stall: 'body' } }, 'timeout'],
    ['/docs/hello.txt', { faults: { replies: { 'GET-OBJECT-INFO': 'SSH-2.0-OpenSSH\r\n' } } }, 'protocol-violation'],
    ['/docs/hello.txt', { faults: { replies: { 'GET-OBJECT-INFO': "ATTRIBUTE 'x" } } }, 'protocol-violation'],
    ['/docs/hello.txt', { faults: { replies: { 'GET-OBJECT-INFO': 'ERROR disk on \x1b fire\n' } } }, 'server-refused'],
    ['/docs/hello.txt', { faults: { replies: { 'GET-OBJECT-INFO': 'FAILURE SERVER-FAILED\n' } } }, 'server-refused'],
    [
      '/docs/hello.txt',
      { faults: { replies: { 'GET-OBJECT-INFO': 'VERSION-NOT-SUPPORTED TRY 1-4' } } },
      'server-refused',
    ],
    ['/docs/hello.txt;OBJECT-VERSION=x', {}, 'malformed-url'],
    ['/docs/hello.txt;SIZE=21%20bytes', {}, 'not-found'],
    ['/docs/hello.txt;COMMENT=x', {}, 'not-found'],
    ['/docs/a%00b', {}, 'refused'],
  ])('%j of a server with %j is %s', async (path, options, code) => {
    await expect(retrieve(path, options)).rejects.toMatchObject({ code })
  })

  test('fields of the URL that fit are no failure', async () => {
    const { octets, received } = await retrieve('/docs/hello.txt;OBJECT-VERSION=3;size=20%20bytes')
    expect(octets).toHaveLength(20)
    expect(received.at(-1)).toBe('GET-OBJECT-INFO CONTENTS ASCII /docs/hello.txt 3')
  })

  test('R40: an abort ends the wait for an answer, and nothing stays open', async () => {
    await using server = await startProsperoServer({ faults: { stall: 'response' } })
    const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('UDP')).length
    const before = sockets()
    const abort = new AbortController()
    const onEvent = ({ type }: RetrievalEvent): void => void (type === 'sent' && abort.abort('enough'))
    await using client = createClient({ onEvent })
    const retrieving = client.retrieve(`${server.url}/docs/hello.txt`, { signal: abort.signal })
    await expect(retrieving).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    await expect.poll(sockets).toBeLessThanOrEqual(before)
  })

  test('case 43, endless packets end at limits.maxCollected', async () => {
    await using server = await startProsperoServer({ endless: true })
    await using client = createClient({ limits: { maxRetries: 0, maxCollected: 100_000 } })
    await expect(bytesOf(client, `${server.url}/docs/large.txt`)).rejects.toMatchObject({ code: 'limit-exceeded' })
  })
})
