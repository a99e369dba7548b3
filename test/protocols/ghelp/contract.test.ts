import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { entriesOf } from '../../support/entries.ts'
import { failure } from '../../support/failure.ts'
import { helpDocuments } from '../../support/help-documents.ts'

const index = `<?xml version="1.0"?>
<!DOCTYPE page [ <!ENTITY secret SYSTEM "file:///etc/passwd"> ]>
<page xmlns="http://projectmallard.org/1.0/" type="guide" id="index">
  <info><desc>Not shown.</desc><title type="link">Nor this.</title></info>
  <title>The &lt;sheet&gt;</title>
  <!-- <p>nothing</p> -->
  <p>A <gui>cell</gui> holds a
  <link xref="value#kinds">value</link> &secret; &#233;, see <link href="help:orca">Orca</link> or
  <link href="javascript:x">this</link>.</p>
  <list><item><p>one</p></item><item><p>two</p></item></list>
  <screen>a  b
  c</screen>
</page>`
const value = `<page type="topic" id="value"><info><link type="guide" xref="index#top"/></info><title>Values</title>
<p>Text.</p></page>`
const docbook = `<article><articleinfo><author>x</author></articleinfo><title>Old</title><sect1><title>Part</title>
<para>See <ulink url="http://www.example.org/">there</ulink>.</para></sect1></article>`
const text =
  'The <sheet>\n===========\n\nA cell holds a value &secret; é, see Orca or this.\n\n* one\n\n* two\n\na  b\n  c\n\n* Values\n'

const files = {
  'help/C/sheet/index.page': index,
  'help/C/sheet/value.page': value,
  'help/de/sheet/value.page': value.replace('Text.', 'Ein Text.'),
  'help/C/sheet/html.html': '<p>x</p>',
  'gnome/help/old/C/old.xml': docbook,
}

testFetcher({
  mechanism: 'ghelp',
  bytes: Buffer.from(text),
  async start() {
    const documents = await helpDocuments(files)
    const close = () => documents[Symbol.asyncDispose]()
    return { object: 'ghelp:sheet', missing: 'ghelp:nosuch', [Symbol.asyncDispose]: close }
  },
})

test.each([
  ['help:sheet', text],
  ['help:sheet/value', 'Values\n======\n\nText.\n'],
  ['help:sheet/value#kinds', 'Values\n======\n\nText.\n'],
  ['ghelp:sheet?value', 'Values\n======\n\nText.\n'],
  ['ghelp:sheet#value', 'Values\n======\n\nText.\n'],
  ['ghelp:old', 'Old\n===\n\nPart\n----\n\nSee there.\n'],
])('%s', async (url, expected) => {
  await using _documents = await helpDocuments(files)
  await using client = createClient()
  expect(await (await client.retrieve(url)).text()).toBe(expected)
})

test('the pages that a guide lists, and the links of a page, are entries', async () => {
  await using _documents = await helpDocuments(files)
  await using client = createClient()
  const entries = await entriesOf(await client.retrieve('help:sheet'))
  expect(entries.map(({ name, kind, url }) => [name, kind, url])).toEqual([
    ['Values', 'file', 'help:sheet/value'],
    ['value', 'link', 'help:sheet/value#kinds'],
    ['Orca', 'link', 'help:orca'],
  ])
})

test('the language, and HTML as it is', async () => {
  await using _documents = await helpDocuments(files)
  await using client = createClient()
  const german = await client.retrieve('help:sheet/value', { acceptLanguage: 'de-AT, en;q=0.5' })
  expect(await german.text()).toContain('Ein Text.')
  const html = await client.retrieve('help:sheet/html')
  expect(html.mediaType).toBe('text/html')
  expect(await html.text()).toBe('<p>x</p>')
})

test.each(['ghelp:a/b', 'ghelp:sheet?x/y', 'help:sheet/a/b', 'help:%2fetc', 'ghelp:sheet?%2e%2e%2fvalue'])(
  '%s names no file elsewhere',
  async (url) => {
    await using _documents = await helpDocuments(files)
    await using client = createClient()
    expect((await failure(client.retrieve(url))).code).toMatch(/^(?:not-found|malformed-url)$/)
  },
)

test('a page over limits.maxCollected', async () => {
  await using _documents = await helpDocuments(files)
  await using client = createClient({ limits: { maxCollected: 100 } })
  expect(await failure(client.retrieve('help:sheet'))).toMatchObject({ code: 'limit-exceeded' })
})
