/** The command with FTP servers: directories in place of files, metadata only, and the advice of its messages. */
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFtpServer, type TestServer } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scriptedFtp } from '../../protocols/ftp/support/scripted-ftp.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let ftp: TestServer

beforeAll(async () => {
  ftp = await startFtpServer()
})
afterAll(() => ftp.close())

const run = (...args: string[]) => retrieve(args, { cwd: folder() })

describe('a directory named without a slash replaces no file', () => {
  test.each([
    ['-o', 'pub'],
    ['-C', '-', '-o', 'pub'],
    ['-C', '-', '-O'],
    ['-r', '0-9', '-o', 'pub'],
  ])('%s %s %s %s', async (...flags) => {
    writeFileSync(join(folder(), 'pub'), 'my own')
    const { status, stderr } = await run(...flags.filter((flag) => flag !== undefined), `${ftp.url}pub`)
    expect(status).toBe(78)
    const advice = 'It is a directory; for its listing, write a / at the end of the URL.'
    expect(stderr).toBe(`retrieve: ${ftp.url}pub: ${advice}\n`)
    expect(readFileSync(join(folder(), 'pub'), 'utf8')).toBe('my own')
  })

  test('nor makes one', async () => {
    expect((await run('--output-dir', '.', '-o', 'new', `${ftp.url}pub`)).status).toBe(78)
    expect((await run('-C', '-', '-o', 'new', `${ftp.url}pub`)).status).toBe(78)
    expect((await run('-r', '5-', `${ftp.url}pub`)).status).toBe(78)
    expect(existsSync(join(folder(), 'new'))).toBe(false)
  })
})

describe('-C - of a file', () => {
  const hello = 'Hello, world.\n'
  const file = (): string => join(folder(), 'c')
  const resume = async (local: string, written = new Date(), options = ['--continue-unverified']) => {
    writeFileSync(file(), local)
    utimesSync(file(), written, written)
    const { status, stderr } = await run(...options, '-C', '-', '-o', 'c', `${ftp.url}pub/hello.txt`)
    return { status, stderr, content: readFileSync(file(), 'utf8') }
  }

  test.each([
    ['Hello', 'without proof that both parts are of one version'],
    [hello, ''],
  ])('of which %j is there, with --continue-unverified: the rest', async (local, told) => {
    expect(await resume(local)).toEqual({ status: 0, stderr: expect.stringContaining(told), content: hello })
  })

  test('of which nothing proves the version: it starts over', async () => {
    const before = ftp.received.length
    const { stderr, ...rest } = await resume('Hello', new Date(), [])
    expect(rest).toEqual({ status: 0, content: hello })
    expect(stderr).toContain('it starts over: nothing proves which version c holds')
    expect(ftp.received.slice(before).filter((line) => line.startsWith('REST'))).toEqual([])
  })

  test('of the date and the size of the one that is there: it is whole, and nothing is transferred', async () => {
    const before = ftp.received.length
    const date = new Date('2001-02-03T04:05:06Z')
    expect(await resume('HELLO, WORLD.\n', date, [])).toEqual({ status: 0, stderr: '', content: 'HELLO, WORLD.\n' })
    expect(ftp.received.slice(before).filter((line) => /^(?:REST|RETR)/.test(line))).toEqual([])
  })

  test('of which others are there: the whole, and a remark', async () => {
    const { status, stderr, content } = await resume('HELLO')
    expect({ status, content }).toEqual({ status: 0, content: hello })
    expect(stderr).toContain('The octets before it are not those of the file; starting over.')
  })

  test('that was rewritten in the same length: the whole, and a remark', async () => {
    const { status, stderr, content } = await resume('Hello, World.\n', new Date('2000-01-01T00:00:00Z'))
    expect({ status, content }).toEqual({ status: 0, content: hello })
    expect(stderr).toContain('It has been modified since; starting over.')
  })

  test('that is shorter by now: an error, and the file stays', async () => {
    const { status, stderr, content } = await resume(`${hello}and more`)
    expect({ status, content }).toEqual({ status: 36, content: `${hello}and more` })
    expect(stderr).toContain('The file has 14 octets, but 22 are there already;')
  })
})

test('-I asks for no transfer', async () => {
  const before = ftp.received.length
  const { status, stdout } = await run('-I', `${ftp.url}pub/a.bin`)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'Last-Modified: Sat, 03 Feb 2001 04:05:06 GMT\r\nContent-Length: 4096\r\n\r\n',
  })
  expect(ftp.received.slice(before).filter((line) => /^(?:RETR|EPSV|PASV)/.test(line))).toEqual([])
  expect((await run('-I', `${ftp.url}pub/none`)).status).toBe(78)
})

test('--max-filesize below the size: nothing is retrieved', async () => {
  const before = ftp.received.length
  const { status, stderr } = await run('--max-filesize', '100', `${ftp.url}pub/a.bin`)
  expect(status).toBe(63)
  expect(stderr).toContain('The body has 4096 octets, and the limit set by --max-filesize is 100')
  expect(ftp.received.slice(before)).not.toContain('RETR a.bin')
})

test('a password that is wanted: how to give it, unmasked', async () => {
  const { status, stderr } = await run(`${ftp.url.replace('//', '//alice@')}pub/a.bin`)
  expect(status).toBe(67)
  expect(stderr).toContain('Give one by -u, or in the URL: USER:PASSWORD@ before the host.')
})

test('a login that must be within TLS: how to have it so', async () => {
  await using server = await scriptedFtp({ USER: '530 Non-anonymous sessions must use encryption.\r\n' })
  const { status, stderr } = await run(`${server.url.replace('//', '//alice:secret@')}x`)
  expect(status).toBe(67)
  expect(stderr).toContain('It takes logins within TLS alone: use an ftpes: URL, or the option --ssl-reqd.')
})
