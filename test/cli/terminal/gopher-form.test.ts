import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { formServer } from '../../support/cli/form-server.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

const every = [
  'Ask: Your name?\tnobody',
  'AskP: A secret',
  'AskL: A letter',
  'AskF: Save as\tanswer.txt',
  'Select: Fruits\tapple\tpear\tplum',
  'Choose: Colour?\tred\tgreen',
  'ChooseF: A file to send',
]

/** The data block of a form. */
function block(...lines: readonly string[]): string {
  return `/form\t+\t1\r\n+-1\r\n${lines.map((line) => `${line}\r\n`).join('')}.\r\n`
}

describe('--form', () => {
  test('answers by prompt and by number; the rest is as the server proposes', async () => {
    await using server = await formServer(every.slice(0, 6))
    const args = ['--form', '1=Ann=a', '--form', 'A secret=xyzzy', '--form', 'Colour?=green']
    expect(await retrieve([...args, server.url])).toEqual({ status: 0, stdout: 'Thank you.\r\n', stderr: '' })
    expect(server.received.at(-1)).toBe(block('Ann=a', 'xyzzy', '0', 'answer.txt', '0', '0', '0', 'green'))
  })

  test('several of one name are several lines, or choices', async () => {
    await using server = await formServer(['AskL: A letter', 'Select: Fruits\tapple\tpear\tplum'])
    const lines = ['--form', '1=one', '--form', '1=.\ntwo']
    await retrieve([...lines, '--form', 'Fruits=plum', '--form', 'Fruits=apple', server.url])
    expect(server.received.at(-1)).toBe(block('3', 'one', '..', 'two', '1', '0', '1'))
  })

  test('@FILE sends the octets of a file where the server asks for one', async () => {
    await using server = await formServer(['Ask: Your name?', 'ChooseF: A file to send'])
    writeFileSync(join(folder(), 'sent'), Buffer.from([0, 1, 0xfe, 0x0d, 0x0a, 0x2e]))
    await retrieve(['--form', '1=Ann', '--form', '2=@sent', server.url], { cwd: folder() })
    expect(server.received.at(-1)).toBe('/form\t+\t1\r\n+11\r\nAnn\r\n\0\x01\xfe\r\n.')
  })

  test('elsewhere an @ is an @', async () => {
    await using server = await formServer(['Ask: Your name?'])
    await retrieve(['--form', '1=@sent', server.url], { cwd: folder() })
    expect(server.received.at(-1)).toBe(block('@sent'))
  })

  test.each([
    [
      ['4=x'],
      '--form 4: the form has no such question. Give the number of one: 1 is "Name\\e[2J", 2 is "File", 3 is "Name".',
    ],
    [['name=x'], '--form name: the form has no such question.'],
    [['1=x', '1=y'], '--form 1: the question takes one answer, and 2 are given.'],
    [['File=/etc/hostname'], '--form 2: the server asks for the content of a file. Give --form 2=@FILE to send one.'],
  ])('%j fits no question, and nothing is sent', async (given, message) => {
    await using server = await formServer(['Ask: Name\x1b[2J', 'ChooseF: File', 'Ask: Name'])
    const { status, stdout, stderr } = await retrieve([...given.flatMap((text) => ['--form', text]), server.url])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(server.received).toHaveLength(1)
  })

  test('a file that cannot be read is file-failed', async () => {
    await using server = await formServer(['ChooseF: File'])
    const { status, stderr } = await retrieve(['--form', '1=@missing', server.url], { cwd: folder() })
    expect({ status, stderr }).toEqual({
      status: 37,
      stderr: 'retrieve: --form 1=@missing cannot be read: there is no such file; name a file that can.\n',
    })
    expect(server.received).toHaveLength(1)
  })

  test.each([
    [
      ['--form', 'x', 'gopher://h/0/f'],
      '--form needs NAME=VALUE: the prompt of a question or its number, and the answer.',
    ],
    [
      ['--form', '=x', 'gopher://h/0/f'],
      '--form needs NAME=VALUE: the prompt of a question or its number, and the answer.',
    ],
    [
      ['--form', 'a=s3cret', 'http://h/'],
      '--form is for the forms of Gopher and Gemini servers, and http://h/ has none: leave --form out.',
    ],
  ])('%j is refused before anything is contacted', async (args, message) => {
    expect(await retrieve(args)).toEqual({ status: 2, stdout: '', stderr: `retrieve: ${message}\n` })
  })

  test('without it, and without a terminal, the questions are told', async () => {
    await using server = await formServer(every)
    const { status, stdout, stderr } = await retrieve([server.url])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('Your name?')
    expect(stderr).toMatch(/ Give the answers, by prompt or number, with --form NAME=VALUE\.\n$/)
    expect(server.received).toHaveLength(1)
  })
})

