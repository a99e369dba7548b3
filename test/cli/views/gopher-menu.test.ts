import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { hasTmux, onTmux } from '../../support/cli/tmux.ts'

useBundle()
const folder = temporaryFolder()

const menu = [
  'i  Indented text, of more words than a narrow terminal has room for\t\t(NULL)\t0',
  'i\t\t(NULL)\t0',
  '1A menu\t/m\tgopher.example\t70',
  '0A text\x1b[2J\x9b\u202e, whose name needs several lines\t/a b\tgopher.example\t7070',
  '+A text\t/a b\tmirror.example\t70',
  '7A search\t/s\tgopher.example\t70\t+',
  '0A form\t/f\tgopher.example\t70\t?',
  '9Octets\t/o\tgopher.example\t70',
  'IA picture\t/p\tgopher.example\t70',
  '8A session\tguest\tlib.example\t23',
  'hA page\tURL:http://www.example/?a=1;b\tx\t70',
  'hA letter\tURL:mailto:ann@example\tx\t70',
  '2A phone book\t\tcso.example\t105',
  '9Spoiled\t/x\tgopher.example\tseventy',
  "3'/y' does not exist\t\terror.host\t1",
  'ZUnheard of\t/z\tgopher.example\t70',
  'A line that is no item',
  '.',
  '',
].join('\r\n')

/** In UTF-8; `replies` are octets. */
async function served(reply: string) {
  const octets = Buffer.from(reply).toString('latin1')
  return await startServers({ gopher: { faults: { replies: { '': octets } } } })
}

describe.skipIf(!hasTerminal)('on a terminal (script of util-linux)', () => {
  test('a menu is a page on which each item stands once, with its number', async () => {
    await using server = await served(menu)
    const { status, screen } = await onPty(folder(), server.gopher.url, {}, { columns: 40 })
    expect(status).toBe(0)
    const lines = screen.split('\r\n')
    expect(lines).toEqual([
      '  Indented text, of more words than a',
      '  narrow terminal has room for',
      '',
      '  1  menu    A menu',
      '  2  text    A text\\e[2J\\x9b\\u202e,',
      '             whose name needs several',
      '             lines',
      '  3  mirror  A text',
      '  4  search  A search',
      expect.stringMatching(/^ {2}5 {2}form {4}A form$/),
      '  6  binary  Octets',
      '  7  image   A picture',
      '  8  telnet  A session',
      '  9  html    A page',
      ' 10  link    A letter',
      ' 11  phone   A phone book',
      '     binary  Spoiled',
      "     error   '/y' does not exist",
      ' 12  other   Unheard of',
      'A line that is no item',
      '',
      'To open one: retrieve open N; to search:',
      'retrieve open N --search TEXT. For the',
      'URLs: retrieve ls --json',
      '',
    ])
  })

  test('text that fits stays as it is', async () => {
    const art = ' /\\_/\\   a  cat '
    await using server = await served(`i${art}\t\t\t0\r\n.\r\n`)
    expect(await onPty(folder(), server.gopher.url)).toEqual({ status: 0, screen: `${art.trimEnd()}\r\n` })
  })

  test('letters of two columns count as two', async () => {
    await using server = await served(`i${'\u6f22'.repeat(30)}\t\t\t0\r\n.\r\n`)
    const { screen } = await onPty(folder(), server.gopher.url, {}, { columns: 40 })
    expect(screen).toBe(`${'\u6f22'.repeat(20)}\r\n${'\u6f22'.repeat(10)}\r\n`)
  })

  test('an empty menu says so', async () => {
    await using server = await served('.\r\n')
    expect(await onPty(folder(), server.gopher.url)).toEqual({ status: 0, screen: 'The menu is empty.\r\n' })
  })

  test.skipIf(!hasTmux)('the server as it is can be gone through by numbers', async () => {
    await using servers = await startServers()
    const env = { NO_COLOR: '1', XDG_STATE_HOME: join(folder(), 'state') }
    const { lines } = await onTmux(folder(), `retrieve ${servers.gopher.url}; retrieve open 3`, { columns: 60, env })
    expect(lines).toContain('  3  menu    pub')
    expect(lines.filter((line) => /^ +\d+ {2}text {4}\S+\.txt$/.test(line))).not.toEqual([])
  })

  test('attributes of Gopher+ are text', async () => {
    await using servers = await startServers()
    const { screen } = await onPty(folder(), `'${servers.gopher.url}1/pub%09%09$'`)
    expect(screen).toMatch(/^\+INFO: 0hello\.txt\\t|^\+INFO: 0hello\.txt\t/m)
    expect(screen).toContain('+ABSTRACT:')
    expect(screen).not.toContain('KIND')
  })

  test('-o - gives the octets', async () => {
    await using server = await served('1A\t/m\th.example\t70\r\n.\r\n')
    expect((await onPty(folder(), `-o - ${server.gopher.url}`)).screen).toBe('1A\t/m\th.example\t70\r\r\n')
  })
})

test('in a pipe --page has the URLs at its end, each as a shell takes it', async () => {
  await using server = await served(menu)
  const { stdout } = await retrieve(['--page', server.gopher.url])
  const lines = stdout.split('\n')
  const at = lines.indexOf('References')
  expect(lines.slice(at + 2, at + 6)).toEqual([
    '  1. gopher://gopher.example/1/m',
    '  2. gopher://gopher.example:7070/0/a%20b',
    '  3. gopher://mirror.example/0/a%20b',
    '  4. gopher://gopher.example/7/s',
  ])
  expect(lines.slice(at + 7)).toEqual([
    '  6. gopher://gopher.example/9/o',
    '  7. gopher://gopher.example/I/p',
    '  8. telnet://guest@lib.example/',
    // A shell would take the semicolon for its own.
    "  9. 'http://www.example/?a=1;b'",
    ' 10. mailto:ann@example',
    ' 11. gopher://cso.example:105/2',
    ' 12. gopher://gopher.example/Z/z',
    '',
    'To open one: retrieve open N; to search: retrieve open N --search TEXT',
    '',
  ])
})

test.each([
  [100, 100],
  [101, 0],
])('in a pipe --page has the URLs of up to 100 entries: of %i, %i', async (count, listed) => {
  const lines = Array.from({ length: count }, (_, n) => `0A text\t/${n + 1}\tgopher.example\t70\r\n`)
  await using server = await served(`${lines.join('')}.\r\n`)
  const { stdout } = await retrieve(['--page', server.gopher.url])
  expect(stdout.match(/^ *\d+\. gopher:/gm) ?? []).toHaveLength(listed)
  expect(stdout.includes('retrieve ls --json')).toBe(listed === 0)
})

test('in a pipe a menu is its octets, and ls is a table and JSON', async () => {
  const octets = Buffer.from('1A \xe4\t/m\th.example\t70\r\n')
  await using server = await served(`${octets}.\r\n`)
  expect((await retrieveOctets([server.gopher.url])).stdout).toEqual(octets)
  expect((await retrieve(['ls', server.gopher.url])).stdout).toMatch(
    /^ {2}1 {2}directory .* gopher:\/\/h\.example\/1\/m$/m,
  )
  const { stdout } = await retrieve(['ls', '--json', server.gopher.url])
  expect(JSON.parse(stdout)).toMatchObject({ name: 'A \xe4', kind: 'directory', url: 'gopher://h.example/1/m' })
})
test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})
