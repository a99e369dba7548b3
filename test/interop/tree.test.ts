/** walk() and mirror() on real servers. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type MirrorResult } from '@retriever/fetchers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectOctets, type ServerUnderTest, suite } from './suite.ts'

interface Tree {
  readonly scheme: string
  readonly path: string
  /** Where the server has the tree, below its work directory. */
  readonly root: string
  /** The paths that are skipped: links, and what leads out of the tree. */
  readonly skipped?: readonly string[]
  /** The outcome of a second run. */
  readonly again?: 'skipped' | 'saved'
}

async function read(url: string): Promise<Uint8Array> {
  await using client = createClient()
  return await (await client.retrieve(url)).bytes()
}

/** Mirrors a tree twice, and compares each file. */
function mirrors(server: ServerUnderTest, { scheme, path, root, skipped = [], again = 'skipped' }: Tree): void {
  describe(`the tree at ${path} by ${scheme}`, () => {
    let folder = ''
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'interop-mirror-'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    async function run(): Promise<MirrorResult[]> {
      await using client = createClient()
      const results: MirrorResult[] = []
      const { isComplete } = await client.mirror(server.url(scheme, path), folder, {
        onResult: (result) => results.push(result),
      })
      expect(isComplete).toBe(scheme !== 'gopher')
      return results.filter(({ outcome, path: each }) => !(outcome === 'skipped' && skipped.includes(each)))
    }

    test('comes whole', async () => {
      const results = await run()
      expect(results.filter(({ outcome }) => outcome !== 'saved')).toEqual([])
      expect(results.length).toBeGreaterThan(5)
      for (const result of results) {
        if (result.outcome !== 'saved') continue
        const octets = readFileSync(result.file)
        // Gopher sends texts with other line ends than the file has, and menus tell no dates.
        if (scheme === 'gopher') expectOctets(octets, Buffer.from(await read(result.url)))
        else {
          const source = join(server.path(root), result.path)
          expectOctets(octets, readFileSync(source))
          expect(lstatSync(result.file).mtime).toEqual(lstatSync(source).mtime)
        }
      }
      expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThanOrEqual(results.length)
    })

    test(`and a second run finds each file ${again}`, async () => {
      const results = await run()
      expect(results.filter(({ outcome }) => outcome !== again)).toEqual([])
      expect(results.some(({ path: each }) => each.includes('/'))).toBe(true)
    })
  })
}

suite('vsftpd', (server) => mirrors(server, { scheme: 'ftp', path: '/pub/', root: 'root/pub', skipped: ['link.txt'] }))
suite('proftpd', (server) => mirrors(server, { scheme: 'ftp', path: '/pub/', root: 'root/pub', skipped: ['link.txt'] }))
suite('nginx', (server) => mirrors(server, { scheme: 'http', path: '/files/', root: 'root/files' }))
suite('apache', (server) => mirrors(server, { scheme: 'http', path: '/files/', root: 'root/files' }))
suite('gophernicus', (server) =>
  mirrors(server, { scheme: 'gopher', path: '/1/docs', root: 'root/docs', skipped: ['__'], again: 'saved' }))