describe.skipIf(!hasTerminal)('on a terminal (script of util-linux)', () => {
  test('each question is asked, the secret unseen, and no file is sent', async () => {
    await using server = await formServer(every)
    const { status, screen } = await onPty(folder(), `'${server.url}'`, {
      'Your name? [nobody]: ': '\r',
      'A secret: ': 'xyzzy\r',
      'A letter: (an empty line ends it)': 'Dear server,\r.\r\r',
      '0 is none [0]: ': '1 3\r',
      'Number [1]: ': '2\r',
    })
    expect({ status, screen }).toMatchObject({ status: 0, screen: expect.stringMatching(/Thank you\.\r\n$/) })
    const unwrapped = screen.replace(/\r+\n/g, ' ')
    expect(unwrapped).toContain('Save as (left out: --form 4=NAME tells the server a file name)')
    expect(screen).toContain('  1) apple\r\n  2) pear\r\n  3) plum\r\n')
    expect(unwrapped).toContain('A file to send (left out: --form 7=@FILE sends the content of a file)')
    expect(screen).not.toContain('xyzzy')
    const sent = block('nobody', 'xyzzy', '2', 'Dear server,', '..', 'answer.txt', '1', '0', '1', 'green')
    expect(server.received.at(-1)).toBe(sent)
  })

  test('only what --form leaves open is asked', async () => {
    await using server = await formServer(['Ask: Name', 'Ask: Town', 'Choose: Colour\tred\tgreen'])
    const { screen } = await onPty(folder(), `--form Town=Ulm --form 3=green '${server.url}'`, { 'Name: ': 'Ann\r' })
    expect(screen).not.toMatch(/Town|Colour/)
    expect(server.received.at(-1)).toBe(block('Ann', 'Ulm', 'green'))
  })

  test('nothing is asked where --form says it all', async () => {
    await using server = await formServer(['Ask: Name'])
    const { screen } = await onPty(folder(), `--form 1=Ann '${server.url}'`)
    expect(screen).toBe('Thank you.\r\n')
  })

  test('questions, remarks and choices are wrapped between words', async () => {
    const long = 'Which of the many islands of the archipelago do you mean'
    await using server = await formServer([`Ask: ${long}`, `Choose: ${long}\t${long}\tnone`, `AskL: ${long}`])
    const typed = { 'do you mean: ': 'x\r', 'Number [1]: ': '1\r', '> ': '\r' }
    const { screen } = await onPty(folder(), `'${server.url}'`, typed, { columns: 40 })
    const lines = screen.replace(/\x1b\[\d*[A-Z]/g, '').split(/\r+\n/)
    expect(lines.filter((line) => line.length > 40 && !line.includes('gopher:'))).toEqual([])
    expect(lines).toEqual(
      expect.arrayContaining(['Which of the many islands of the', '  1) Which of the many islands of the']),
    )
    expect(lines).toContain('     archipelago do you mean')
    expect(server.received.at(-1)).toBe(block('x', long, '0'))
  })

  test('a wrong number is asked for again', async () => {
    await using server = await formServer(['Choose: Colour\tred\tgreen'])
    const typed = { 'Number [1]: ': '3\r', 'One number from 1 to 2, please.': '2\r' }
    await onPty(folder(), `'${server.url}'`, typed)
    expect(server.received.at(-1)).toBe(block('green'))
  })

  test.each([
    ['\r', '1'],
    ['0\r', '0'],
  ])('a box that is ticked before: %j', async (typed, sent) => {
    await using server = await formServer(['Select: By mail:1'])
    await onPty(folder(), `'${server.url}'`, { '0 is none [1]: ': typed })
    expect(server.received.at(-1)).toBe(block(sent))
  })

  test('a paste answers as many questions as it has lines', async () => {
    await using server = await formServer(['Ask: Name', 'Ask: Town'])
    await onPty(folder(), `'${server.url}'`, { 'Name: ': 'Ann\rUlm\r' })
    expect(server.received.at(-1)).toBe(block('Ann', 'Ulm'))
  })

  test('a secret in a paste is not shown, whatever comes before and behind it', async () => {
    await using server = await formServer(['Ask: Name', 'AskP: Secret', 'Ask: Town', 'AskP: Another'])
    const typed = { 'Name: ': 'Ann\rxyzzy\rUlm\rplu', 'Another: ': 'gh\r' }
    const { screen } = await onPty(folder(), `'${server.url}'`, typed)
    expect(screen).toMatch(/Ann\r+\nSecret: \r\nTown: Ulm\r\nAnother: \r\nThank you/)
    expect(screen).not.toMatch(/xyzzy|plu|gh/)
    expect(server.received.at(-1)).toBe(block('Ann', 'xyzzy', 'Ulm', 'plugh'))
  })

  test("a server's words drive no terminal", async () => {
    await using server = await formServer(['Ask: Na\x1b[2Jme\tno\x9bbody', 'Choose: Co\x07lour\tr\x1b]0;x\x07ed'])
    const { screen } = await onPty(folder(), `'${server.url}'`, { '[no\\x9bbody]: ': '\r', 'Number [1]: ': '\r' })
    expect(screen).toContain('Na\\e[2Jme [no\\x9bbody]: ')
    expect(screen).toContain('  1) r\\e]0;x\\x07ed')
    expect(screen).not.toMatch(/\x1b\[2J|\x1b\]|\x07|\x9b/)
    expect(server.received.at(-1)).toBe(block('no\xc2\x9bbody', 'r\x1b]0;x\x07ed'))
  })

  test.each([
    ['Ctrl-D', 'Ask: Name', 'Name: ', '\x04', 2],
    ['an empty secret', 'AskP: Secret', 'Secret: ', '\r', 2],
    ['Ctrl-C', 'Ask: Name', 'Name: ', '\x03', 130],
  ])('%s sends nothing', async (_, question, prompt, typed, exit) => {
    await using server = await formServer([question])
    const { status, screen } = await onPty(folder(), `'${server.url}'`, { [prompt]: typed })
    expect(status).toBe(exit)
    // The next output, if only the shell's prompt, begins a line.
    expect(screen.slice(screen.indexOf(prompt) + prompt.length)).toMatch(/^(?:\x1b\[\d+G)?\r*\n/)
    expect(server.received).toHaveLength(1)
  })

  test('an item whose URL means no form is not asked for one', async () => {
    await using servers = await startServers()
    const { status } = await onPty(folder(), `${servers.gopher.url}0/pub/hello.txt`)
    expect(status).toBe(0)
    expect(servers.gopher.received).toEqual(['/pub/hello.txt'])
  })
})

test('a form that is not filled in, or an item that is not there, leaves no file (R27)', async () => {
  await using servers = await startServers()
  const cwd = join(folder(), 'empty')
  mkdirSync(cwd)
  for (const [item, status] of [
    ['0/missing', 78],
    ['9/missing', 78],
    ['0/ask', 78],
    ['0/ask%09%09+', 78],
    ['0/missing%09%09+', 78],
  ] as const) {
    const outcome = await retrieve(['-o', 'x', `${servers.gopher.url}${item}`], { cwd })
    expect({ item, status: outcome.status }).toEqual({ item, status })
    expect(readdirSync(cwd)).toEqual([])
  }
})
test.skipIf(hasTerminal)('SKIPPED: terminal tests need script(1) of util-linux', () => {})
