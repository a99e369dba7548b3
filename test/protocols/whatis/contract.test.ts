import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { deepFreeze, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'
import { entriesOf } from '../../support/entries.ts'
import { fakePrograms } from '../../support/programs-in-path.ts'

const lines = [
  'cp (1)               - copy files and directories',
  'xcopy (3)            - copying is no copy of it',
  'copyist (1)          - the word is only a part of copyright',
  '[ (1)                - copy a bracket',
]
const apropos = `case $last in
  copy) printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')};;
  *) echo "$last: nothing appropriate." >&2; exit 16;;
esac`
const found = [lines[0], lines[1], lines[3]].join('\n')

/** A search finds a listing and no object, so of the contract only this is left. */
test('the lines with the word are the body, and nothing is left open', async () => {
  await using _programs = await fakePrograms({ apropos })
  const before = openHandles()
  await using client = createClient(deepFreeze({ limits: {}, policy: {} }))
  const listing = await client.retrieve('whatis:copy')
  expect(listing).toMatchObject({
    kind: 'listing',
    mediaType: 'text/plain',
    charset: 'utf-8',
    completeness: 'verified',
  })
  expect(await listing.text()).toBe(`${found}\n`)
  expect(await handlesSince(before)).toEqual([])
})

test('a word that no description has, an aborted signal, a range', async () => {
  await using programs = await fakePrograms({ apropos })
  await using client = createClient()
  expect(await failureOf(client.retrieve('whatis:zebra'))).toMatchObject({ code: 'not-found' })
  const ran = (await programs.runs()).length
  const signal = AbortSignal.abort('no more')
  expect(await failureOf(client.retrieve('whatis:copy', { signal }))).toMatchObject({
    code: 'aborted',
    cause: 'no more',
  })
  expect(await programs.runs()).toHaveLength(ran)
  expect(await failureOf(client.retrieve('whatis:copy', { range: [0, 1] }))).toMatchObject({ code: 'range-refused' })
})

test('each line is an entry whose URL is that of the manual page', async () => {
  await using _programs = await fakePrograms({ apropos })
  await using client = createClient()
  const entries = await entriesOf(await client.retrieve('whatis:copy'))
  expect(entries.map(({ name, url }) => [name, url])).toEqual([
    ['cp(1)', 'man:cp(1)'],
    ['xcopy(3)', 'man:xcopy(3)'],
    ['[(1)', 'man:%5B(1)'],
  ])
  expect(entries[0]?.details).toEqual({ section: '1', description: 'copy files and directories' })
})

test('the string is searched for literally: none of its characters has a meaning for apropos', async () => {
  await using programs = await fakePrograms({ apropos })
  await using client = createClient()
  await client.retrieve('whatis:c++%20[a-z].*').catch(() => {})
  expect((await programs.runs()).map(({ args }) => args)).toEqual([['--', 'c\\+\\+ \\[a-z\\]\\.\\*']])
})
