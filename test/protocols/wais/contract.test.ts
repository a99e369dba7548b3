import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import type { RequestOptions } from '@retriever/fetchers/internal'
import { startWaisServer, type WaisCollection, type WaisRecord } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { entriesOf } from '../../support/entries.ts'

type Options = Parameters<typeof startWaisServer>[0]

const long = Buffer.from(Array.from({ length: 1000 }, (_, at) => `Line ${at} of a long text.\n`).join(''))

testFetcher({
  mechanism: 'wais',
  bytes: long,
  entries: ['long.txt'],
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  async start(faults = {}) {
    const server = await startWaisServer({ faults })
    return {
      server,
      object: `${server.url}demo/TEXT/${long.length}/2=demo;3=0%20${long.length}%20/docs/long.txt;7=%00;`,
      missing: `${server.url}demo/TEXT/3=0%201%20/none;2=demo;`,
      listing: `${server.url}demo?line`,
    }
  },
})

/** The result of a path, and what the server received. */
async function retrieve(path: string, request: RequestOptions = {}, options: Options = {}) {
  await using server = await startWaisServer(options)
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetries: 0, idleTimeout: 1500 },
    onEvent: (event) => void events.push(event),
  })
  try {
    const representation = await client.retrieve(server.url + path, request)
    const text = Buffer.from(await representation.bytes()).toString('latin1')
    await server.waitForConnections(0)
    return { representation, text, received: [...server.received], remarks: remarksOf(events) }
  } catch (error) {
    await server.waitForConnections(0)
    return { error, received: [...server.received], remarks: remarksOf(events) }
  }
}

function recordOf(headline: string, score: number): WaisRecord {
  const docid = `\x03${String.fromCharCode(headline.length & 127)}${headline.slice(0, headline.length & 127)}`
  return { docid, score, length: 9, lines: 1, types: ['TEXT'], source: 'demo', date: null, headline }
}

function remarksOf(events: readonly RetrievalEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))
}

