/** Listings whose octets a step gives, as of an archive: they have the entries that they had when they came. */
import { createClient, type Entry, type Representation } from '@retriever/fetchers'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

let servers: TestServers
beforeAll(async () => {
  servers = await startServers()
})
afterEach(() => servers.reset())
afterAll(() => servers.close())

async function entriesOf(listing: Representation): Promise<{ kind: string; entries: readonly Entry[] }> {
  const entries: Entry[] = []
  for await (const entry of listing.entries()) entries.push(entry)
  return { kind: listing.kind, entries }
}

test.each([
  ['a Gopher menu', () => servers.gopher.url],
  ['results of a Gopher search', () => `${servers.gopher.url}7/search%09read`],
  ['the attributes of Gopher+', () => `${servers.gopher.url}1/%09%09$`],
  ['a page of Gemini', () => servers.gemini.url],
  ['an FTP folder by MLSD', () => `${servers.ftp.url}pub/`],
  ['an FTP folder by NLST', () => `${servers.ftp.url}pub/;type=d`],
  ['an index of HTTP', () => `${servers.http.url}pub/`],
  ['a newsgroup', () => `${servers.nntp.url}retriever.test`],
  ['newsgroups', () => `${servers.nntp.url}*`],
  ['entries of LDAP', () => `${servers.ldap.url}??sub`],
])('%s', async (_, url) => {
  await using online = createClient()
  const came = await online.retrieve(url())
  const { mediaType, charset } = came
  const body = await came.bytes()
  const known = await entriesOf(await online.retrieve(url()))
  expect(known.entries.length).toBeGreaterThan(0)
  await using offline = createClient({ use: [() => ({ body, mediaType, charset })] })
  const kept = await entriesOf(await offline.retrieve(url()))
  // Descriptions of newsgroups are another answer of the server.
  const withoutDescription = ({ details: { description: _, ...details } = {}, ...entry }: Entry) => ({
    ...entry,
    details,
  })
  expect({ ...kept, entries: kept.entries.map(withoutDescription) }).toEqual({
    ...known,
    entries: known.entries.map(withoutDescription),
  })
})

test.each([
  ['Unix', '-rw-r--r--   1 ftp ftp 14 Feb  3  2001 a.txt\r\n', { name: 'a.txt', kind: 'file', size: 14 }],
  ['Unix, with a total', 'total 8\r\ndrwxr-xr-x+  2 ftp ftp 4096 Feb  3  2001 b\r\n', { name: 'b', kind: 'directory' }],
  ['DOS', '02-03-01  04:05AM       <DIR>          b\r\n', { name: 'b', kind: 'directory' }],
  ['VMS', 'A.TXT;1   1/3  3-FEB-2001 04:05  [G,U]  (RWED,RWED,RE,)\r\n', { name: 'A.TXT;1', kind: 'file' }],
  ['EPLF', '+i8388621.48594,m825718503,r,s280,\tdjb.html\r\n', { name: 'djb.html', kind: 'file', size: 280 }],
  ['facts', '\r\ntype=file;size=14; a=b; c\r\n', { name: 'a=b; c', kind: 'file', size: 14 }],
  ['names', 'total cost.txt\r\n', { name: 'total cost.txt', url: 'ftp://127.0.0.1/pub/total%20cost.txt' }],
])('a kept FTP listing tells its format: %s', async (_, body, entry) => {
  await using client = createClient({ use: [() => ({ body })] })
  const { kind, entries } = await entriesOf(await client.retrieve('ftp://127.0.0.1/pub/'))
  expect({ kind, entries }).toMatchObject({ kind: 'listing', entries: [entry] })
})

test('what a step calls an object, or gives entries of its own, stays as it is', async () => {
  const own = async function* (): AsyncGenerator<Entry> {
    yield { name: 'own', kind: 'info', url: null }
  }
  await using object = createClient({ use: [() => ({ body: '0a\t/a\th\t70\r\n', kind: 'object' })] })
  expect((await object.retrieve('gopher://127.0.0.1/1/')).hasEntries).toBe(false)
  await using given = createClient({ use: [() => ({ body: '', entries: own })] })
  expect((await entriesOf(await given.retrieve('gopher://127.0.0.1/1/'))).entries).toMatchObject([{ name: 'own' }])
  await using file = createClient({ use: [() => ({ body: 'text' })] })
  expect((await file.retrieve('ftp://127.0.0.1/pub/a.txt')).hasEntries).toBe(false)
})
