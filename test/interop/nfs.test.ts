import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { errorOf, expectOctets, type ServerUnderTest, suite } from './suite.ts'

suite('ganesha', (server) => {
  describe.each([
    ['version 3, by MOUNT', 0, 3],
    ['version 4', 2, 4],
  ])('%s', (_name, offset, version) => {
    const url = (path: string) => urlOf(server, path, offset)
    const client = () => createClient({ nfs: { mountPort: server.port() + 1 }, limits: { maxRetries: 0 } })

    test.each([
      ['plain.txt', 'plain.txt'],
      ['empty.txt', 'empty.txt'],
      ['big.bin', 'big.bin'],
      ['sub/deep/file.txt', 'sub/deep/file.txt'],
      ['name%20with%20spaces.txt', 'name with spaces.txt'],
      ['100%2525%23%3F.txt', '100%25#?.txt'],
      ['gr%C3%BC%C3%9Fe.txt', 'grüße.txt'],
      ['link.txt', 'plain.txt'],
      ['spacelink', 'name with spaces.txt'],
      ['sublink/deep/file.txt', 'sub/deep/file.txt'],
    ])('%s: the octets of the export', async (path, file) => {
      await using own = client()
      const representation = await own.retrieve(url(path))
      expectOctets(await representation.bytes(), await server.seed(`root/${file}`))
      expect(representation).toMatchObject({ completeness: 'verified', metadata: { version } })
      expect(representation.modified).toEqual(new Date(Date.UTC(2001, 1, 3, 4, 5, 6)))
    })

    test('a name that is not UTF-8', async () => {
      await using own = client()
      expect(await (await own.retrieve(url('%FF.txt'))).text()).toBe('octet\n')
    })

    test('a directory of 2,000 files: the names and sizes of the export', async () => {
      await using own = client()
      const entries = await entriesOf(await own.retrieve(url('many/')))
      expect(entries.map(({ name }) => name).sort()).toEqual(readdirSync(server.path('root/many')).sort())
      expect(entries).toHaveLength(2000)
      expect(entries.find(({ name }) => name === 'file 777.txt')).toMatchObject({ kind: 'file', size: 4 })
      const { url: one } = entries.find(({ name }) => name === 'file 1234.txt') ?? {}
      expect(await (await own.retrieve(one ?? '')).text()).toBe('1234\n')
    })

    test('a gibibyte: the octets of the export, in bounded memory', { timeout: 120_000 }, async () => {
      await using own = client()
      const representation = await own.retrieve(url('huge.bin'))
      expect(representation.size).toBe(2 ** 30)
      const hash = createHash('sha256')
      const before = process.memoryUsage().arrayBuffers
      let most = 0
      let count = 0
      for await (const chunk of representation) {
        hash.update(chunk)
        if (++count % 64 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers - before)
      }
      expect(hash.digest('hex')).toBe(await sha256Of(server.path('root/huge.bin')))
      // A window of 4 MiB, and what the collector has not taken yet.
      expect(most).toBeLessThan(192 * 1024 * 1024)
    })

    test('what is refused', async () => {
      await using own = client()
      expect(await errorOf(own.retrieve(url('nope')))).toMatchObject({ code: 'not-found', reply: /NOENT/ })
      expect(await errorOf(own.retrieve(url('private/file.txt')))).toMatchObject({ code: 'access-denied' })
      expect(await errorOf(own.retrieve(url('loop')))).toMatchObject({ code: 'too-many-redirects' })
    })
  })

  test('the octets that nfs-cat of libnfs gets', async () => {
    const path = `${server.path('root')}/big.bin`
    const port = server.port()
    const theirs = execFileSync('nfs-cat', [`nfs://127.0.0.1${path}?nfsport=${port}&mountport=${port + 1}`], {
      maxBuffer: 2 ** 24,
    })
    await using own = createClient({ nfs: { mountPort: port + 1 } })
    expectOctets(await (await own.retrieve(urlOf(server, 'big.bin', 0))).bytes(), theirs)
  })
})

function urlOf(server: ServerUnderTest, path: string, offset: number): string {
  const folder = offset === 0 ? server.path('root') : '/export'
  return server.url('nfs', `${folder}/${path}`, { offset })
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
