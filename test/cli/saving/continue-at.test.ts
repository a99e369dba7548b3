import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retrieve, shell, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const quiet = { status: 0, stdout: '', stderr: '' }
/** The options of a caller who wants no proof. */
const unverified = ['--continue-unverified', '-C', '-'] as const
const startsOver = (file: string, url: string): string =>
  `retrieve: ${url}: it starts over: nothing proves which version ${file} holds (--continue-unverified appends anyway)\n`
const appended = (file: string, url: string): string =>
  `retrieve: ${url}: appended to ${file}, without proof that both parts are of one version\n`
let servers: TestServers<'http' | 'ftp'>
/** A server without ranges. */
let deaf: TestServers<'http'>
let source: string

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true })
  deaf = await startServers({ http: { faults: { ignoreRestart: true } } })
  writeFileSync(join(folder(), 'source'), 'abcdefghij')
  utimesSync(join(folder(), 'source'), 1e9, 1e9)
  source = pathToFileURL(join(folder(), 'source')).href
})
afterAll(async () => {
  await servers.close()
  await deaf.close()
})

const run = (...args: string[]) => retrieve(args, { cwd: folder() })
const content = (name: string): string => readFileSync(join(folder(), name), 'utf8')

describe('where the server can begin there', () => {
  test.each(['-', '4'])('-C %s --continue-unverified appends to the file, which gets the date', async (at) => {
    writeFileSync(join(folder(), 'x'), 'abcd')
    const { ino } = statSync(join(folder(), 'x'))
    const stderr = appended('x', source)
    expect(await run('-C', at, '--continue-unverified', '-o', 'x', source)).toEqual({ ...quiet, stderr })
    expect(content('x')).toBe('abcdefghij')
    expect(statSync(join(folder(), 'x'))).toMatchObject({ ino, mtime: new Date(1e12) })
    expect(await run('-C', '-', '-o', 'x', source)).toEqual(quiet)
    expect(content('x')).toBe('abcdefghij')
    expect(statSync(join(folder(), 'x'))).toMatchObject({ ino })
  })

  test.each(['abcd', 'abcdefghij'])('without it, %j starts over: it is of an unknown version', async (there) => {
    writeFileSync(join(folder(), 's'), there)
    expect(await run('-C', '-', '-o', 's', source)).toEqual({ ...quiet, stderr: startsOver('s', source) })
    expect(content('s')).toBe('abcdefghij')
  })

  test('a file that is missing is made', async () => {
    expect(await run('-C', '-', '-o', 'new', source)).toEqual(quiet)
    expect(content('new')).toBe('abcdefghij')
  })

  test('the file of -O is completed, though -O overwrites none', async () => {
    mkdirSync(join(folder(), 'named'))
    writeFileSync(join(folder(), 'named/source'), 'abc')
    expect((await run('--output-dir', 'named', '-O', source)).status).toBe(23)
    const stderr = startsOver('named/source', source)
    expect(await run('--output-dir', 'named', '-C', '-', '-O', source)).toEqual({ ...quiet, stderr })
    expect(content('named/source')).toBe('abcdefghij')
  })

  test('each URL goes on where its own file ends', async () => {
    writeFileSync(join(folder(), 'a'), 'a')
    writeFileSync(join(folder(), 'b'), 'abcde')
    const stderr = appended('a', source) + appended('b', source)
    expect(await run(...unverified, '-o', 'a', source, '-o', 'b', source)).toEqual({ ...quiet, stderr })
    expect([content('a'), content('b')]).toEqual(['abcdefghij', 'abcdefghij'])
  })

  test.each(['ABCD', 'ABCDEFGHIJ'])('never behind other octets: %j is replaced by the file', async (other) => {
    writeFileSync(join(folder(), 'other'), other)
    const stderr = `retrieve: ${source}: The octets before it are not those of the file; starting over.\n`
    expect(await run(...unverified, '-o', 'other', source)).toEqual({ ...quiet, stderr })
    expect(content('other')).toBe('abcdefghij')
  })

  test('nor behind octets that are older than the file, though these are the same', async () => {
    writeFileSync(join(folder(), 'older'), 'abcd')
    utimesSync(join(folder(), 'older'), 1e9 - 1, 1e9 - 1)
    const stderr = `retrieve: ${source}: It has been modified since; starting over.\n`
    expect(await run(...unverified, '-o', 'older', source)).toEqual({ ...quiet, stderr })
    expect(content('older')).toBe('abcdefghij')
  })

  test('standard output gets what comes from there on', async () => {
    expect(await run('-C', '7', source)).toEqual({ ...quiet, stdout: 'hij' })
    expect(await run('-C', '0', source)).toEqual({ ...quiet, stdout: 'abcdefghij' })
    expect(await run('-C', '10', source)).toEqual(quiet)
  })
})

