/** Lists of records that a query finds (`;query=`), and the queries as they are sent. */
import { resolve } from '@retriever/core'
import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { startZ3950Server } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { sent } from '../../support/events.ts'
import { body, listed } from '../../support/outcome.ts'

function queryUrl(root: string, databases: string, query: string): string {
  return `${root.replace('z39.50r', 'z39.50s')}${databases};query=${encodeURIComponent(query)}`
}

type Options = Parameters<typeof startZ3950Server>[0]

async function list(databases: string, query: string, request: RetrieveOptions = {}, options: Options = {}) {
  await using server = await startZ3950Server(options)
  const remarks: string[] = []
  await using client = createClient({
    limits: { maxRetries: 0 },
    onEvent: (event) => void (event.type === 'remark' && remarks.push(event.message)),
  })
  const listing = await client.retrieve(queryUrl(server.url, databases, query), request)
  const entries = await entriesOf(listing)
  await server.waitForConnections(0)
  return { root: server.url, listing, entries, remarks, received: [...server.received] }
}

describe('lists', () => {
  test('entries lead to their records', async () => {
    await using server = await startZ3950Server()
    await using client = createClient()
    const listing = await client.retrieve(queryUrl(server.url, 'books', 'water'))
    expect(listing).toMatchObject({ kind: 'listing', metadata: { count: 1, server: 'Retriever test server' } })
    const [entry] = await entriesOf(listing)
    expect(entry).toEqual({
      name: 'Water and <electricity> & more',
      kind: 'file',
      url: `${server.url}books?elecworld.v30.n19`,
      size: 202,
      details: {
        position: 1,
        author: 'Maxwell, J.',
        date: '1990',
        database: 'books',
        syntax: 'usmarc',
      },
    })
    expect(await (await client.retrieve(entry?.url ?? '')).text()).toContain('Maxwell, J.')
  })

  test('records whose identifier is that of another one, too, have the URL of their place', async () => {
    const { root, entries } = await list('doubles', 'su=S')
    const url = queryUrl(root, 'doubles', 'su=S')
    expect(entries.map(({ name, url: own }) => [name, own])).toEqual([
      ['One', `${url};record=1`],
      ['Another', `${url};record=2`],
    ])
  })

  test.each([1032, 12, 1007])('records of a server that finds document ids by use %i alone have them', async (use) => {
    await using server = await startZ3950Server({ docidUse: use })
    await using client = createClient()
    const [entry] = await entriesOf(await client.retrieve(queryUrl(server.url, 'books', 'water')))
    expect(entry?.url).toBe(`${server.url}books?elecworld.v30.n19`)
    expect(await (await client.retrieve(entry?.url ?? '')).text()).toContain('Maxwell, J.')
    await expect(client.retrieve(`${server.url}books?nope`)).rejects.toMatchObject({
      code: 'not-found',
      reply: '0 hits',
    })
  })

  test('records of a server that finds no document id are had by their place in the query', async () => {
    await using server = await startZ3950Server({ docidUse: 0 })
    await using client = createClient()
    const root = queryUrl(server.url, 'books;rs=usmarc', 'water or computer')
    const entries = await entriesOf(await client.retrieve(root))
    expect(entries.map(({ url }) => url)).toEqual(
      [1, 2].map((at) => `${root.replace(';rs=usmarc', '')};record=${at};rs=usmarc`),
    )
    for (const { name, url } of entries) {
      const record = await client.retrieve(url ?? '')
      expect(record).toMatchObject({ kind: 'object', mediaType: 'application/marc' })
      expect(await record.text()).toContain(name)
    }
    await expect(client.retrieve(`${root};record=3`)).rejects.toMatchObject({ code: 'not-found', reply: '2 hits' })
    await expect(client.retrieve(`${server.url}books?b1`)).rejects.toMatchObject({
      code: 'server-refused',
      reply: expect.stringContaining('114'),
    })
  })

  test.each(['books;record=1', 'books;query=water;record=0', 'books;query=water;record=x'])(
    '%s is malformed',
    (path) => {
      expect(() => resolve(`z39.50s://h/${path}`)).toThrow(expect.objectContaining({ code: 'malformed-url' }))
    },
  )

  test('a long list takes several requests', async () => {
    const { entries, received } = await list('many', 'ti=volume')
    expect(entries.map(({ name }) => name)).toEqual(Array.from({ length: 250 }, (_, at) => `Volume ${at + 1}`))
    expect(received.map((line) => line.replace(/many/, 'DB'))).toEqual([
      'init',
      'search DB volume',
      'present 1+50 B usmarc',
      'search DB m1',
      'search DB volume',
      'present 51+50 B usmarc',
      'present 101+50 B usmarc',
      'present 151+50 B usmarc',
      'present 201+50 B usmarc',
    ])
  })

  test('a limit, and several databases', async () => {
    const { root, entries } = await list('books+many', 'volume or computer', { limit: 2 })
    expect(entries.map(({ url }) => url)).toEqual([`${root}books?b1`, `${root}many?m1`])
  })

  test('nothing found is an empty list', async () => {
    expect((await list('empty', 'x')).entries).toEqual([])
  })

  test.each([
    ['sutrs', 'Les misérables', null],
    ['grs-1', 'Les misérables', 'books?b2;rs=grs-1'],
    ['opac', 'Les misérables', 'books?b2;rs=opac'],
    ['xml', 'Les misérables', null],
  ])('titles of %s', async (syntax, name, path) => {
    await using server = await startZ3950Server()
    await using client = createClient()
    const url = queryUrl(server.url, `books;rs=${syntax}`, '@attr 1=4 misérables')
    const [entry] = await entriesOf(await client.retrieve(url))
    expect(entry).toMatchObject({
      name,
      url:
        path === null
          ? `${queryUrl(server.url, 'books', '@attr 1=4 misérables')};record=1;rs=${syntax}`
          : server.url + path,
    })
  })

  test.each([
    ['nowhere', 'x', 'not-found'],
    ['books', 'isbn=3', 'server-refused'],
    ['books', '"open', 'malformed-url'],
    ['misbehaviour', 'negative', 'protocol-violation'],
    ['misbehaviour', 'escapes', 'server-refused'],
    ['misbehaviour', 'surrogate', null],
    ['misbehaviour', 'no marc', null],
    ['misbehaviour', 'empty', 'partial'],
  ])('%s: %s is %s', async (database, query, code) => {
    const outcome = await list(database, query).then(
      () => null,
      (error: { readonly code: string }) => error.code,
    )
    expect(outcome).toBe(code)
  })
})

