import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { startZ3950Server } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'

const marc = [
  '00186nam a2200097 a 4500001000300000100001800003245003000021260000900051650001400060852001400074\x1e',
  'b1\x1e1 \x1faCollins, Jack\x1e10\x1faHow to program a computer\x1e  \x1fc1987\x1e 0\x1faComputers\x1e  \x1fhQA76 .C65\x1e\x1d',
].join('')

// A record comes in one message, which is read whole: of the suite only the parts without a stalled body fit.
testFetcher({
  mechanism: 'z3950',
  bytes: Buffer.from(marc),
  async start(faults = {}) {
    const server = await startZ3950Server({ faults })
    return { server, object: `${server.url}books?b1`, missing: `${server.url}books?nope` }
  },
})

type Options = Parameters<typeof startZ3950Server>[0]

/** The octets that a path gives, and what the server received. */
async function retrieve(path: string, options: Options = {}, request: RetrieveOptions = {}) {
  await using server = await startZ3950Server(options)
  // Only a server that stalls needs to be given up soon; 131,072 elements take a busy machine over a second.
  const idleTimeout = options.faults?.stall === undefined ? 20_000 : 1000
  await using client = createClient({ limits: { maxRetries: 0, idleTimeout } })
  const representation = await client.retrieve(server.url + path, request)
  const octets = Buffer.from(await representation.bytes())
  await server.waitForConnections(0)
  return { representation, octets, text: octets.toString(), received: [...server.received] }
}

describe('records', () => {
  test('the preferred syntax, or the first that the server has', async () => {
    const first = await retrieve('books?b1;rs=usmarc')
    expect(first.text).toBe(marc)
    expect(first.representation).toMatchObject({
      kind: 'object',
      mediaType: 'application/marc',
      size: marc.length,
      completeness: 'verified',
      metadata: { syntax: 'usmarc', elementSet: 'F', database: 'books', server: 'Retriever test server' },
    })
    expect(first.received).toEqual(['init', 'search books b1', 'present 1+1 F usmarc'])
    const later = await retrieve('books?b1;esn=b;rs=explain+unimarc+SUTRS')
    expect(later.representation).toMatchObject({ mediaType: 'text/plain', charset: 'utf-8' })
    expect(later.text).toBe('How to program a computer\n')
    expect(later.received.slice(2)).toEqual([
      'present 1+1 b 1.2.840.10003.5.100',
      'present 1+1 b unimarc',
      'present 1+1 b sutrs',
    ])
  })

  test('a server without the element set is asked without one, unless the URL names it', async () => {
    const { text, received } = await retrieve('books?b1', { oneElementSet: true })
    expect(text).toBe(marc)
    expect(received.slice(2)).toEqual(['present 1+1 F usmarc', 'present 1+1 usmarc'])
    await expect(retrieve('books?b1;esn=F', { oneElementSet: true })).rejects.toMatchObject({
      code: 'server-refused',
      reply: '25 element set name is not valid for this database: F',
    })
  })

  test('XML', async () => {
    const { representation, text } = await retrieve('books?elecworld.v30.n19;rs=xml')
    expect(representation.mediaType).toBe('application/xml')
    expect(text).toContain('<dc:title>Water and &lt;electricity> &amp; more</dc:title>')
  })

  test('fragments are put together', async () => {
    expect((await retrieve('misbehaviour?fragments')).text).toBe(marc)
  })

  test('a string in segments', async () => {
    expect((await retrieve('misbehaviour?segmented%20string;rs=sutrs')).text).toBe('in two pieces')
  })

  test.each(['bytes', 'split-crlf'] as const)('segments of TCP: %s', async (chunking) => {
    expect((await retrieve('books?b1;rs=usmarc', { faults: { chunking } })).text).toBe(marc)
  })
})

