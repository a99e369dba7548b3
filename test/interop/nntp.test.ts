import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure, retrieveToFile, type ServerUnderTest, suite } from './suite.ts'

suite('sn', (server) => {
  reader(server, { dots: 40, none: '430' }) // sn numbers from 10 on, and knows no 423

  test('a port where nobody listens', () => failure(7, server.url('nntp', '/test.alpha/40', { offset: 3 })))
})

suite('inn2', (server) => {
  reader(server, { dots: 31, none: '423' })

  test('an article from the port that serves readers only after MODE READER', async () => {
    const url = server.url('nntp', '/test.alpha/31', { offset: 1 })
    expect(bodyOf(await retrieveToFile(url))).toEqual(await posted(server, 'dots'))
  })

  test('a user with a password', async () => {
    const url = server.url('nntp', '/test.alpha/31', { offset: 3, user: 'alice:secret' })
    expect(bodyOf(await retrieveToFile(url))).toEqual(await posted(server, 'dots'))
  })

  test('no password where one is needed', async () => {
    expect(await failure(67, server.url('nntp', '/test.alpha/31', { offset: 3 }))).toContain('480')
  })
})

/** What any server for readers must do. `dots`: the number there of the article of that name; `none`: its reply to a wrong one. */
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

  test('the library: a group', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('nntp', '/test.beta'))
    expect(representation.kind).toBe('listing')
    const entries: unknown[] = []
    for await (const entry of representation.entries()) entries.push(entry)
    expect(entries).toHaveLength(11)
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
