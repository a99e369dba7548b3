import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import {
  entriesOf,
  errorOf,
  failure,
  retrieve,
  retrieveToFile,
  type ServerUnderTest,
  suite,
  trusting,
} from './suite.ts'

suite('sn', (server) => {
  reader(server, { dots: 40, none: '430' }) // sn numbers from 10 on, and knows no 423

  test('the overview of a group, by XOVER: there is no OVER', async () => {
    const numbers = await numbersOf(server.url('nntp', '/test.alpha'))
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => 10 + index))
  })

  test('an article whose body is empty, in which sn sends an empty line', async () => {
    expect(bodyOf(await retrieveToFile(server.url('news', '/empty-body@example.net'))).toString()).toBe('\r\n')
  })

  test('a login that the server never asks for is not made', async () => {
    const url = server.url('nntp', '/test.alpha/40', { user: 'alice:secret' })
    expect(bodyOf(await retrieveToFile(url))).toEqual(await posted(server, 'dots'))
  })

  test('a port where nobody listens', () => failure(7, server.url('nntp', '/test.alpha/40', { offset: 3 })))
})

suite('inn2', (server) => {
  const certificate = 'etc/cert.pem'
  reader(server, { dots: 31, none: '423' })

  test('the overview of a group, without the article that was cancelled', async () => {
    const numbers = await numbersOf(server.url('nntp', '/test.alpha'))
    expect(numbers).toEqual(Array.from({ length: 39 }, (_, index) => 1 + index))
  })

  test('the newest article of a group whose highest number is that of a cancelled one', async () => {
    const url = server.url('nntp', '/test.alpha')
    const newest = async (limit: number): Promise<unknown[]> => {
      return (await entriesOf(url, {}, { limit })).map(({ details }) => details?.number)
    }
    expect(await newest(1)).toEqual([39])
    expect(await newest(3)).toEqual([39, 38, 37])
    expect(await newest(100)).toHaveLength(39)
  })

  test('the newest articles of a group with gaps, and of a sparse one', async () => {
    const url = server.url('nntp', '/sparse.alpha')
    const all = await entriesOf(url)
    expect(all.map(({ details }) => details?.number)).toEqual([20, 19, 10, 1])
    for (const limit of [1, 2, 3, 4, 5]) expect(await entriesOf(url, {}, { limit })).toEqual(all.slice(0, limit))
  })

  test('the groups have their descriptions', async () => {
    const [alpha] = await entriesOf(server.url('news', '/test.a*'))
    expect(alpha?.details?.description).toBe('First test group.')
  })

  test('an article whose body is empty', async () => {
    expect(bodyOf(await retrieveToFile(server.url('news', '/empty-body@example.net')))).toHaveLength(0)
  })

  test('an article that was cancelled', async () => {
    expect(await failure(78, server.url('nntp', '/test.alpha/40'))).toContain('423')
    expect(await failure(78, server.url('news', '/cancelled@example.net'))).toContain('430')
  })

  test('the port that serves readers only after MODE READER: an article, a group, the groups', async () => {
    const url = server.url('nntp', '/test.alpha/31', { offset: 1 })
    expect(bodyOf(await retrieveToFile(url))).toEqual(await posted(server, 'dots'))
    expect(await numbersOf(server.url('nntp', '/test.moderated', { offset: 1 }))).toEqual([1])
    expect(await namesOf(server.url('news', '/test.*', { offset: 1 }))).toEqual(groups)
    const byId = await retrieveToFile(server.url('news', '/latin1@example.net', { offset: 1 }))
    expect(bodyOf(byId)).toEqual(await posted(server, 'latin1'))
  })

  test.each([
    ['test.?eta', 'test.beta'],
    ['*.m*', 'test.moderated'],
    ['test.*,!*.?e*', 'test.alpha test.empty test.moderated'],
    ['none.*', ''],
  ])('the wildmat %s', async (wildmat, names) => {
    const url = server.url('news', `/${wildmat.replaceAll('?', '%3F')}`)
    expect((await namesOf(url)).join(' ')).toBe(names)
  })

  describe('nntps', () => {
    const url = (path: string): string => server.url('nntps', path, { offset: 2 })

    test('an article, by the command', async () => {
      const article = await retrieveToFile(url('/test.alpha/31'), '--cacert', server.path(certificate))
      expect(bodyOf(article)).toEqual(await posted(server, 'dots'))
    })

    test('the entries of a group stay on it', async () => {
      const options = await trusting(server, certificate)
      const entries = await entriesOf(url('/test.moderated'), options)
      expect(entries).toMatchObject([{ name: 'Approved', url: url('/test.moderated/1') }])
      expect(await bodyBy(entries[0]?.url ?? '', options)).toEqual(await posted(server, 'mod1'))
    })

    test('snews, by message-id', async () => {
      const article = server.url('snews', '/utf8@example.net', { offset: 2 })
      expect(await bodyBy(article, await trusting(server, certificate))).toEqual(await posted(server, 'utf8'))
    })

    test('a certificate that nobody vouches for', async () => {
      expect(await failure(60, url('/test.alpha/31'))).toMatch(/certificate/)
    })

    test('a server that begins in the clear', async () => {
      const clear = server.url('nntps', '/test.alpha/31')
      expect(await failure(35, '--cacert', server.path(certificate), clear)).toMatch(/TLS/)
    })
  })

  describe('STARTTLS', () => {
    const requireTls = async (): Promise<ClientOptions> => ({
      ...(await trusting(server, certificate)),
      defaults: { requireTls: true },
    })

    test('an article, by --ssl-reqd', async () => {
      const options = ['--ssl-reqd', '--cacert', server.path(certificate)]
      const article = await retrieveToFile(server.url('nntp', '/test.alpha/31'), ...options)
      expect(bodyOf(article)).toEqual(await posted(server, 'dots'))
    })

    test('the library: an article, a group and the groups', async () => {
      const options = await requireTls()
      expect(await bodyBy(server.url('news', '/utf8@example.net'), options)).toEqual(await posted(server, 'utf8'))
      expect(await numbersOf(server.url('nntp', '/test.moderated'), options)).toEqual([1])
      expect((await entriesOf(server.url('news', '/test.*'), options)).map(({ name }) => name)).toEqual(groups)
    })

    test('STARTTLS comes before all else, and the login after it', async () => {
      const events: RetrievalEvent[] = []
      const url = server.url('nntp', '/test.alpha/31', { offset: 3, user: 'alice:secret' })
      const options = { ...(await requireTls()), onEvent: (event: RetrievalEvent) => events.push(event) }
      expect(await bodyBy(url, options)).toEqual(await posted(server, 'dots'))
      const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets.trim()] : []))
      expect(sent[0]).toBe('STARTTLS')
      expect(sent.indexOf('AUTHINFO USER alice')).toBeGreaterThan(0)
      expect(sent.join()).not.toContain('secret')
    })

    test('a certificate that nobody vouches for', async () => {
      expect(await failure(60, '--ssl-reqd', server.url('nntp', '/test.alpha/31'))).toMatch(/certificate/)
    })
  })

  describe('AUTHINFO, on the port where all needs it', () => {
    const url = (path: string, user = ''): string => server.url('nntp', path, { offset: 3, user })

    test('a user with a password, in the URL and by -u', async () => {
      const dots = await posted(server, 'dots')
      expect(bodyOf(await retrieveToFile(url('/test.alpha/31', 'alice:secret')))).toEqual(dots)
      expect(bodyOf(await retrieveToFile(url('/test.alpha/31'), '-u', 'alice:secret'))).toEqual(dots)
    })

    test('groups and the list of groups', async () => {
      expect(await numbersOf(url('/test.moderated', 'alice:secret'))).toEqual([1])
      expect(await namesOf(url('/test.*', 'alice:secret'))).toEqual(groups)
    })

    test('no password where one is needed', async () => {
      expect(await failure(67, url('/test.alpha/31'))).toContain('480')
    })

    test('a wrong password: refused, and not repeated to anybody', async () => {
      const said = await failure(67, url('/test.alpha/31', 'alice:s3same'))
      expect(said).toContain('481')
      expect(said).not.toContain('s3same')
      expect(await failure(67, '-u', 'mallory:secret', url('/test.alpha/31'))).toContain('481')
    })

    test('the library: by credentials that are asked for', async () => {
      const asked: unknown[] = []
      const credentials: ClientOptions['credentials'] = (challenge) => {
        asked.push(challenge)
        return { user: 'alice', password: 'secret' }
      }
      expect(await bodyBy(url('/test.alpha/31'), { credentials })).toEqual(await posted(server, 'dots'))
      expect(asked).toMatchObject([{ host: '127.0.0.1', user: null }])
      const wrong = errorOf(bodyBy(url('/test.alpha/31'), { credentials: () => ({ user: 'alice', password: 'x' }) }))
      expect(await wrong).toMatchObject({ code: 'auth-failed', phase: 'login' })
    })
  })
})

