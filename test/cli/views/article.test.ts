import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { type Outcome, retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../support/cli/run.ts'

/** Attachments by these parameters of Content-Disposition; each holds its number. */
function withAttachments(...parameters: readonly string[]): string {
  const parts = parameters.map(
    (parameter, index) => `--b\nContent-Disposition: attachment${parameter}\n\n${index + 1}\n`,
  )
  return `Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`
}

const articles: Readonly<Record<string, string>> = {
  page: [
    'Path: a!b',
    'Subject: =?UTF-8?Q?Evil=1B[2J_=E2=80=AE?=',
    'From: =?UTF-8?B?SsO8cmdlbg==?= <j@example.net>',
    'Message-ID: <page@example.net>',
    'References: <1@a> <2@a> <3@a> <4@a>',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=koi8-r; format=flowed',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '=F0=D2=C9 =',
    '',
    'there=1B[31m=',
    '',
    '--b',
    'Content-Type: text/x-diff; charset=utf-8; name="=?utf-8?q?a=0Ab?="',
    'Content-Transfer-Encoding: base64',
    'Content-ID: <cid@b>',
    '',
    'w7wb',
    '--b--',
    '',
  ].join('\n'),
  dos: 'Subject: =?cp437?Q?=82?=\nContent-Type: text/plain; charset=cp850\n\n\x9B\n',
  html: 'Subject: x\nContent-Type: text/html\n\n<p>Hello<script>evil()</script>\n',
  names: withAttachments(
    ...['../../evil', '.bashrc', 'CON', 'same.txt', 'SAME.txt', 'same-2.txt', '-rf', '..'].map(
      (name) => `; filename="${name}"`,
    ),
    "; filename*=utf-8''gnp%E2%80%AE.exe",
    '; filename="a\tb"',
    '',
  ),
  taken: withAttachments('; filename=free', '; filename=taken'),
  link: withAttachments('; filename=link'),
  parts: withAttachments(...['a.part', 'a', 'b', 'B.part'].map((name) => `; filename=${name}`)),
  files: [
    'Subject: files',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    '',
    'See:',
    'begin 644 cat.txt',
    '#0V%T',
    '`',
    'end',
    '=ybegin line=128 size=3 name=dog.bin',
    'abc',
    '=yend size=3 crc32=00000000',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    'Content-Type: multipart/mixed; boundary=c',
    '',
    '--c',
    '',
    'Inner',
    '--c',
    'Content-Disposition: attachment; filename=inner.txt',
    '',
    'I',
    '--c--',
    '--b--',
    '',
  ].join('\n'),
  bomb: `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n'.repeat(2000)}`,
}

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'nntp' | 'http'>

beforeAll(async () => {
  const replies = Object.entries(articles).map(([name, text]) => {
    const lines = text.replaceAll('\n', '\r\n').replaceAll('\r\n.', '\r\n..')
    return [`ARTICLE <${name}@example.net>`, `220 0 <${name}@example.net>\r\n${lines}.\r\n`]
  })
  servers = await startServers({ http: true, nntp: { articles: 30, faults: { replies: Object.fromEntries(replies) } } })
})
afterAll(() => servers.close())

function url(name: string): string {
  return `news://${servers.nntp.host}:${servers.nntp.port}/${name}@example.net`
}

function emptyFolder(name: string): string {
  const path = join(folder(), name)
  mkdirSync(path)
  return path
}

describe.skipIf(!hasTerminal)('on a terminal (script of util-linux)', () => {
  test('an article is a page: header and text decoded and harmless, what else there is, and how to get it', async () => {
    expect(await onPty(folder(), url('page'), {}, { columns: 120 })).toEqual({
      status: 0,
      screen: [
        'From: Jürgen <j@example.net>',
        'Subject: Evil\\e[2J \\u202e',
        'Message-ID: <page@example.net>',
        'References: <1@a> (2 more) <4@a>',
        '',
        'При there\\e[31m',
        '',
        'PARTS',
        '    2  text/x-diff       3 B  a\\nb',
        '',
        `To get one: retrieve --part 2 -O ${url('page')}`,
        '',
      ].join('\r\n'),
    })
  })
})

test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})

