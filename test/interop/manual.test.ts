/** The documentation of this machine, by man-db and info, and GNOME's user guide beside them. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { extractUrls } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { doubleSpaced, filled } from '../support/core/wrapped-text.ts'
import { entriesOf } from '../support/entries.ts'
import { failure, retrieve } from './suite.ts'

const run = promisify(execFile)
const unpacked = fileURLToPath(new URL('.cache/unpacked/usr/share', import.meta.url))

/** As suite() does for servers: what is missing is named and skipped, or fails where it is required. */
function suiteOfPrograms(title: string, paths: readonly string[], tests: () => void): void {
  const missing = paths.filter((path) => !existsSync(path))
  describe(title, () => {
    if (missing.length === 0) return tests()
    test('is installed', ({ skip }) => {
      if (process.env.RETRIEVER_INTEROP !== 'required') skip(`${missing.join(', ')} is missing`)
      expect(missing).toEqual([])
    })
  })
}

/** The manual pages of the tests: those of this machine may be left out (dpkg's path-exclude). */
async function withPages<T>(pages: Readonly<Record<string, string>>, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-man-'))
  const { MANPATH } = process.env
  try {
    for (const [path, text] of Object.entries(pages)) {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    process.env.MANPATH = folder
    await run('mandb', ['-c', '-q', folder]).catch(() => {})
    return await use(folder)
  } finally {
    if (MANPATH === undefined) delete process.env.MANPATH
    else process.env.MANPATH = MANPATH
    await rm(folder, { recursive: true })
  }
}

const page = (name: string, section: string, words: string): string =>
  `.TH ${name.toUpperCase()} ${section}\n.SH NAME\n${name} \\- ${words}\n.SH DESCRIPTION\nA \\fBbold\\fP and \\fIslanted\\fP word.\n`

suiteOfPrograms('man-db', ['/usr/bin/man', '/usr/bin/apropos', '/usr/bin/mandb'], () => {
  const pages = {
    'man1/heron.1': page('heron', '1', 'watch a bird'),
    'man3/heron.3': page('heron', '3', 'birdwatching for programs'),
    'de/man1/heron.1': page('heron', '1', 'einen Vogel beobachten'),
  }

  test('the text is that of man itself, without emphasis', () =>
    withPages(pages, async () => {
      const { status, stdout } = await retrieve('man:heron(3)')
      const own = await run('man', ['3', 'heron'], { env: { ...process.env, PAGER: 'cat', LC_CTYPE: 'C.UTF-8' } })
      expect({ status, text: stdout.toString() }).toEqual({ status: 0, text: own.stdout })
      expect(own.stdout).toContain('A bold and slanted word.')
    }))

  test('languages, and pages that are not there', () =>
    withPages(pages, async () => {
      const german = await retrieve('--accept-language', 'de', 'man:heron')
      expect(german.stdout.toString()).toContain('einen Vogel beobachten')
      expect(await failure(78, 'man:nosuchbird')).toContain('no manual page "nosuchbird"')
      expect(await failure(78, 'man:heron(8)')).toContain('in section 8')
      expect(await failure(78, 'man:heron(p9)')).toContain('in section p9')
    }))

  test('whatis and the index, whose entries lead to pages', () =>
    withPages(pages, async () => {
      await using client = createClient()
      const found = await entriesOf(await client.retrieve('whatis:bird'))
      expect(found.map(({ url }) => url)).toEqual(['man:heron(1)'])
      const all = await entriesOf(await client.retrieve('man:(index)'))
      expect(all.map(({ url }) => url)).toEqual(expect.arrayContaining(['man:heron(1)', 'man:heron(3)']))
      expect(await (await client.retrieve(found[0]?.url ?? '')).text()).toContain('watch a bird')
    }))

  test('a page that runs a command, or another program for the reader, runs nothing (threats.md case 73)', () =>
    withPages({}, async (folder) => {
      const trap = join(folder, 'trap')
      const hostile = `${page('trap', '1', 'a trap')}.sy touch ${trap}\n.pso touch ${trap}\n`
      await mkdir(join(folder, 'man1'))
      await writeFile(join(folder, 'man1/trap.1'), hostile)
      const variables = {
        LESSOPEN: `|touch ${trap}`,
        MANPAGER: `touch ${trap}`,
        PAGER: `touch ${trap}`,
        MANOPT: '-Hid',
      }
      const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
      Object.assign(process.env, variables)
      try {
        const { stdout } = await retrieve('man:trap')
        expect(stdout.toString()).toContain('a trap')
        await expect(access(trap)).rejects.toMatchObject({ code: 'ENOENT' })
      } finally {
        for (const [name, value] of Object.entries(before)) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      }
    }))
})

suiteOfPrograms('info', ['/usr/bin/info'], () => {
  /** An Info file of three nodes, as makeinfo writes them. */
  const book = `This is heron.info.

\x1f
File: heron.info,  Node: Top,  Next: In the air,  Up: (dir)

See *note on_land::.

* Menu:

* In the air::    Flying.
* on_land::       Walking.

\x1f
File: heron.info,  Node: In the air,  Next: on_land,  Prev: Top,  Up: Top

It flies.

\x1f
File: heron.info,  Node: on_land,  Prev: In the air,  Up: Top

It walks.
`
  async function withBook<T>(use: () => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'retriever-info-'))
    const { INFOPATH } = process.env
    try {
      await writeFile(join(folder, 'heron.info'), book)
      process.env.INFOPATH = folder
      return await use()
    } finally {
      if (INFOPATH === undefined) delete process.env.INFOPATH
      else process.env.INFOPATH = INFOPATH
      await rm(folder, { recursive: true })
    }
  }

  test.each([
    ['info:heron', 'See *note'],
    ['info:heron#In_the_air', 'It flies.'],
    ['info:(heron)In the air', 'It flies.'],
    ['info:heron#on_land', 'It walks.'],
  ])('%s', (url, text) =>
    withBook(async () => {
      const { status, stdout } = await retrieve(url)
      expect(status).toBe(0)
      expect(stdout.toString()).toContain(text)
    }),
  )

  test('the entries of a node lead on; what is not there is not found', () =>
    withBook(async () => {
      await using client = createClient()
      const entries = await entriesOf(await client.retrieve('info:heron'))
      expect(entries.map(({ url }) => url)).toEqual([
        'info:heron#In%20the%20air',
        'info:heron#on_land',
        'info:heron#on_land',
      ])
      for (const { url } of entries) expect(await (await client.retrieve(url ?? '')).text()).toMatch(/It \w+s\./)
      expect(await failure(78, 'info:heron#Swimming')).toContain('no node "Swimming"')
      expect(await failure(78, 'info:nosuchbird')).toContain('no Info file "nosuchbird"')
    }))
})