/** The octets as the specification writes them: hexadecimal digits, and text in quotes. */
function octets(written: string): string {
  const parts = written.match(/"[^"]*"|[0-9a-f]+/g) ?? []
  return parts
    .map((part) => (part.startsWith('"') ? part.slice(1, -1) : Buffer.from(part, 'hex').toString('latin1')))
    .join('')
}

describe('queries of type 1', () => {
  const title = '3008 9f780101 9f790104'
  const operands = 'a00a bf6607 bf2c00 9f2d01 "a" a00a bf6607 bf2c00 9f2d01 "b"'
  test.each([
    ['water', 'a00e bf660b bf2c00 9f2d05 "water"'],
    ['ti=water', `a018 bf6615 bf2c0a ${title} 9f2d05 "water"`],
    ['@attr 1=4 water', `a018 bf6615 bf2c0a ${title} 9f2d05 "water"`],
    ['@attrset bib-1 @attr bib-1 1=4 @term general water', `a018 bf6615 bf2c0a ${title} 9f2d05 "water"`],
    ['a and b', `a11d ${operands} bf2e02 8000`],
    ['a OR b', `a11d ${operands} bf2e02 8100`],
    ['@not a b', `a11d ${operands} bf2e02 8200`],
    ['comp?', 'a017 bf6614 bf2c0a 3008 9f780105 9f790101 9f2d04 "comp"'],
    ['"a b"', 'a016 bf6613 bf2c0a 3008 9f780104 9f790101 9f2d03 "a b"'],
    ['@attr 1=name a', 'a01c bf6619 bf2c12 3010 9f780101 bf816008 a106 8104 "name" 9f2d01 "a"'],
  ])('%s', async (query, written) => {
    await using server = await startZ3950Server({ faults: { replies: { search: '' } } })
    const { events } = await body(queryUrl(server.url, 'books', query))
    const search = sent(events)[1] ?? ''
    const bib1 = octets('06072a8648ce130301')
    expect(Buffer.from(search.slice(search.indexOf(bib1) + bib1.length), 'latin1').toString('hex')).toBe(
      Buffer.from(octets(written), 'latin1').toString('hex'),
    )
  })

  test.each([
    ['', /character 1: a word/],
    ['ti=', /character 4: a word to search for is missing/],
    ['zz=a', /character 1: this qualifier is unknown/],
    ['a and', /character 6: a word/],
    ['(a', /character 3: a \) is missing/],
    ['a)', /character 2: it should end here/],
    ['@and a', /character 7: a term is missing/],
    ['@prox a b', /character 1: @prox is not supported/],
    ['@attr x a', /the attribute set is unknown/],
    ['a "b', /character 2: a quote has no end/],
    ['@attr 1=4 a b', /character 13: it should end here/],
    [`${'('.repeat(100)}a`, /nests deeper than 64/],
    [`${'@and '.repeat(100)}a`, /nests deeper than 64/],
  ])('%j cannot be read', async (query, message) => {
    await using server = await startZ3950Server()
    const { error } = await body(queryUrl(server.url, 'books', query))
    expect(error).toMatchObject({ code: 'malformed-url', message: expect.stringMatching(message) })
    expect(server.accepted).toBe(0)
  })
})

