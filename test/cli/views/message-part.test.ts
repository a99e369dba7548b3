import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lines, picture, related } from '../../protocols/message/support/messages.ts'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()
const cwd = mkdtempSync(join(tmpdir(), 'retriever-'))

beforeAll(() => {
  const message = lines(...related('m@h', 'p@h'))
  writeFileSync(join(cwd, 'mail.eml'), message)
  writeFileSync(join(cwd, 'mbox'), `From a 10:00\r\n${message}`)
  for (const name of ['cur', 'new']) mkdirSync(join(cwd, 'Maildir', name), { recursive: true })
  writeFileSync(join(cwd, 'Maildir/cur/1.a.h:2,S'), message)
})
afterAll(() => rmSync(cwd, { recursive: true }))

test.each(['mail.eml', './mail.eml', 'mbox', 'Maildir', 'Maildir/'])('--base %s: a file or folder', async (base) => {
  for (const url of ['cid:p@h', 'mid:m@h/p@h']) {
    const { status } = await retrieve(['--base', base, '-o', 'picture', url], { cwd })
    expect(status).toBe(0)
    expect(readFileSync(join(cwd, 'picture')).equals(picture)).toBe(true)
  }
  rmSync(join(cwd, 'picture'))
})

test('ls lists the parts, with their URLs', async () => {
  const { stdout } = await retrieve(['ls', '--json', '--base', 'mbox', 'mid:m@h'], { cwd })
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries[1]).toMatchObject({ url: 'mid:m@h/p@h', details: { number: 2, cid: 'cid:p@h' } })
})

test('--json tells of the part alone', async () => {
  const { stdout } = await retrieve(['--json', '-o', 'picture', '--base', 'mail.eml', 'cid:p@h'], { cwd })
  const result = {
    url: 'cid:p@h',
    finalUrl: 'cid:p@h',
    outcome: 'retrieved',
    mediaType: 'image/png',
    size: picture.length,
  }
  expect(JSON.parse(stdout)).toMatchObject(result)
  rmSync(join(cwd, 'picture'))
})

test.each([
  [[], 'give the URL of the message, or of its mailbox, by --base FILE-OR-URL.'],
  [['--base', 'nosuch'], '--base needs a URL, or a file or folder; there is no "nosuch".'],
])('%j: the error names the option', async (options, words) => {
  const { status, stderr } = await retrieve([...options, 'cid:p@h'], { cwd })
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) })
  expect(readdirSync(cwd).sort()).toEqual(['Maildir', 'mail.eml', 'mbox'])
})