describe('HTTP', () => {
  const hello = (): string => `${servers.http.url}pub/hello.txt`

  test('goes on where the file ends', async () => {
    writeFileSync(join(folder(), 'h'), 'Hello')
    expect(await run(...unverified, '-o', 'h', hello())).toEqual({ ...quiet, stderr: appended('h', hello()) })
    expect(content('h')).toBe('Hello, world.\n')
    expect(statSync(join(folder(), 'h')).mtime).toEqual(new Date('2001-02-03T04:05:06Z'))
    expect(await run('-C', '7', hello())).toEqual({ ...quiet, stdout: 'world.\n' })
  })

  test('has nothing to add to a file that is whole', async () => {
    expect(await run('-o', 'w', hello())).toEqual(quiet)
    const { ino } = statSync(join(folder(), 'w'))
    expect(await run('-C', '-', '-o', 'w', hello())).toEqual(quiet)
    expect(content('w')).toBe('Hello, world.\n')
    // It has the size and the date of the resource, so nothing was written.
    expect(statSync(join(folder(), 'w'))).toMatchObject({ ino })
  })

  test.each(['HELLO', 'Hello, world!\n'])('replaces %j, which is of another version', async (other) => {
    writeFileSync(join(folder(), 'v'), other)
    const stderr = `retrieve: ${hello()}: It has changed since; starting over.\n`
    expect(await run(...unverified, '-o', 'v', hello())).toEqual({ ...quiet, stderr })
    expect(content('v')).toBe('Hello, world.\n')
  })
})

describe('a file that is longer than the resource stays as it is, and the exit code is 36', () => {
  const longer = 'Hello, world. And more.\n'
  const refused = async (url: string, why: string, lines = 1, options: readonly string[] = []): Promise<void> => {
    writeFileSync(join(folder(), 'longer'), longer)
    const { status, stderr } = await run(...options, '-C', '-', '-o', 'longer', url)
    expect({ status, stderr }).toEqual({ status: 36, stderr: expect.stringContaining(why) })
    expect(stderr.trimEnd().split('\n')).toHaveLength(lines)
    expect(content('longer')).toBe(longer)
    expect(readdirSync(folder()).filter((name) => name.startsWith('longer'))).toEqual(['longer'])
  }
  const only = (url: string): string => {
    const why = `it has 24 octets, and ${url} has only 14`
    return `retrieve: longer cannot be continued: ${why}. To replace longer, leave -C out.\n`
  }

  test('http', () => refused(`${servers.http.url}pub/hello.txt`, only(`${servers.http.url}pub/hello.txt`)))
  test('under the name of -O, which overwrites none', async () => {
    const url = `${servers.http.url}pub/hello.txt`
    writeFileSync(join(folder(), 'hello.txt'), longer)
    const why = `hello.txt cannot be continued: it has 24 octets, and ${url} has only 14`
    const advice = 'To replace hello.txt, remove it first, or name another file with -o.'
    expect(await run('-C', '-', '-O', url)).toEqual({ status: 36, stdout: '', stderr: `retrieve: ${why}. ${advice}\n` })
    expect(content('hello.txt')).toBe(longer)
  })
  test('and is replaced without -C', async () => {
    writeFileSync(join(folder(), 'forced'), longer)
    expect(await run('-o', 'forced', `${servers.http.url}pub/hello.txt`)).toEqual(quiet)
    expect(content('forced')).toBe('Hello, world.\n')
  })
  test('http, of a server without ranges', () =>
    refused(`${deaf.http.url}pub/hello.txt`, only(`${deaf.http.url}pub/hello.txt`)))
  test('http, where the length is known at the end alone', () =>
    refused(
      `${deaf.http.url}chunked/pub/hello.txt`,
      'longer was kept: it has 24 octets, but only 14 were received.',
      2,
    ))
  test('gopher', async () => {
    await using gopher = await startServers({ gopher: true })
    const why = 'longer was kept: it has 24 octets, but only 15 were received.'
    await refused(`${gopher.gopher.url}0/pub/hello.txt`, why, 2)
  })
  test('ftp', () =>
    refused(
      `${servers.ftp.url}pub/hello.txt`,
      'The file has 14 octets, but 24 are there already; retrieve it from its beginning. To replace longer, leave -C out.',
      1,
      ['--continue-unverified'],
    ))
  test('file', async () => {
    writeFileSync(join(folder(), 'short'), 'Hello, world.\n')
    const url = pathToFileURL(join(folder(), 'short')).href
    await refused(url, only(url))
    await refused(url, 'The file has 14 octets, but 24 are there already', 1, ['--continue-unverified'])
  })
})

