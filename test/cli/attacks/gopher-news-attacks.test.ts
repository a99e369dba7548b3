/**
 * Cases of docs/internals/threats.md, section 1, at the command: what Gopher and news servers try, and must not get.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formServer } from '../../support/cli/form-server.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'gopher' | 'nntp'>

/** OSC 52 writes to the clipboard, CSI 2J clears the screen, DEL and BEL, and U+202E turns the line around. */
const hostile = 'Hi\x1b]52;c;ZXZpbA==\x07\x1b[2J\x7f\xe2\x80\xae.'
const items = [`i${hostile}\tx\t(NULL)\t0`, `0${hostile}\t/x${hostile}\t127.0.0.1\t70`, '1Mail\t/x\t127.0.0.1\t25']
const menu = `${items.join('\r\n')}\r\n.\r\n`
const header = ['From', 'Subject', 'Date'].map((name) => `${name}: ${hostile}\r\n`).join('')
const article = `${header}X: =?UTF-8?B?G1sySg==?=\r\n\r\n${hostile}\r\n`

beforeAll(async () => {
  servers = await startServers({ gopher: true, nntp: true })
})
beforeEach(() => {
  servers.gopher.setFaults({
    replies: { '/m': menu, '/t': `${hostile}\r\n.\r\n`, '/e': `3${hostile}\t\terror.host\t1\r\n.\r\n` },
  })
  servers.nntp.setFaults({
    replies: {
      ARTICLE: `220 1 <a@b>\r\n${article}.\r\n`,
      'GROUP retriever.none': `411 ${hostile}\r\n`,
      OVER: `224 list\r\n1\t${hostile}\t${hostile}\t${hostile}\t<${hostile}>\t<x${hostile}>\t1\t1\r\n.\r\n`,
      LIST: `215 list\r\n${hostile} 1 1 y\r\n${hostile}\r\n.\r\n`,
    },
  })
})
afterAll(() => servers.close())

/** The URL of each kind: a menu, a text, an article, a group, the groups. */
function places(): readonly string[] {
  const { gopher, nntp } = servers
  const paths = ['1/m', '0/t'].map((path) => `${gopher.url}${path}`)
  return [...paths, ...['retriever.test/1', 'retriever.test', ''].map((path) => `${nntp.url}${path}`)]
}

/** Only visible characters, blanks and line ends, without the colours of the command itself. */
function expectHarmless(text: string): void {
  expect(text.replace(/\x1b\[[\d;]*m/g, '')).not.toMatch(
    /[^\t\r\n\x20-\x7E\xa0-\u200d\u2010-\u2027\u2030-\u2065\u2070-\uffff]/,
  )
  expect(text).not.toMatch(/\x1b\[2J|\x1b\]|\u202e/)
}

describe('case 33, terminal escapes', () => {
  test.skipIf(!hasTerminal)('what is shown on a terminal drives none', async () => {
    for (const url of places()) {
      const { status, screen } = await onPty(folder(), `'${url}'`)
      expect(status, `${url}: ${screen}`).toBe(0)
      expect(screen).toContain('Hi\\e]52;c')
      expectHarmless(screen)
      expectHarmless((await onPty(folder(), `ls '${url}'`)).screen)
      expectHarmless((await onPty(folder(), `-v '${url}'`)).screen)
    }
  })

  test('errors, and what -v tells, neither', async () => {
    for (const url of [`${servers.gopher.url}0/e`, `${servers.nntp.url}retriever.none`]) {
      const { status, stderr } = await retrieve(['-v', url])
      expect(status).toBe(78)
      expect(stderr).toContain('\\e]52;c')
      expectHarmless(stderr)
    }
  })

  test('R25, R26: -v says that nothing proves the end of a plain answer, and does so for no other', async () => {
    const { gopher, nntp } = servers
    for (const [url, isProven] of [
      [`${gopher.url}0/readme.txt`, false],
      [`${gopher.url}9/pub/a.bin%09%09+`, true],
      [`${nntp.url}`, true],
    ] as const) {
      const { status, stderr } = await retrieve(['-v', url])
      expect(status).toBe(0)
      expect(stderr.includes('* the server marks the end of the body only by closing')).toBe(!isProven)
    }
  })

  test('ls --json is one object a line, whatever stands in the names', async () => {
    for (const url of places().filter((place) => !/\/0\/t$|\/1$/.test(place))) {
      const { status, stdout } = await retrieve(['ls', '--json', url])
      expect(status).toBe(0)
      expectHarmless(stdout)
      const entries = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { name: string })
      expect(entries.map(({ name }) => name).join()).toContain('\x1b]52;c;')
    }
  })

  test('in a pipe and in a file it is the octets of the server', async () => {
    const [asMenu = '', , asArticle = ''] = places()
    expect((await retrieveOctets([asMenu])).stdout.toString('latin1')).toBe(menu.slice(0, -'.\r\n'.length))
    expect((await retrieveOctets([asArticle])).stdout.toString('latin1')).toBe(article)
  })
})

describe('case 77, forms that grab', () => {
  test('no file that the server names is read, none is written', async () => {
    const cwd = join(folder(), 'jail')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'key'), 'what-only-the-file-holds')
    const key = join(cwd, 'key')
    await using server = await formServer([
      `Ask: Name\t@${key}`,
      'AskP: Password\tproposed-secret',
      `AskF: Save as\t${join(cwd, 'planted')}`,
      `ChooseF: Your key\t${key}`,
    ])
    const env = { HOME: cwd }
    for (const args of [
      ['--form', 'Name=Ann'],
      ['--form', '1=@key'],
      ['-u', 'alice:s3cr3t', '--form', '1=Ann'],
    ]) {
      const { status, stdout } = await retrieve([...args, server.url], { cwd, env })
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'Thank you.\r\n' })
    }
    expect((await retrieve([server.url], { cwd, env })).status).toBe(2)
    expect(server.received.join()).not.toMatch(/what-only|proposed-secret|s3cr3t/)
    expect(readdirSync(cwd)).toEqual(['key'])
  })
})