/** An answer to Present that has a diagnostic of Bib-1 in place of records. */
function refusal(condition: number): string {
  const diagnostic = `\x06\x07*\x86H\xce\x13\x04\x01\x02\x01${String.fromCharCode(condition)}\x1a\0`
  return `\xb9\x1b\x98\x01\0\x99\x01\x01\x9b\x01\x05\xbf\x81\x02\x0e${diagnostic}`
}

test('a server that refuses so many records at once is asked for fewer', async () => {
  const replies = { 'present 1+25 B usmarc': refusal(13) }
  await using server = await startZ3950Server({ faults: { replies } })
  const { got } = await listed(queryUrl(server.url, 'many', 'ti=volume'), {}, { limit: 25 })
  expect(got).toHaveLength(25)
  expect(server.received.filter((line) => line.startsWith('present'))).toEqual(
    ['1+25', '1+10', '11+10', '21+5'].map((range) => `present ${range} B usmarc`),
  )
})

test('a server that refuses one record as well is server-refused', async () => {
  const replies = { present: [refusal(31), refusal(31), refusal(31)] }
  await using server = await startZ3950Server({ faults: { replies } })
  const { error } = await listed(queryUrl(server.url, 'many', 'ti=volume'))
  expect(error).toMatchObject({ code: 'server-refused', reply: '31 resources exhausted, no results' })
  expect(server.received).toContain('present 1+1 B usmarc')
})

test.each([
  ['a string', '\xa0\x0e\x1a\x0cMembers only'],
  ['octets', '\x81\x0cMembers only'],
])('the words of a server that refuses the session, as %s', async (_, words) => {
  const external = `\x06\x06*\x86H\xce\x13\x0a${words}`
  const information = `\x28${String.fromCharCode(external.length)}${external}`
  const answer = `\x83\x02\x05\xe0\x84\x02\x06\xc0\x85\x01\x7f\x86\x01\x7f\x8c\x01\0\xab${String.fromCharCode(information.length)}${information}`
  const init = `\xb5${String.fromCharCode(answer.length)}${answer}`
  await using server = await startZ3950Server({ faults: { replies: { init } } })
  const { error } = await body(`${server.url}books?b1`)
  expect(error).toMatchObject({ code: 'access-denied', reply: 'Members only' })
})