describe('where it cannot', () => {
  const hello = (): string => `${deaf.http.url}pub/hello.txt`
  const why = 'The server cannot resume; starting over.'

  test('the whole comes, and replaces the file', async () => {
    writeFileSync(join(folder(), 'y'), 'Hell')
    expect(await run(...unverified, '-o', 'y', hello())).toEqual({ ...quiet, stderr: `retrieve: ${hello()}: ${why}\n` })
    expect(content('y')).toBe('Hello, world.\n')
  })

  test('and only once it is whole: until then the file is as it was', async () => {
    await using cut = await startServers({ http: { faults: { shortBody: 5, ignoreRestart: true } } })
    writeFileSync(join(folder(), 'z'), 'Hell')
    expect((await run('--retry', '0', '-C', '-', '-o', 'z', `${cut.http.url}pub/hello.txt`)).status).toBe(18)
    expect(content('z')).toBe('Hell')
    expect(content('z.part')).toBe('Hello, wo')
  })

  test('standard output gets no more than was asked for', async () => {
    expect(await run('-s', '-C', '7', hello())).toEqual({ ...quiet, stdout: 'world.\n' })
    expect(await run('-s', '-C', '14', hello())).toEqual(quiet)
    const beyond = await run('-sS', '-C', '15', hello())
    expect(beyond).toMatchObject({ status: 36, stdout: '' })
    expect(beyond.stderr).toBe(`retrieve: ${hello()}: It has 14 octets, so there are none from 15 on.\n`)
  })
})

test('a cut body leaves what came, to be continued', async () => {
  await using cut = await startServers({ http: { faults: { shortBody: 5 } } })
  expect((await run('--retry', '0', '-C', '-', '-o', 'cut', `${cut.http.url}pub/hello.txt`)).status).toBe(18)
  expect(content('cut.part')).toBe('Hello, wo')
  expect(readdirSync(folder()).filter((name) => name.startsWith('cut'))).toEqual(['cut.part', 'cut.part.json'])
})

test('R39: a FIFO that no program reads is refused before anything is requested', async () => {
  execFileSync('mkfifo', [join(folder(), 'pipe')])
  const before = servers.http.accepted
  const why = 'pipe cannot be written: no program reads this FIFO; start its reader first.'
  expect(await run('-o', 'pipe', servers.http.url)).toEqual({ status: 23, stdout: '', stderr: `retrieve: ${why}\n` })
  expect(servers.http.accepted).toBe(before)
  // cat opens the FIFO at its own time.
  const script = `cat pipe & until retrieve -s -o pipe file://${folder()}/source; do :; done; wait`
  expect(shell(script, folder())).toEqual({ ...quiet, stdout: 'abcdefghij' })
})

test('R39: a file that cannot be continued is refused before anything is requested', async () => {
  writeFileSync(join(folder(), 'ten'), '0123456789')
  symlinkSync('ten', join(folder(), 'link'))
  const before = servers.http.accepted
  const refused = async (at: string, file: string): Promise<string> => {
    const { status, stderr } = await run('-C', at, '-o', file, servers.http.url)
    expect(status).toBe(23)
    return stderr
  }
  expect(await refused('5', 'ten')).toBe(
    'retrieve: ten cannot be written: it has 10 octets, but -C says 5; use -C - to continue where it ends.\n',
  )
  expect(await refused('-', 'link')).toMatch(/only a regular file can be continued, not a link\.\n$/)
  expect(await refused('-', '.')).toMatch(/it is a directory/)
  expect(servers.http.accepted).toBe(before)
  expect(content('ten')).toBe('0123456789')
})
