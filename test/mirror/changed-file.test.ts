import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Script, scriptedFtp, sending } from '../protocols/ftp/support/scripted-ftp.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mirror-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A server whose file has `octets`, and was changed in 2002: before its retrieval, and after its listing. */
function changed(octets: string, listing: Script): Script {
  const facts = { SIZE: `213 ${octets.length}\r\n`, MDTM: '213 20020304050607\r\n' }
  return { ...facts, RETR: sending(octets), ...listing }
}

const told = (size: number): Script => ({ MLSD: sending(`type=file;size=${size};modify=20010203040506; a.txt\r\n`) })
const shorter = 'x'.repeat(10)
const longer = 'y'.repeat(20)

test.each<[string, string, Script]>([
  ['is longer than MLSD said', longer, told(10)],
  ['is shorter than MLSD said', shorter, told(20)],
  ['has the size that MLSD said', longer, told(20)],
  ['is longer than LIST said', longer, { LIST: sending('-rw-r--r--   1 a   a   10 Feb  3  2001 a.txt\r\n') }],
])('a file that %s is saved whole, with the date that it has when it is retrieved', async (_, octets, listing) => {
  await using server = await scriptedFtp(changed(octets, listing))
  await using client = createClient()
  expect(await client.mirror(server.url, folder)).toMatchObject({ saved: 1, failed: 0 })
  const file = join(folder, 'a.txt')
  expect(readFileSync(file, 'latin1')).toBe(octets)
  expect(statSync(file).mtime).toEqual(new Date('2002-03-04T05:06:07Z'))
})
