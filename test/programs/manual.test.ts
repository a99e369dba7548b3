import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { failure } from '../support/failure.ts'
import { fakePrograms } from '../support/programs-in-path.ts'

describe('man', () => {
  const man =
    'case "$*" in "-- 3 printf" | "-- ls") echo "a page";; "-- 9 ls") echo "a page"; exit 16;; *) exit 16;; esac'

  test.each([
    ['man:ls', ['--', 'ls']],
    ['man:/printf(3)', ['--', '3', 'printf']],
  ])('%s', async (url, args) => {
    await using programs = await fakePrograms({ man })
    await using client = createClient()
    const page = await client.retrieve(url)
    expect(page).toMatchObject({ kind: 'object', mediaType: 'text/plain', charset: 'utf-8', size: 7 })
    expect(await page.text()).toBe('a page\n')
    expect((await programs.runs()).map((run) => run.args)).toEqual([args])
  })

  test('a section that man does not know is not read as the name of a page', async () => {
    await using _programs = await fakePrograms({ man })
    await using client = createClient()
    const error = await failure(client.retrieve('man:ls(9)'))
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('"ls" in section 9') })
  })

  test.each([
    [undefined, undefined],
    ['de', 'de'],
    ['en;q=0.5, de-AT, zh-Hant-TW;q=0.8', 'de_AT:de:zh_TW:zh:en'],
    ['*, ../../etc;q=1, de;q=0', undefined],
  ])('acceptLanguage %j is LANGUAGE %j', async (acceptLanguage, language) => {
    const { LANGUAGE } = process.env
    delete process.env.LANGUAGE
    try {
      await using programs = await fakePrograms({ man })
      await using client = createClient()
      await (await client.retrieve('man:ls', acceptLanguage === undefined ? {} : { acceptLanguage })).cancel()
      expect((await programs.runs())[0]?.variables.LANGUAGE).toBe(language)
    } finally {
      if (LANGUAGE !== undefined) process.env.LANGUAGE = LANGUAGE
    }
  })

  test.each(['man:', 'man:(index)'])('%s without a list of pages', async (url) => {
    await using _programs = await fakePrograms({ apropos: 'echo ".: nothing appropriate." >&2; exit 16' })
    await using client = createClient()
    expect(await failure(client.retrieve(url))).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('mandb'),
    })
  })
})

/** Writes nodes as info 6.8 does: an unknown node is a complaint, and the node Top. */
function infoOf(nodes: Readonly<Record<string, string>>): string {
  const rows = Object.entries(nodes).map(([name, text]) => `'-n${name}') printf '%s\\n' '${text}';;`)
  const top = '*) echo "info: Cannot find node" >&2; printf \'File: gcc.info,  Node: Top,  Up: (dir)\\n\\nTop\\n\';;'
  return `case "$2" in ${rows.join('\n')}\n${top} esac`
}

describe('info', () => {
  const header = 'File: gcc.info,  Node: '

  test.each([
    ['info:gcc#G++_and_GCC', ['G++_and_GCC', 'G++ and GCC'], 'G++ and GCC'],
    ['info:(gcc)G++ and GCC', ['G++ and GCC'], 'G++ and GCC'],
    ['info:gcc#G++%20and%20GCC', ['G++ and GCC'], 'G++ and GCC'],
    ['info:gcc#a_b', ['a_b'], 'a_b'],
    ['info:gcc#anchor', ['anchor'], 'G++ and GCC'],
  ])('%s: a node with underscores is tried first, then one with blanks', async (url, nodes, found) => {
    const info = infoOf({ 'G++ and GCC': `${header}G++ and GCC`, a_b: `${header}a_b`, anchor: `${header}G++ and GCC` })
    await using programs = await fakePrograms({ info })
    await using client = createClient()
    const node = await client.retrieve(url)
    expect(node.metadata).toEqual({ file: 'gcc', node: found })
    expect((await programs.runs()).map(({ args }) => args[1])).toEqual(nodes.map((name) => `-n${name}`))
  })

  test('an unknown node is not found, although info writes the node Top', async () => {
    await using _programs = await fakePrograms({ info: infoOf({}) })
    await using client = createClient()
    const error = await failure(client.retrieve('info:gcc#no_node'))
    expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('no node "no node"') })
  })

  test('menu items and cross references are entries', async () => {
    const text = `File: gcc.info,  Node: Top,  Next: One,  Prev: \x7FTwo, or three\x7F,  Up: (dir)

See *note One::, *Note the\nother: (find)File names. Not *note this is no reference.

* Menu:

* One::                 The first.
* Label: Two, or.       Not the comma.
* v1.2: Release 1.2.    Version 1.2.
* Gzip: (gzip).         Compression.
* \x7Fa: b\x7F: \x7FQuoted, node\x7F.  Quoted.
* under_score::
 * no item: x.
*no item: x.`
    await using _programs = await fakePrograms({ info: infoOf({ Top: text }) })
    await using client = createClient()
    const node = await client.retrieve('info:gcc')
    expect(node).toMatchObject({ kind: 'object', metadata: { next: 'One', previous: 'Two, or three', up: '(dir)' } })
    expect(
      (await entriesOf(node)).map(({ name, kind, url, details }) => [name, kind, url, details?.description]),
    ).toEqual([
      ['One', 'file', 'info:gcc#One', 'The first.'],
      ['Label', 'file', 'info:gcc#Two', 'or.       Not the comma.'],
      ['v1.2', 'file', 'info:gcc#Release%201.2', 'Version 1.2.'],
      ['Gzip', 'file', 'info:gzip', 'Compression.'],
      ['a: b', 'file', 'info:gcc#Quoted,%20node', 'Quoted.'],
      ['under_score', 'file', 'info:gcc#under_score', undefined],
      ['One', 'link', 'info:gcc#One', undefined],
      ['the other', 'link', 'info:find#File%20names', undefined],
    ])
  })
})
