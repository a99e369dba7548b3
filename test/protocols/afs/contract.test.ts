import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Entry, type Representation } from '@retriever/fetchers'
import type { Fetcher } from '@retriever/fetchers/plugin'
import { testFetcher } from '@retriever/servers/contract'
import { describe, expect, test } from 'vitest'
import { retrieveBelow } from '../../../packages/fetchers/src/protocols/afs/retrieve-below.ts'
import { failureOf } from '../../support/contract/observe.ts'
import { everyOctet } from '../../support/contract/octets.ts'

/** A folder in place of /afs, with one cell. */
async function cell() {
  const mount = await mkdtemp(join(tmpdir(), 'retriever-'))
  const folder = join(mount, 'cell.example')
  await mkdir(join(folder, 'sub'), { recursive: true })
  await writeFile(join(folder, 'a.bin'), everyOctet)
  await writeFile(join(folder, 'name with %, ? and #.txt'), 'x')
  await symlink('a.bin', join(folder, 'link'))
  return { mount, [Symbol.asyncDispose]: () => rm(mount, { recursive: true }) }
}

function at(mount: string): Fetcher<'afs'> {
  return { mechanism: 'afs', retrieve: (plan, context) => retrieveBelow(mount, plan, context) }
}

// The suite names URLs alone, so its clients have a fetcher that finds the folder of the latest place.
let mounted = ''
testFetcher(
  {
    mechanism: 'afs',
    bytes: everyOctet,
    entries: ['a.bin', 'name with %, ? and #.txt', 'sub', 'link'],
    createClient: (options) => createClient({ ...options, fetchers: [at(mounted)] }),
    async start() {
      const place = await cell()
      mounted = place.mount
      return {
        object: 'afs://cell.example/a.bin',
        missing: 'afs://cell.example/nope',
        listing: 'afs://cell.example/',
        [Symbol.asyncDispose]: place[Symbol.asyncDispose],
      }
    },
  },
  { describe, test },
)

async function entriesOf(listing: Representation): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of listing.entries()) entries.push(entry)
  return entries
}

test('the entries of a directory have afs URLs that retrieve', async () => {
  await using place = await cell()
  await using client = createClient({ fetchers: [at(place.mount)] })
  const root = await client.retrieve('afs:/afs/')
  const cells = await entriesOf(root)
  expect(cells).toMatchObject([{ name: 'cell.example', kind: 'directory', url: 'afs:/afs/cell.example/' }])
  const entries = await entriesOf(await client.retrieve(cells[0]?.url ?? ''))
  const odd = entries.find(({ name }) => name.startsWith('name'))
  expect(odd?.url).toBe('afs:/afs/cell.example/name%20with%20%25%2C%20%3F%20and%20%23.txt')
  expect(await (await client.retrieve(odd?.url ?? '')).text()).toBe('x')
  expect(entries.find(({ name }) => name === 'link')).toMatchObject({ kind: 'link', details: { target: 'a.bin' } })
})

test('parts of a file, as of a file URL', async () => {
  await using place = await cell()
  await using client = createClient({ fetchers: [at(place.mount)] })
  const part = await client.retrieve('afs://cell.example/a.bin', { range: [10, 19] })
  expect(Buffer.from(await part.bytes())).toEqual(Buffer.from(everyOctet).subarray(10, 20))
})

test('where no AFS is mounted, the error says so', async () => {
  await using client = createClient({ fetchers: [at('/nonexistent/afs')] })
  const failure = await failureOf(client.retrieve('afs://cell.example/a.bin'))
  expect(failure).toMatchObject({ code: 'not-found', message: expect.stringContaining('is not here') })
})

test.each([
  'afs://cell/../../etc/passwd',
  'afs:/afs/%2e%2e/etc/passwd',
  'afs:/afs/..%2fetc',
  'afs:/afs/a%2fb',
  'afs:///..',
  'afs:/afs/a%00b',
])('%s names nothing outside', async (url) => {
  await using client = createClient()
  expect(await failureOf(client.retrieve(url))).toMatchObject({ code: 'malformed-url' })
})

test('a plan of another scheme does not escape either', async () => {
  await using place = await cell()
  const plan = { mechanism: 'afs', path: '/afs/../etc/passwd', wire: [] } as const
  const afs = { name: 'afs', title: '', spec: '', mechanism: 'afs', defaultPort: null, tls: 'none' } as const
  const rest = { host: 'optional', userinfo: 'forbidden', query: false, lineParts: [], resolve: () => plan } as const
  await using client = createClient({ fetchers: [at(place.mount)], schemes: [{ ...afs, ...rest }] })
  expect(await failureOf(client.retrieve('afs:/x'))).toMatchObject({ code: 'refused' })
})

test('no link of a server leads to it', async () => {
  const retrieve = async () => ({ outcome: 'redirect', location: 'afs:/afs/cell/x', status: 302 }) as const
  await using client = createClient({ fetchers: [{ mechanism: 'http', retrieve }] })
  expect(await failureOf(client.retrieve('http://h/'))).toMatchObject({ code: 'refused' })
})
