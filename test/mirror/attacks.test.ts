/** Cases of docs/internals/threats.md, section 1, by number: what a listing says, and what a mirror makes of it. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Entry } from '@retriever/fetchers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeTree } from '../support/fake-tree.ts'

let jail = ''
beforeEach(() => {
  jail = mkdtempSync(join(tmpdir(), 'mirror-attacks-'))
})
afterEach(() => rmSync(jail, { recursive: true }))

/** Mirrors folders of these entries; the content of a file is its path. Gives what lies in the jail then. */
async function mirroredFrom(folders: Readonly<Record<string, readonly Entry[]>>, include = '**'): Promise<string[]> {
  async function* listing(entries: readonly Entry[]): AsyncGenerator<Entry> {
    yield* entries
  }
  const fetcher = fakeTree((path) => {
    const entries = folders[path]
    return entries === undefined ? null : listing(entries)
  })
  await using client = createClient({ fetchers: [fetcher] })
  await client.mirror('http://h/', join(jail, 'target'), { include })
  return readdirSync(jail, { recursive: true, encoding: 'utf8' }).sort()
}

type Tree = ReturnType<typeof fakeTree>

/** A fetcher that notes for each URL it is asked for what it sees of the context. */
function seeing(tree: Tree, see: (context: Parameters<Tree['retrieve']>[1]) => unknown) {
  const asked = new Map<string, unknown>()
  const retrieve: Tree['retrieve'] = (plan, context) => {
    asked.set(`${plan.host}${plan.target}`, see(context))
    return tree.retrieve(plan, context)
  }
  return { fetcher: { ...tree, retrieve }, asked }
}

test('case 9, a link and then a folder of its name: the folder is a real one', async () => {
  const found = await mirroredFrom({
    '/': [
      { name: 'a', kind: 'link', url: 'http://h/link', details: { target: jail } },
      { name: 'a', kind: 'directory', url: 'http://h/a/' },
    ],
    '/a/': [{ name: 'rc', kind: 'file', url: 'http://h/a/rc' }],
  })
  expect(found).toEqual(['target', expect.stringMatching(/^target\/a\b[^/]*$/), `${found[1]}/rc`])
  expect(lstatSync(join(jail, found[1] ?? '')).isDirectory()).toBe(true)
  expect(readFileSync(join(jail, `${found[1]}/rc`), 'utf8')).toBe('/a/rc')
})

test('case 14, a server that lists other files than the pattern asks for: they are not saved', async () => {
  const named = (name: string): Entry => ({ name, kind: 'file', url: `http://h/${name}` })
  const names = ['a.txt', 'authorized_keys', '.ssh/authorized_keys', 'b.txt/authorized_keys', 'c.txt\n', 'd.TXT.exe']
  expect(await mirroredFrom({ '/': names.map(named) }, '*.txt')).toEqual(['target', 'target/a.txt'])
})

test('case 57, a listing that names other servers: none of this machine is asked', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: 'own', kind: 'directory', url: 'http://h/own/' }
    yield { name: 'far', kind: 'file', url: 'http://far/a' }
    yield { name: 'near', kind: 'file', url: 'http://127.0.0.1/near' }
    yield { name: 'meta', kind: 'file', url: 'http://169.254.169.254/meta' }
    yield { name: 'sub', kind: 'directory', url: 'http://localhost/sub/' }
  }
  const tree = fakeTree((path) => (path === '/' ? listing() : path === '/own/' ? ['b'] : null))
  const { fetcher, asked } = seeing(tree, ({ addresses }) => addresses?.isPointedTo)
  await using client = createClient({ fetchers: [fetcher] })
  const { failures } = await client.mirror('http://h/', join(jail, 'target'), { scope: 'any' })
  expect(failures.map(({ path, error }) => [path, error.code]).sort()).toEqual([
    ['meta', 'refused'],
    ['near', 'refused'],
    ['sub', 'refused'],
  ])
  // The name of another server must not lead inward either.
  expect([...asked].sort()).toEqual([
    ['far/a', true],
    ['h/', false],
    ['h/own/', false],
    ['h/own/b', false],
  ])
})

test('case 15, a listing that names another server: no field of the caller goes there that may hold a secret', async () => {
  async function* listing(): AsyncGenerator<Entry> {
    yield { name: 'own', kind: 'file', url: 'http://h/own' }
    yield { name: 'far', kind: 'file', url: 'http://far/a' }
    yield { name: 'sub', kind: 'directory', url: 'http://far/sub/' }
  }
  const tree = fakeTree((path) => (path === '/' ? listing() : path === '/sub/' ? [] : null))
  const { fetcher, asked } = seeing(tree, ({ request }) => [request.headers, request.http?.virtualHost])
  await using client = createClient({ fetchers: [fetcher] })
  const headers = { Authorization: 'Bearer pl4nted', 'User-Agent': 'mine' }
  await client.mirror('http://h/', join(jail, 'target'), { scope: 'any', headers, http: { virtualHost: 'v' } })
  const own = [headers, 'v']
  const other = [{ 'User-Agent': 'mine' }, undefined]
  expect(Object.fromEntries(asked)).toEqual({ 'h/': own, 'h/own': own, 'far/a': other, 'far/sub/': other })
})

test('case 59, the mode that a server tells is not that of the file', async () => {
  const details = { mode: 0o104777, facts: { 'unix.mode': '4777' } }
  await mirroredFrom({ '/': [{ name: 'a', kind: 'file', url: 'http://h/a', details }] })
  expect(statSync(join(jail, 'target/a')).mode & 0o7777).toBe(0o666 & ~process.umask())
})