describe('a search', () => {
  test('finds documents, each with a URL that retrieves it', async () => {
    await using server = await startWaisServer()
    await using client = createClient()
    const listing = await client.retrieve(`${server.url}demo?ark`)
    expect(listing).toMatchObject({ kind: 'listing', metadata: { count: 5 } })
    const entries = await entriesOf(listing)
    expect(entries.map(({ name, size, details }) => [name, size, details?.score, details?.types])).toEqual([
      ['marked ark', 28, 200, ['TEXT']],
      ['ark.txt   /docs/', 77, 100, ['TEXT']],
      ['café', 29, 100, ['TEXT']],
      ['A picture of an ark', 25_013, 100, ['GIF', 'TEXT']],
      ['http://www.example.org/ark', 11, 100, ['URL']],
    ])
    expect(entries[4]?.url).toBe('http://www.example.org/ark')
    const texts: string[] = []
    for (const { url } of entries.slice(0, 4)) {
      const document = await client.retrieve(url ?? '')
      texts.push(Buffer.from(await document.bytes()).toString('latin1'))
    }
    expect(texts.slice(0, 3)).toEqual([
      'The ark is marked.\n',
      'Of the ark.\nThe dove flew out, and found no rest.\nThe raven went to and fro.\n',
      'An ark in caf\xe9s: 100% =;/?#\r\n',
    ])
    expect(texts[3]).toBe(`GIF89a ark \x1b(${'pixel'.repeat(5000)}`)
    const { otherTypes } = entries[3]?.details ?? {}
    const other = Array.isArray(otherTypes) ? String(otherTypes[0]) : ''
    expect(await (await client.retrieve(other)).text()).toBe('It shows an ark.\n')
  })

  test('is a text with a line a document', async () => {
    const { text, received } = await retrieve('demo?caf%E9s')
    expect(text).toMatch(/^100\t29\tTEXT\tcaf\xc3\xa9\twais:\/\/127\.0\.0\.1:\d+\/demo\/TEXT\/29\/1=test%3A210;2=/)
    expect(received).toEqual(['SEARCH demo caf\xe9s'])
  })

  test('limit is sent, and relevantTo names documents', async () => {
    const limited = await retrieve('demo?ark', { limit: 2 })
    expect(limited.representation?.metadata).toEqual({ count: 2 })
    const relevantTo = ['wais://h/demo/TEXT/30/2=demo;3=0%2030%20/docs/caf%e9.txt;']
    const { text, received } = await retrieve('demo?ark', { wais: { relevantTo }, limit: 1 })
    expect(text).toMatch(/^600\t/)
    expect(received).toEqual(['SEARCH demo ark relevant-to /docs/caf\xe9.txt'])
    for (const url of ['wais://h/demo', 'http://h/']) {
      expect((await retrieve('demo?ark', { wais: { relevantTo: [url] } })).error).toMatchObject({
        code: 'invalid-option',
      })
    }
  })

  test('without a match, the server shows its catalogue, or nothing', async () => {
    const { representation, remarks } = await retrieve('demo?nowhere')
    expect(representation?.metadata).toEqual({ count: 1 })
    expect(remarks).toEqual([expect.stringContaining('Nothing was found')])
    expect((await retrieve('plain?nowhere')).representation?.metadata).toEqual({ count: 0 })
  })

  test('of the usual length is told to be cut, and one of the length that was asked for is not', async () => {
    const found = (most: number) => Array.from({ length: most }, (_, at) => recordOf(`d${at}`, 9))
    const collection: WaisCollection = {
      search: ({ most }) => ({ records: found(Math.min(most, 50)), diagnostics: [] }),
      document: () => null,
    }
    const usual = await retrieve('demo?ark', {}, { collection })
    expect(usual.representation?.metadata).toEqual({ count: 40 })
    expect(usual.remarks).toEqual([expect.stringMatching(/^The list has the 40 best documents; .*limit/)])
    expect((await retrieve('demo?ark', { limit: 40 }, { collection })).remarks).toEqual([])
    expect((await retrieve('demo?ark', { limit: 100 }, { collection })).representation?.metadata).toEqual({ count: 50 })
  })

  test('whose answer is as large as the server’s answers may be is told to be cut', async () => {
    const records = Array.from({ length: 300 }, (_, at) => recordOf(`${at}`.padEnd(400, 'x'), 9))
    const collection: WaisCollection = { search: () => ({ records, diagnostics: [] }), document: () => null }
    const { representation, remarks } = await retrieve('demo?ark', { limit: 300 }, { collection })
    expect(representation?.metadata).not.toEqual({ count: 300 })
    expect(remarks).toEqual([expect.stringContaining('documents may be missing at its end')])
  })

  test('for words that are there in Latin-1 alone finds them', async () => {
    const { text, received, remarks } = await retrieve('demo?caf%C3%A9s')
    expect(text).toMatch(/^100\t29\tTEXT\tcaf\xc3\xa9\twais:/)
    expect(received).toEqual(['SEARCH demo caf\xc3\xa9s', 'SEARCH demo caf\xe9s'])
    expect(remarks).toEqual(['The words were found in Latin-1; in UTF-8, nothing was found.'])
  })

  test.each([
    ['demo?%C3%BC', 2, [/UTF-8, and then in Latin-1/, /^Nothing was found/]],
    ['demo?%E2%82%AC', 1, [/^Nothing was found/]],
    ['demo?%FC', 1, [/^Nothing was found/]],
    ['demo?u', 1, []],
  ])('for %s takes %i requests', async (path, requests, told) => {
    const { received, remarks } = await retrieve(path)
    expect(received).toHaveLength(requests)
    expect(remarks).toEqual(told.map((each) => expect.stringMatching(each)))
  })

  test('of an unknown database is refused in the server’s words', async () => {
    const { error } = await retrieve('nowhere?ark')
    expect(error).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('S1 The following database is not available: nowhere'),
    })
  })
})

describe('a database', () => {
  test('is described by its source description', async () => {
    const { representation, text, received } = await retrieve('demo')
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'application/x-wais-source' })
    expect(text).toContain(':database-name "demo"')
    expect(received).toEqual(['SEARCH demo ', expect.stringContaining('RETRIEVE demo WSRC /idx/demo.src 0 ')])
  })

  test('has its catalogue as an entry', async () => {
    await using server = await startWaisServer()
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(`${server.url}demo`))
    expect(entries.map(({ name }) => name)).toEqual(['Information on database: demo', 'Catalog for database: demo'])
    const catalogue = await client.retrieve(entries[1]?.url ?? '')
    expect(await catalogue.text()).toContain('Headline: long.txt')
    await server.waitForConnections(0)
  })

  test('that describes itself by nothing is not-found', async () => {
    expect((await retrieve('plain')).error).toMatchObject({ code: 'not-found' })
  })
})

