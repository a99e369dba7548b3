import { startWaisServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

test('a search, the URL of its first entry, and the document', async () => {
  await using server = await startWaisServer()
  const { stdout } = await retrieve([`${server.url}demo?ark`])
  const [score, size, types, headline, url = ''] = stdout.split('\n')[0]?.split('\t') ?? []
  expect([score, size, types, headline]).toEqual(['200', '28', 'TEXT', 'marked ark'])
  expect(url.startsWith(`${server.url}demo/TEXT/28/1=`)).toBe(true)
  expect(await retrieve([url])).toMatchObject({ stdout: 'The ark is marked.\n', stderr: '' })
})

test('numbered entries open, and a document without an end of its own comes whole', async () => {
  await using server = await startWaisServer()
  const env = { XDG_STATE_HOME: folder() }
  const listing = await retrieve(['ls', `${server.url}demo?line`], { env })
  expect(listing.stdout).toMatch(/^ +1 +file .* long\.txt +wais:/m)
  const { stdout } = await retrieve(['open', '1'], { env })
  expect(stdout.split('\n')).toHaveLength(1001)
})

test('a database describes itself; one that is not there is named in the words of the server', async () => {
  await using server = await startWaisServer()
  expect((await retrieve([`${server.url}demo`])).stdout).toContain(':database-name "demo"')
  const missing = await retrieve([`${server.url}nowhere?ark`])
  expect(missing).toMatchObject({ stdout: '', status: 78 })
  expect(missing.stderr).toContain('S1 The following database is not available: nowhere')
})
