import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { deepFreeze, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'
import { entriesOf } from '../../support/entries.ts'
import { helpDocuments } from '../../support/help-documents.ts'
import { fakePrograms } from '../../support/programs-in-path.ts'

const files = { 'help/C/sheet/index.page': '<page/>', 'gnome/help/old/C/old.xml': '<article/>', 'help/C/-x/a': '' }

/** A table of contents is a listing and no object, so of the contract only this is left. */
test('the documents of this machine, a URL a line; nothing is left open', async () => {
  await using _documents = await helpDocuments(files)
  const before = openHandles()
  await using client = createClient(deepFreeze({ limits: {}, policy: {} }))
  const listing = await client.retrieve('toc:')
  expect(listing).toMatchObject({
    kind: 'listing',
    mediaType: 'text/plain',
    charset: 'utf-8',
    completeness: 'verified',
  })
  expect(await listing.text()).toBe('help:old\nhelp:sheet\n')
  expect(await handlesSince(before)).toEqual([])
  expect(await entriesOf(await client.retrieve('toc:'))).toEqual([
    { name: 'old', kind: 'file', url: 'help:old' },
    { name: 'sheet', kind: 'file', url: 'help:sheet' },
  ])
})

test('toc:man lists the manual pages, and toc:info the Info documents', async () => {
  await using _programs = await fakePrograms({
    apropos: `echo 'ls (1) - list directory contents'`,
    info: `printf 'File: dir,\tNode: Top,\tThis is the top.\n\n* Menu:\n\n* Gzip: (gzip).   Compression.\n'`,
  })
  await using client = createClient()
  const pages = await entriesOf(await client.retrieve('toc:man'))
  expect(pages).toMatchObject([{ name: 'ls(1)', url: 'man:ls(1)' }])
  const documents = await entriesOf(await client.retrieve('toc:info'))
  expect(documents).toMatchObject([{ name: 'Gzip', url: 'info:gzip' }])
})

test('no documents; an aborted signal', async () => {
  await using _documents = await helpDocuments({ 'empty/x': '' })
  await using client = createClient()
  expect(await failureOf(client.retrieve('toc:'))).toMatchObject({ code: 'not-found' })
  const signal = AbortSignal.abort('no more')
  expect(await failureOf(client.retrieve('toc:', { signal }))).toMatchObject({ code: 'aborted', cause: 'no more' })
})
