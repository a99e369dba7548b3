import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { readMessage } from '@retriever/fetchers/mime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pathOf } from '../../../packages/fetchers/src/protocols/file/path.ts'
import { entriesOf } from '../../support/entries.ts'
import { failure } from '../../support/failure.ts'

let folder = ''
const at = (name: string): string => `file://${folder}/${name}`

const first = 'Subject: one\nMessage-ID: <1@x>\n\n>From here\n>>From there\nFrom within\n\n'
const second = `Subject: two
Message-ID: <2@x>
Content-Type: multipart/mixed; boundary=b

--b

text two
--b
Content-Type: image/gif
Content-ID: <p@x>
Content-Disposition: attachment; filename=f.gif

GIF
--b--
`
const from = 'From a@b.example Sat Jan  1 00:00:00 2000\n'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-mail-'))
  await writeFile(join(folder, 'two.eml'), second)
  await writeFile(join(folder, 'both.mbox'), from + first + from + second)
  await writeFile(join(folder, 'crlf.mbox'), (from + first + from + second).replaceAll('\n', '\r\n'))
  await writeFile(join(folder, 'one.mbox'), from + second)
  await writeFile(join(folder, 'empty.mbox'), '')
})
afterAll(() => rm(folder, { recursive: true }))

test('a .eml file is a message, whose parts are entries', async () => {
  await using client = createClient()
  const mail = await client.retrieve(at('two.eml'))
  expect(mail).toMatchObject({ kind: 'object', mediaType: 'message/rfc822', size: second.length })
  expect((await entriesOf(mail)).map(({ name, url, details }) => [name, url, details?.number])).toEqual([
    ['text/plain', null, 1],
    ['f.gif', 'mid:2@x/p@x', 2],
  ])
})

test.each(['both.mbox', 'crlf.mbox'])(
  '%s: each message of an mbox is a part, and its parts are within',
  async (name) => {
    await using client = createClient()
    const mail = await client.retrieve(at(name))
    expect(mail.mediaType).toBe('application/mbox')
    expect((await entriesOf(mail)).map(({ name, details }) => [name, details?.number])).toEqual([
      ['one', 1],
      ['text/plain', '1.1'],
      ['two', 2],
      ['text/plain', '2.1'],
      ['f.gif', '2.2'],
    ])
    const mailbox = await readMessage(await client.retrieve(at(name)))
    expect(mailbox.part(1)?.message?.text).toBe('From here\n>From there\nFrom within\n')
    expect(mailbox.part('2.2')?.name).toBe('f.gif')
  },
)

test('an mbox: a line without a time of day begins no message, as for mid URLs', async () => {
  const text = `${from}Subject: one\n\nHello.\n\nFrom here on it goes.\n\n${from}Subject: two\n\n`
  const mailbox = await readMessage(Buffer.from(text))
  expect(mailbox.parts.map(({ message }) => message?.text)).toEqual(['Hello.\n\nFrom here on it goes.\n', ''])
})

test('an mbox of one message is that message, and an empty one has nothing', async () => {
  await using client = createClient()
  const mail = await readMessage(await client.retrieve(at('one.mbox')))
  expect([mail.subject, mail.parts.length]).toEqual(['two', 2])
  expect((await readMessage(await client.retrieve(at('empty.mbox')))).subject).toBeNull()
})

test('an mbox of more messages than maxParts', async () => {
  const octets = Buffer.from((from + first).repeat(20))
  expect(await failure(readMessage(octets, { maxParts: 10 }))).toMatchObject({ code: 'limit-exceeded' })
})

const refusing = { error: (code: string, message: string) => Object.assign(new Error(message), { code }) as never }

test.each([
  ['/C:/a/b', 'C:/a/b'],
  ['/c|/a', 'c:/a'],
  ['/C:', 'C:/'],
  ['/a', '/a'],
])('on Windows, %s is %s', (path, expected) => {
  expect(pathOf({ path }, refusing, 'win32')).toBe(expected)
})

test.each(['//evil/share/x', '/\\evil\\s', '/C:/a\\..\\b'])(
  'on Windows, %s is refused (threats.md case 53)',
  (path) => {
    expect(() => pathOf({ path }, refusing, 'win32')).toThrow(expect.objectContaining({ code: 'refused' }))
  },
)

test('elsewhere there are no drives, and a colon is a character as any', async () => {
  expect(pathOf({ path: '/C:/x' }, refusing, 'linux')).toBe('/C:/x')
  await using client = createClient()
  expect(await failure(client.retrieve('file:///C|/x'))).toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('drive C: of Windows'),
  })
})

test.each(['file://evil.example/share/x', 'file:////evil/s', 'file:///%5c%5cevil/s', 'file://127.0.0.1/etc/passwd'])(
  '%s reaches no other host (threats.md case 53)',
  async (url) => {
    await using client = createClient()
    expect((await failure(client.retrieve(url))).code).toMatch(/^(?:refused|not-found)$/)
  },
)