describe('with a terminal as output', () => {
  const shown = (...args: readonly string[]): Promise<Outcome> =>
    retrieve(args, { isTerminal: true, env: { NO_COLOR: '1' } })

  test('files in a text are parts, also of a message within it; a damaged one says so', async () => {
    expect((await shown(url('files'))).stdout.split('\n')).toEqual([
      'Subject: files',
      '',
      'See:',
      '',
      'PARTS',
      '    2  application/octet-stream       3 B  cat.txt',
      expect.stringMatching(
        /^ {4}3 {2}application\/octet-stream {7}3 B {2}dog\.bin \(damaged: its CRC-32 is \w{8}, not 00000000\)$/,
      ),
      '    4  message/rfc822               143 B',
      '  4.1  text/plain                     5 B',
      '  4.2  text/plain                     1 B  inner.txt',
      '',
      `To get one: retrieve --part 2 -O ${url('files')}`,
      '',
    ])
  })

  test('HTML is shown as text', async () => {
    expect((await shown(url('html'))).stdout).toBe('Subject: x\n\nHello\n')
  })

  test('charsets that the web does not know are decoded', async () => {
    expect((await shown(url('dos'))).stdout).toBe('Subject: é\n\nø\n')
  })

  test('-o - is the article as it is', async () => {
    expect((await shown('-o', '-', url('html'))).stdout).toContain('<script>evil()</script>')
  })

  test('--part of a text is shown, harmless; of what is none it is not', async () => {
    expect(await shown('--part', 'cid:cid@b', url('page'))).toMatchObject({ status: 0, stdout: 'ü\\e' })
    const binary = await shown('--part', 'a.bin', `${servers.nntp.url}retriever.test/5`)
    expect(binary).toEqual({ status: 23, stdout: '', stderr: expect.stringContaining('this is binary data') })
  })

  test('an article of too many parts says what to do', async () => {
    const { status, stderr } = await shown(url('bomb'))
    expect({ status, stderr }).toEqual({ status: 63, stderr: expect.stringContaining('over 1000 parts') })
  })
})

test('in a pipe, and in a file, an article is its octets', async () => {
  const octets = articles.page?.replaceAll('\n', '\r\n')
  expect((await retrieveOctets([url('page')])).stdout.toString()).toBe(octets)
  const path = join(folder(), 'page')
  await retrieve(['-o', path, url('page')])
  expect(readFileSync(path, 'latin1')).toBe(octets)
})