describe('R33, property 12: failures', () => {
  test.each<readonly [string, Options, string, RegExp]>([
    ['books?nope', {}, 'not-found', /no document nope/],
    ['doubles?twice', {}, 'not-found', /not unique, .*: 2 hits/],
    ['nowhere?b1', {}, 'not-found', /109 database unavailable: nowhere/],
    ['books?b1;rs=explain', {}, 'server-refused', /239 record syntax is not supported: 1\.2\.840/],
    ['books?b1;rs=unimarc', {}, 'server-refused', /238 .*: not in UNIMARC/],
    ['books?b1;rs=nothing', {}, 'malformed-url', /record syntaxes/],
    ['books?b1', { faults: { stall: 'greeting' } }, 'timeout', /idleTimeout/],
    ['books?b1', { faults: { stall: 'response' } }, 'timeout', /idleTimeout/],
    ['books?b1', { faults: { stall: 'body' } }, 'timeout', /idleTimeout/],
    ['books?b1', { faults: { shortBody: 5 } }, 'receive-failed', /within a message/],
    ['books?b1', { faults: { resetAfter: 50 } }, 'receive-failed', /./],
    ['books?b1', { faults: { replies: { greeting: '' } } }, 'receive-failed', /before it had answered/],
    ['books?b1', { faults: { replies: { greeting: 'SSH-2.0-OpenSSH_9.2\r\n' } } }, 'protocol-violation', /no Z39\.50/],
    [
      'books?b1',
      { faults: { replies: { greeting: '220 ready\r\n' } } },
      'protocol-violation',
      /begins with no message/,
    ],
    ['books?b1', { faults: { replies: { greeting: '\xb5\x03\x8c\x01\0' } } }, 'access-denied', /gives no reason/],
    ['books?a%0Ab', {}, 'refused', /./],
  ])('%s of a server with %j is %s', async (path, options, code, message) => {
    await expect(retrieve(path, options)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test.each([
    ['huge', 'limit-exceeded'],
    ['long length', 'protocol-violation'],
    ['long tag', 'protocol-violation'],
    ['negative', 'not-found'],
    ['too many', 'protocol-violation'],
    ['no status', 'protocol-violation'],
    ['failed', 'server-refused'],
    ['wrong message', 'protocol-violation'],
    ['closed', 'server-refused'],
    ['access control', 'access-denied'],
    ['escapes', 'server-refused'],
    ['busy', 'server-refused'],
    ['endless', 'limit-exceeded'],
    ['endless segments', 'limit-exceeded'],
    ['large segments', 'limit-exceeded'],
    ['deep', 'protocol-violation'],
    ['crowded', 'protocol-violation'],
    ['false length', 'protocol-violation'],
    ['primitive without length', 'protocol-violation'],
    ['empty', 'protocol-violation'],
    ['generous', 'protocol-violation'],
    ['no external', 'protocol-violation'],
    ['surrogate', 'access-denied'],
    ['lost fragment', 'protocol-violation'],
    ['open fragment', 'protocol-violation'],
    ['closing', 'server-refused'],
  ])('cases 42, 43 and 63, property 18: the misbehaviour "%s" is %s', async (name, code) => {
    const failure = await retrieve(`misbehaviour?${encodeURIComponent(name)}`).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code })
    expect(String((failure as Error).message)).toMatch(/^[\x20-\x7E]*$/)
  })

  test.each([
    ['deep', 'it nests deeper than 64'],
    ['crowded', 'it has over 131072 elements'],
    ['false length', 'an element is longer than its place'],
    ['false length of octets', 'an element is longer than its place'],
    ['lost fragment', 'the pieces of a record are out of order'],
    ['open fragment', 'a record breaks off'],
  ])('the misbehaviour "%s" is told as such: %s', async (name, words) => {
    const failure = await retrieve(`misbehaviour?${encodeURIComponent(name)}`).catch((error: unknown) => error)
    expect((failure as Error).message).toContain(words)
  })

  test('R40: an abort closes the connection', async () => {
    await using server = await startZ3950Server({ faults: { stall: 'body' } })
    await using client = createClient()
    const abort = new AbortController()
    const connected = server.waitForConnections(1)
    const outcome = client.retrieve(`${server.url}books?b1`, { signal: abort.signal })
    const failed = expect(outcome).rejects.toMatchObject({ code: 'aborted' })
    await connected
    abort.abort()
    await failed
    await server.waitForConnections(0)
  })
})
