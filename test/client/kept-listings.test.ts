/** Listings whose octets a step gives, as from an archive: they have the entries that they had. */
import { createClient, type Entry, type Representation } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { afterAll, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'

const servers = await startServers({
  ...{ dict: true, imap: true, nfs: true, pop3: true, prospero: true, wais: true },
})
const client = createClient()
afterAll(async () => {
  await client.close()
  await servers.close()
})

/** The representation that is made of kept octets. */
async function reread(
  url: string,
  body: Uint8Array | string,
  { mediaType, charset }: Pick<Representation, 'mediaType' | 'charset'>,
) {
  await using offline = createClient({ use: [() => ({ body, mediaType, charset })] })
  const found = await offline.retrieve(url)
  return { kind: found.kind, entries: found.hasEntries ? await entriesOf(found) : null }
}

const withLogin = (url: string): string => url.replace('//', '//alice:secret@')
const text = { mediaType: 'text/plain', charset: 'utf-8' }
/** The facts of an entry that a link needs. The lines of IMAP do not tell the UIDVALIDITY. */
const facts = ({ name, kind, url, size }: Entry): Partial<Entry> => ({
  ...{ name, kind, url: url?.replace(/;UIDVALIDITY=\d+/, '') ?? null },
  ...(size && { size }),
})

test.each([
  ['dict: matches', () => `${servers.dict.url}m:u:*:prefix`],
  ['dict: databases', () => `${servers.dict.url}show:db`],
  ['dict: strategies', () => `${servers.dict.url}show:strat`],
  ['imap: mailboxes', () => withLogin(servers.imap.url)],
  ['imap: messages', () => `${withLogin(servers.imap.url)}INBOX`],
  ['imap: messages that are found', () => `${withLogin(servers.imap.url)}INBOX?ALL`],
  ['nfs: a root', () => servers.nfs.url],
  ['nfs: a folder', () => `${servers.nfs.url}pub/`],
  ['pop', () => withLogin(servers.pop3.url)],
  ['prospero', () => `${servers.prospero.url}/docs`],
  ['wais', () => `${servers.wais.url}demo?ark`],
])('%s', async (_, url) => {
  const octets = await (await client.retrieve(url())).bytes()
  const live = await client.retrieve(url())
  // The lines of NFS are text: of a name in another encoding, they do not have the octets.
  const wanted = (await entriesOf(live)).filter(({ url }) => live.mechanism !== 'nfs' || !url?.includes('%FF'))
  expect(wanted.length).toBeGreaterThan(0)
  const { kind, entries } = await reread(live.url, octets, live)
  expect(kind).toBe('listing')
  expect(entries?.map(facts)).toEqual(expect.arrayContaining(wanted.map(facts)))
})

test('imap: the UIDVALIDITY is that of the URL', async () => {
  const body = '* 1 FETCH (UID 5 RFC822.SIZE 155 INTERNALDATE "03-Feb-2001 04:05:06 +0000" FLAGS (\\Seen))\r\n'
  const { entries } = await reread('imap://127.0.0.1/INBOX;UIDVALIDITY=7', body, text)
  const url = 'imap://127.0.0.1/INBOX;UIDVALIDITY=7/;UID=5'
  const details = { uid: '7.5', flags: ['\\Seen'] }
  const modified = new Date('2001-02-03T04:05:06Z')
  expect(entries).toEqual([{ name: '5', kind: 'article', url, size: 155, modified, details }])
})

test('sftp: the lines of several servers', async () => {
  const body = [
    '-rw-r--r--    1 alice    users          12 Feb  3  2001 two  words',
    'drwxr-sr-x+   2 1000     1000         4096 Nov 27 12:05 folder',
    'lrwxrwxrwx    ? 0        0               4 Nov 27 12:05 link -> folder/x',
    'crw-rw-rw-    1 root     root            0 Jan  1  1970 null',
    'a name alone',
    '../out',
  ].join('\n')
  const { kind, entries } = await reread('sftp://127.0.0.1/pub/', body, text)
  expect((await reread('sftp://127.0.0.1', body, text)).kind).toBe('listing')
  const base = 'sftp://127.0.0.1/pub'
  expect({ kind, entries: entries?.map(facts) }).toEqual({
    kind: 'listing',
    entries: [
      { name: 'two  words', kind: 'file', url: `${base}/two%20%20words`, size: 12 },
      { name: 'folder', kind: 'directory', url: `${base}/folder/` },
      { name: 'link', kind: 'link', url: `${base}/link` },
      { name: 'null', kind: 'other', url: `${base}/null` },
      { name: 'a name alone', kind: 'other', url: `${base}/a%20name%20alone` },
      { name: '../out', kind: 'other', url: null },
    ],
  })
})

test.each([
  ['sftp://127.0.0.1/', '-rw-r--r-- 1 voilà domain users 12 Feb  3 2001 à', 'sftp://127.0.0.1/%C3%A0'],
  ['nfs://127.0.0.1/', '-rw-r--r-- Рита à 12 2001-02-03T04:05:06Z à', 'nfs://127.0.0.1/%C3%A0'],
  ['news://127.0.0.1/*', 'fr.voilà 9 1 y', 'nntp://127.0.0.1/fr.voil%C3%A0'],
  ['gopher://127.0.0.1/1/', 'hx\tURL:http://a/à\t127.0.0.1\t70', 'http://a/%C3%A0'],
  ['gopher://127.0.0.1/1/', 'hx\tGET /à/b\t127.0.0.1\t80', 'http://127.0.0.1/%C3%A0/b'],
  ['gopher://127.0.0.1/1/', '1x\t/\tvoilà\t70', 'gopher://voilà/1/'],
])('%s: in %s, the octet A0 is half a letter and no blank', async (url, line, wanted) => {
  const { entries } = await reread(url, `${line}\n`, text)
  expect(entries?.map((entry) => entry.url)).toEqual([wanted])
})

test('lines that no client has kept give no date, size or score that is none', async () => {
  const nfs = '-rw-r--r-- 1 1 12 2001-99-99T04:05:06Z bad\n-rw-r--r-- 1 1 12 +010000-01-01T00:00:00Z late\n'
  const late = await reread('nfs://127.0.0.1/', nfs, text)
  expect(late.entries?.map(({ name, modified }) => [name, modified?.getTime()])).toEqual([
    ['late', Date.UTC(10_000, 0, 1)],
  ])
  const wais = await reread('wais://127.0.0.1/db?x', 'many\t1e92\t\ttitle\t\n', text)
  expect(wais.entries).toEqual([{ name: 'title', kind: 'file', url: null, details: { types: [] } }])
  const [line, zone] = ['* 1 FETCH (UID 5 INTERNALDATE "30-Feb-2001 04:05:06 +0000")\r\n', ' 3-Feb-2001 04:05:06 -0130']
  const days = await reread('imap://127.0.0.1/INBOX', `${line}${line.replace(/"30[^"]*/, `"${zone}`)}`, text)
  expect(days.entries?.map(({ modified }) => modified)).toEqual([undefined, new Date('2001-02-03T05:35:06Z')])
})

test.each([
  'dict://127.0.0.1/d:url',
  'imap://127.0.0.1/INBOX/;UID=5',
  'nfs://127.0.0.1/a.txt',
  'pop://127.0.0.1/5',
  'sftp://127.0.0.1/a.txt',
  'wais://127.0.0.1/demo',
])('%s is no listing', async (url) => {
  expect(await reread(url, '1 2\n', text)).toEqual({ kind: 'object', entries: null })
})

test('prospero: a file is no listing, and a text that no server sends is an error', async () => {
  const url = 'prospero://127.0.0.1/a'
  const octets = { mediaType: 'application/octet-stream', charset: null }
  expect(await reread(url, 'LINK\n', octets)).toEqual({ kind: 'object', entries: null })
  await expect(reread(url, 'LINK\n', text)).rejects.toMatchObject({ code: 'protocol-violation' })
})