test('ls lists the parts of an article', async () => {
  expect((await retrieve(['ls', url('page')])).stdout.split('\n')).toEqual([
    expect.stringMatching(/^ {2}# {2}KIND /),
    '     file           16 B  -                 text/plain',
    expect.stringMatching(/^ {2}1 {2}file {12}3 B {2}- {17}a\\nb +mid:page@example\.net\/cid@b$/),
    '',
  ])
  const [, second = ''] = (await retrieve(['ls', '--json', url('page')])).stdout.split('\n')
  expect(JSON.parse(second)).toMatchObject({ name: 'a\nb', url: 'mid:page@example.net/cid@b', details: { number: 2 } })
})

describe('--part', () => {
  test.each(['2', 'a\nb', 'cid:cid%40b', 'mid:page@example.net/cid@b'])(
    '%j: the octets of that part',
    async (which) => {
      const { status, stdout } = await retrieveOctets(['--part', which, url('page')])
      expect({ status, stdout: [...stdout] }).toEqual({ status: 0, stdout: [0xc3, 0xbc, 0x1b] })
    },
  )

  test('of a message within the message, and of a file in the text', async () => {
    expect((await retrieve(['--part', '4.1', url('files')])).stdout).toBe('Inner')
    expect((await retrieve(['--part', 'cat.txt', url('files')])).stdout).toBe('Cat')
    const cwd = emptyFolder('within')
    await retrieve(['--part', '4.1', '-O', url('files')], { cwd })
    expect(readdirSync(cwd)).toEqual(['part-4.1'])
  })

  test.each([[], ['-o', 'damaged']])('of a damaged file is an error, and nothing is saved: %j', async (...option) => {
    const cwd = emptyFolder(`damaged-${option.length}`)
    const { status, stdout, stderr } = await retrieve(['--part', '3', ...option, url('files')], { cwd })
    expect({ status, stdout, stderr }).toEqual({
      status: 18,
      stdout: '',
      stderr: expect.stringContaining('is damaged'),
    })
    expect(readdirSync(cwd)).toEqual([])
  })

  test('to a file that is named, or named after the part', async () => {
    const cwd = emptyFolder('part')
    await retrieve(['--part', '2', '-o', 'x', url('page')], { cwd })
    await retrieve(['--part', '2', '-O', url('page')], { cwd })
    await retrieve(['--part', '1', '-O', '--output-dir', '.', url('page')], { cwd })
    expect(readdirSync(cwd).sort()).toEqual(['a%0Ab', 'part-1', 'x'])
    const again = await retrieve(['--part', '2', '-O', url('page')], { cwd })
    expect(again).toMatchObject({ status: 23, stderr: expect.stringContaining('exists already') })
    expect((await retrieve(['--part', '1', '-o', 'x', url('page')], { cwd })).status).toBe(0)
    expect(readFileSync(join(cwd, 'x'), 'latin1')).toContain('there\x1b')
  })

  test.each(['9', 'nope', 'cid:nope@b', 'mid:other@example.net/cid@b'])('%s: there is none', async (which) => {
    expect(await retrieve(['--part', which, url('page')])).toEqual({
      status: 78,
      stdout: '',
      stderr: `retrieve: ${url('page')}: The message has no part "${which}". To list its parts: retrieve ls ${url('page')}\n`,
    })
  })

  test('of a body that is not a message', async () => {
    const page = `${servers.http.url}readme.txt`
    const { status, stderr } = await retrieve(['--part', '1', page])
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `retrieve: ${page} is not a message but text/plain: leave --part out.\n`,
    })
    const group = await retrieve(['--attachments', `${servers.nntp.url}retriever.test`])
    expect(group).toMatchObject({ status: 2, stderr: expect.stringContaining('is not a message but a listing') })
  })
})