/** In the order of their names. */
const groups: readonly string[] = ['test.alpha', 'test.beta', 'test.empty', 'test.moderated']

async function namesOf(url: string): Promise<string[]> {
  return (await entriesOf(url)).map(({ name }) => name).sort()
}

/** The numbers of the articles that a listing has, whatever its order. */
async function numbersOf(url: string, options?: ClientOptions): Promise<number[]> {
  const entries = await entriesOf(url, options)
  return entries.map(({ details }) => Number(details?.number)).sort((one, other) => one - other)
}

/** The body of an article, by the library. */
async function bodyBy(url: string, options: ClientOptions): Promise<Buffer> {
  await using client = createClient(options)
  return bodyOf(Buffer.from(await (await client.retrieve(url)).bytes()))
}

/** Checks for every server for readers. `dots`: that article's number there; `none`: its reply to a wrong one. */
function reader(server: ServerUnderTest, { dots, none }: { dots: number; none: string }): void {
  test('an article by its number, lines that begin with dots restored', async () => {
    const article = await retrieveToFile(server.url('nntp', `/test.alpha/${dots}`))
    expect(article.toString()).toContain('Message-ID: <dots@example.net>\r\n')
    expect(bodyOf(article)).toEqual(await posted(server, 'dots'))
  })

  test('an article by its message-id, octets beyond ASCII unchanged', async () => {
    const article = await retrieveToFile(server.url('news', '/latin1@example.net'))
    expect(bodyOf(article)).toEqual(await posted(server, 'latin1'))
  })

  test('a missing article', async () => {
    expect(await failure(78, server.url('nntp', '/test.alpha/4000'))).toContain(none)
    expect(await failure(78, server.url('news', '/none@example.net'))).toContain('430')
  })

  test('a missing group', async () => {
    expect(await failure(78, server.url('nntp', '/test.none'))).toContain('411')
  })

  test('a range of articles, the newest first', async () => {
    const low = dots - 26
    const entries = await entriesOf(server.url('nntp', `/test.alpha/${low}-${low + 4}`))
    expect(entries.map(({ details }) => details?.number)).toEqual([4, 3, 2, 1, 0].map((more) => low + more))
    expect(entries[0]).toMatchObject({ name: 'Article 9 of the alpha group' })
    const rest = await entriesOf(server.url('nntp', `/test.alpha/${dots}-`))
    expect(rest.at(-1)).toMatchObject({ name: 'Lines starting with dots', details: { number: dots } })
    expect(await entriesOf(server.url('nntp', '/test.alpha/4000-4010'))).toEqual([])
  })

  test('the newest articles of a group, as many as are asked for', async () => {
    const url = server.url('nntp', '/test.beta')
    const all = await entriesOf(url)
    expect(await entriesOf(url, {}, { limit: 3 })).toEqual(all.slice(0, 3))
    const numbers = all.map(({ details }) => Number(details?.number))
    expect(numbers).toEqual([...numbers].sort((one, other) => other - one))
  })

  test('many articles at once, by one client', async () => {
    await using client = createClient()
    const ids = Array.from({ length: 30 }, (_, index) => `alpha${index + 1}`)
    const urls = ids.map((id) => server.url('news', `/${id}@example.net`))
    const bodies = new Map<string, Buffer>()
    for await (const { url, representation, error } of client.retrieveAll(urls)) {
      if (representation === null) throw error
      bodies.set(url, bodyOf(Buffer.from(await representation.bytes())))
    }
    for (const [index, id] of ids.entries()) expect(bodies.get(urls[index] ?? '')).toEqual(await posted(server, id))
  })

  test.each(['utf8', 'qp', 'b64', 'long', 'folded', 'cross'])('the article %s, octet for octet', async (id) => {
    const article = await retrieveToFile(server.url('news', `/${id}@example.net`))
    expect(article.toString()).toContain(`Message-ID: <${id}@example.net>\r\n`)
    expect(bodyOf(article)).toEqual(await posted(server, id))
  })

  test('a group as entries', async () => {
    const entries = await entriesOf(server.url('nntp', '/test.beta'))
    expect(entries).toHaveLength(11)
    const cross = entries.find(({ name }) => name === 'Cross-posted')
    expect(cross).toMatchObject({
      kind: 'article',
      modified: new Date('2001-02-03T00:38:00Z'),
      details: { from: 'Ann Author <ann@example.net>', messageId: 'cross@example.net', references: [], lines: 1 },
    })
    expect(bodyOf(await retrieveToFile(cross?.url ?? ''))).toEqual(await posted(server, 'cross'))
  })

  test('a group without articles', async () => {
    expect(await entriesOf(server.url('nntp', '/test.empty'))).toEqual([])
  })

  test('the groups lead to their articles', async () => {
    const entries = await entriesOf(server.url('news', '/test.*'))
    expect(entries.map(({ name }) => name).sort()).toEqual(groups)
    const alpha = entries.find(({ name }) => name === 'test.alpha')
    expect(alpha).toMatchObject({ kind: 'group', url: server.url('nntp', '/test.alpha') })
    expect(await numbersOf(alpha?.url ?? '')).toContain(dots)
    expect(await namesOf(server.url('news', '/*'))).toEqual(expect.arrayContaining([...groups]))
  })

  test('ls of a group, by the command', async () => {
    const { status, stdout } = await retrieve('ls', '--json', server.url('nntp', '/test.moderated'))
    expect(status).toBe(0)
    expect(JSON.parse(stdout.toString())).toMatchObject({
      name: 'Approved',
      details: { messageId: 'mod1@example.net' },
    })
  })

  test('the library: an article', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('news', '/utf8@example.net'))
    expect(bodyOf(Buffer.from(await representation.bytes()))).toEqual(await posted(server, 'utf8'))
  })
}

/** The server rewrites the header (Path, Xref, ...), never what follows the empty line. */
function bodyOf(article: Buffer): Buffer {
  const start = article.indexOf('\r\n\r\n')
  expect(start).toBeGreaterThan(0)
  return article.subarray(start + 4)
}

/** The body of a seed article with the line ends of the wire. */
async function posted(server: ServerUnderTest, id: string): Promise<Buffer> {
  const article = (await server.seed(`articles/${id}`)).toString('latin1')
  return Buffer.from(article.slice(article.indexOf('\n\n') + 2).replaceAll('\n', '\r\n'), 'latin1')
}