describe('a document', () => {
  const place = `2=demo;3=0%20${long.length}%20/docs/long.txt;`

  test.each([
    ['with its length', `${long.length}/${place}`],
    ['without its length', place],
    ['escaped', encodeURIComponent(`2=demo;3=0 ${long.length} /docs/long.txt;`)],
    ['with another length', `99/${place}`],
  ])('%s', async (what, wpath) => {
    const { text, received, remarks } = await retrieve(`demo/TEXT/${wpath}`)
    expect(text).toBe(what === 'with another length' ? long.toString().slice(0, 99) : long.toString())
    expect(received[0]).toBe(`RETRIEVE demo TEXT /docs/long.txt 0 ${what === 'with another length' ? 99 : 10_000}`)
    const isCut = `The URL says 99 octets, and its document-id ${long.length}: the first 99 have come.`
    expect(remarks).toEqual(what === 'with another length' ? [isCut] : [])
  })

  test('that has become shorter than its URL says comes with a remark', async () => {
    const { text, remarks, received } = await retrieve(`demo/TEXT/30001/${place}`)
    expect(text).toBe(long.toString())
    expect(remarks).toEqual([`The document has ${long.length} octets, and its URL says 30001: it was changed since.`])
    expect(received).toHaveLength(3)
  })

  test('without octets is empty', async () => {
    expect((await retrieve('demo/TEXT/0/2=demo;3=0%200%20/docs/empty.txt;')).text).toBe('')
  })

  test('of the media type of its type, with its size if nothing is marked in it', async () => {
    const found = await retrieve('demo/GIF/25013/2=demo;3=0%2025013%20/docs/picture;')
    expect(found.representation).toMatchObject({ mediaType: 'image/gif', size: 25_013, completeness: 'verified' })
    expect(found.text?.startsWith('GIF89a ark \x1b(pixel')).toBe(true)
  })

  test.each(['demo/TEXT/opaque', 'demo/PS/2=demo;3=0%201%20/docs/ark.txt;'])('%s is not-found', async (path) => {
    expect((await retrieve(path)).error).toMatchObject({ code: 'not-found', message: expect.stringContaining('SF') })
  })
})

describe('cases 42 and 64, hostile answers', () => {
  test.each([
    ['huge', 'limit-exceeded', /9999999999 octets/],
    ['empty', 'server-refused', /empty answer/],
    ['false-length', 'protocol-violation', /longer than its place/],
    ['long-header', 'protocol-violation', /header is longer/],
    ['endless-number', 'protocol-violation', /no end/],
    ['wrong-type', 'protocol-violation', /of type 21/],
    ['crowded', 'protocol-violation', /over 20000 fields/],
    ['refused', 'server-refused', /empty answer/],
    ['compressed', 'protocol-violation', /compresses/],
    ['noise', 'protocol-violation', /which is no WAIS/],
  ])('%s is %s', async (words, code, message) => {
    expect((await retrieve(`demo?${words}`)).error).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test('octets before a packet are passed over', async () => {
    expect((await retrieve('demo?some-noise')).representation?.metadata).toEqual({ count: 0 })
  })

  test('case 33, headlines reach no terminal as controls, and a URL of a headline is only shown', async () => {
    const { text } = await retrieve('demo?escapes')
    expect(text).not.toMatch(/[\0-\x08\x0b-\x1f]/)
    await using server = await startWaisServer()
    await using client = createClient()
    const entries = await entriesOf(await client.retrieve(`${server.url}demo?escapes`))
    expect(entries.map(({ url }) => (url === null ? null : url.replace(/:\d+/, '')))).toEqual([
      'wais://127.0.0.1/demo/TEXT/3=x%1B%5B2J;',
      'file:///etc/passwd',
      null,
    ])
  })

  test.each([
    [{ SEARCH: '' }, 'receive-failed'],
    [{ SEARCH: 'SSH-2.0-OpenSSH\r\n' }, 'timeout'],
    [{ SEARCH: '0000000010z2wais        0abc' }, 'timeout'],
  ])('%j is %s', async (replies, code) => {
    expect((await retrieve('demo?ark', {}, { faults: { replies } })).error).toMatchObject({ code })
  })
})