describe('--attachments', () => {
  test('files in the text, and those of a message within it; a damaged one is not saved', async () => {
    const cwd = emptyFolder('files')
    const { status, stderr } = await retrieve(['--attachments', url('files')], { cwd })
    expect({ status, stderr }).toEqual({
      status: 18,
      stderr: expect.stringContaining('Part 3 of the message is damaged'),
    })
    const files = readdirSync(cwd)
      .sort()
      .map((name) => [name, readFileSync(join(cwd, name), 'utf8')])
    expect(files).toEqual([
      ['cat.txt', 'Cat'],
      ['inner.txt', 'I'],
    ])
  })

  test('under names made safe, two of one name as two (threats.md cases 28 and 58)', async () => {
    const cwd = emptyFolder('names')
    const { status, stderr } = await retrieve(['--attachments', url('names')], { cwd })
    expect({ status, lines: stderr.split('\n').length }).toEqual({ status: 0, lines: 12 })
    expect(stderr).toContain(`retrieve: ${url('names')}: part 1, application/octet-stream, 1 B, saved as evil\n`)
    const files = Object.fromEntries(readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name), 'latin1')]))
    expect(files).toEqual({
      evil: '1',
      _bashrc: '2',
      CON_: '3',
      'same.txt': '4',
      'SAME-2.txt': '5',
      'same-2-2.txt': '6',
      _rf: '7',
      'part-8': '8',
      'gnp%E2%80%AE.exe': '9',
      'a%09b': '10',
      'part-11': '11',
    })
    expect(existsSync(join(cwd, '../../evil'))).toBe(false)
  })

  test('never over what is there, nor through a link; then none is saved', async () => {
    const cwd = emptyFolder('taken')
    writeFileSync(join(cwd, 'taken'), 'mine')
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'link'))
    for (const name of ['taken', 'link']) {
      const { status, stderr } = await retrieve(['--attachments', '--output-dir', cwd, url(name)])
      expect({ status, stderr }).toEqual({
        status: 23,
        stderr: `retrieve: ${join(cwd, name)} cannot be written: it exists already; remove it, or choose another folder with --output-dir.\n`,
      })
    }
    expect(readdirSync(cwd).sort()).toEqual(['link', 'taken'])
    expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(cwd, 'taken'), 'utf8')).toBe('mine')
  })

  test('none in the way of another that is being written', async () => {
    const cwd = emptyFolder('parts')
    const { status, stderr } = await retrieve(['--attachments', url('parts')], { cwd })
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('part 4') })
    const files = Object.fromEntries(readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name), 'latin1')]))
    expect(files).toEqual({ 'a.part_': '1', a: '2', b: '3', 'B.part_': '4' })
  })

  test('an unfinished file of an earlier run blocks all', async () => {
    const cwd = emptyFolder('unfinished')
    writeFileSync(join(cwd, 'taken.part'), 'mine')
    const { status, stderr } = await retrieve(['--attachments', '--output-dir', cwd, url('taken')])
    expect({ status, stderr }).toEqual({ status: 23, stderr: expect.stringContaining('taken.part cannot be written') })
    expect(readdirSync(cwd)).toEqual(['taken.part'])
  })

  test('none are there', async () => {
    const { status, stderr } = await retrieve(['--attachments', url('html')])
    expect({ status, stderr }).toEqual({
      status: 78,
      stderr: expect.stringContaining('The message has no attachments.'),
    })
  })

  test('the folder is missing: nothing is asked for', async () => {
    const { status, stderr } = await retrieve([
      '-v',
      '--attachments',
      '--output-dir',
      join(folder(), 'nix'),
      url('page'),
    ])
    expect(status).toBe(23)
    expect(stderr).toMatch(/its folder does not exist/)
    expect(stderr).not.toContain('ARTICLE <')
  })
})

test.each([
  [['--part', '', 'news:x@y'], '--part needs a number'],
  [['--part', '1', '--attachments', 'news:x@y'], 'give one of them'],
  [['--part', '1', '-r', '0-1', 'news:x@y'], 'leave --range out'],
  [['--part', '1', '-C', '3', 'news:x@y'], 'leave --continue-at out'],
  [['--attachments', '-I', 'news:x@y'], 'leave --head out'],
  [['--attachments', '-o', 'x', 'news:x@y'], '--output-dir says where'],
  [['--attachments', '-O', 'news:x@y'], '--output-dir says where'],
  [['ls', '--part', '1', 'news:x@y'], '--part is not an option of ls'],
  [['--limit', '0', 'news:a.b'], '--limit needs a whole number of 1 or more'],
  [['--limit', '-1', 'news:a.b'], '--limit needs a whole number of 1 or more'],
  [['--limit', '1e3', 'news:a.b'], '--limit needs a whole number of 1 or more'],
])('%j: a wrong option', async (args, words) => {
  const { status, stderr } = await retrieve(args)
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) })
})

test('--limit: the newest articles of a group', async () => {
  const { stdout } = await retrieve(['ls', '--json', '--limit', '3', `${servers.nntp.url}retriever.many`])
  const numbers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).details.number)
  expect(numbers).toEqual([30, 29, 28])
})