suiteOfPrograms('gnome-user-docs', [`${unpacked}/help/C/gnome-help`], () => {
  test('every page of the guide is text with a title, and its guides lead to it', async () => {
    const { XDG_DATA_DIRS } = process.env
    process.env.XDG_DATA_DIRS = unpacked
    try {
      await using client = createClient()
      const documents = await entriesOf(await client.retrieve('toc:'))
      expect(documents.map(({ url }) => url)).toEqual(['help:gnome-help', 'help:system-admin-guide'])
      const parts = await entriesOf(await client.retrieve('help:gnome-help'))
      expect(parts.length).toBeGreaterThan(10)
      for (const { name, url } of parts) {
        const text = await (await client.retrieve(url ?? '')).text()
        expect(text.startsWith(`${name}\n`), url ?? '').toBe(true)
        expect(text).not.toMatch(/<\/?\w+[ >]/)
      }
    } finally {
      if (XDG_DATA_DIRS === undefined) delete process.env.XDG_DATA_DIRS
      else process.env.XDG_DATA_DIRS = XDG_DATA_DIRS
    }
  })
})

suiteOfPrograms('uri(7)', ['/usr/bin/man', '/usr/share/man/man7/uri.7.gz'], () => {
  test('the URLs in its text are found, also double-spaced and filled anew', async () => {
    await using client = createClient()
    const text = await (await client.retrieve('man:uri(7)')).text()
    const list = await readFile(new URL('../core/specifications/uri7.list', import.meta.url), 'utf8')
    const expected = list.trim().split('\n')
    for (const each of [text, doubleSpaced(text), filled(text, 40), filled(text, 60), filled(text, 100)]) {
      expect([...extractUrls(each)].map(({ url }) => url)).toEqual(expected)
    }
  })
})
