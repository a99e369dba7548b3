/** The record of Client.mirror with `pages`, in folders where others can write. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type MirrorSummary } from '@retriever/fetchers'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { notModified, reply } from '../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../protocols/http/support/scripted-http.ts'

let folder = ''
let record = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'record-'))
  record = join(folder, '.retrieve-pages.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A page with one picture, that has this entity tag and this date. */
async function site(etag: string, date: string): Promise<ScriptedHttp> {
  const server = await scriptedHttp(({ target, line, fields }) => {
    if (target === '/robots.txt') return reply(404, {})
    if (target === '/') return reply(200, { 'Content-Type': 'text/html' }, line.startsWith('HEAD') ? '' : '<img src=p>')
    const isSame = fields['if-none-match'] === etag || fields['if-modified-since'] === date
    if (isSame) return notModified({ ETag: etag })
    return reply(200, { 'Content-Type': 'image/png', ETag: etag, 'Last-Modified': date }, 'PNG')
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function copied(url: string): Promise<MirrorSummary> {
  await using client = createClient({ limits: { maxRetries: 0 } })
  return await client.mirror(url, folder, { pages: true })
}

const date = 'Sun, 06 Nov 1994 08:49:37 GMT'

test('an entity tag that no request can hold is not sent back; the date decides', async () => {
  const server = await site('"caf\xE9"', date)
  await copied(server.url)
  expect(await copied(server.url)).toMatchObject({ failed: 0, isComplete: true })
  expect(server.asked.at(-1)?.fields['if-modified-since']).toBe(date)
})

test('case 31, a link in the place of the new record does not lead it to another file', async () => {
  const server = await site('"a"', date)
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'mine')
  symlinkSync(victim, `${record}.part`)
  await copied(server.url)
  expect(readFileSync(victim, 'utf8')).toBe('mine')
  expect(readFileSync(record, 'utf8')).toContain('/p"')
})

test.each([
  { url: 'no URL' },
  { url: 'ftp://h/' },
  { etag: 7 },
  { etag: 'a\r\nEvil: 1' },
  { modified: 'never' },
  { at: 3 },
  { type: 5 },
  { source: 1 },
  { file: '../p' },
  { to: 'nowhere', file: 0 },
])('a line that somebody has edited only costs another request: %j', async (edited) => {
  const server = await site('"a"', date)
  await copied(server.url)
  const lines = readFileSync(record, 'utf8').trimEnd().split('\n')
  const changed = lines.map((line) =>
    line.includes('/p"') ? JSON.stringify({ ...JSON.parse(line), ...edited }) : line,
  )
  writeFileSync(record, `${changed.join('\n')}\n`)
  expect(await copied(server.url)).toMatchObject({ failed: 0, isComplete: true })
})
