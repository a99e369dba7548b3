import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { messages, results } from '../../support/cli/json-lines.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http'>
let hello: string

beforeAll(async () => {
  servers = await startServers({ http: true })
  hello = `${servers.http.url}pub/hello.txt`
})
afterAll(() => servers.close())

const run = (...args: string[]) => retrieve(args, { cwd: folder() })
const modified = new Date('2001-02-03T04:05:06Z')

test('an unchanged resource is a notice and no failure, and the file stays as it is', async () => {
  writeFileSync(join(folder(), 'copy'), 'old')
  utimesSync(join(folder(), 'copy'), modified, modified)
  const notice = `retrieve: ${hello}: not modified since Sat, 03 Feb 2001 04:05:06 GMT\n`
  expect(await run('-z', 'copy', '-o', 'copy', hello)).toEqual({ status: 0, stdout: '', stderr: notice })
  expect(readFileSync(join(folder(), 'copy'), 'utf8')).toBe('old')
  expect(statSync(join(folder(), 'copy')).mtime).toEqual(modified)
  expect(await run('-z', 'copy', hello)).toEqual({ status: 0, stdout: '', stderr: notice })
})

test('a newer resource is retrieved', async () => {
  writeFileSync(join(folder(), 'older'), 'old')
  const before = new Date(modified.getTime() - 1000)
  utimesSync(join(folder(), 'older'), before, before)
  expect(await run('-z', 'older', '-o', 'older', hello)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(folder(), 'older'), 'utf8')).toBe('Hello, world.\n')
  // It has the date of the resource now.
  expect((await run('-z', 'older', '-o', 'older', hello)).stderr).toMatch(/not modified since/)
})

test('a file that is yet to be made is older than all', async () => {
  const twice = ['-z', './first', '-o', 'first', hello]
  expect(await run(...twice)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(folder(), 'first'), 'utf8')).toBe('Hello, world.\n')
  expect((await run(...twice)).stderr).toMatch(/not modified since/)
  expect((await run('-z', 'never', '-o', 'first', hello)).status).toBe(2)
  expect(await run('-z', 'hello.txt', '-O', hello)).toMatchObject({ status: 0, stdout: '' })
  expect(readFileSync(join(folder(), 'hello.txt'), 'utf8')).toBe('Hello, world.\n')
  expect((await run('-z', 'hello.txt', '-O', hello)).stderr).toMatch(/not modified since/)
  utimesSync(join(folder(), 'hello.txt'), 0, 0)
  expect((await run('-O', hello)).status).toBe(23)
  expect((await run('-z', 'hello.txt', '-O', hello)).status).toBe(0)
  expect(statSync(join(folder(), 'hello.txt')).mtime).toEqual(modified)
  expect((await run('-z', 'elsewhere/hello.txt', '-O', hello)).status).toBe(2)
})

test('the others go on, and a failure among them decides', async () => {
  const missing = `${servers.http.url}missing`
  const { status, stdout, stderr } = await run('-z', '2001-02-04', hello, missing, hello)
  expect(status).toBe(22)
  expect(stdout).toBe('')
  // Without the URLs: a port may hold a 404 too.
  const outcomes = stderr.replaceAll(servers.http.url, '').split('\n')
  expect(outcomes.map((line) => /not modified|404/.exec(line)?.[0])).toEqual([
    'not modified',
    '404',
    'not modified',
    undefined,
  ])
})

test('-s says nothing of it, --json makes an object of it, -v does not call it a failure', async () => {
  expect(await run('-s', '-z', '2002-01-01', hello)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect((await run('-sS', '-z', '2002-01-01', hello)).stderr).toBe('')
  const { status, stderr } = await run('--json', '-z', '2002-01-01', hello)
  expect(status).toBe(0)
  const message = 'not modified since Tue, 01 Jan 2002 00:00:00 GMT'
  expect(messages(stderr)).toEqual([{ notice: { operand: hello, code: 'not-modified', message } }])
  expect(results(stderr)).toMatchObject([{ outcome: 'not-modified', exit: 0, status: 304, size: null, error: null }])
  const verbose = (await run('-v', '-z', '2002-01-01', hello)).stderr
  expect(verbose).toContain('\n* done: 0 octets in ')
  expect(verbose).not.toContain('failed')
})

test('with - before it, only what is as old comes', async () => {
  const newer = await run('-z', '-2 Feb 2001', hello)
  const message = 'modified since Fri, 02 Feb 2001 00:00:00 GMT, so nothing came'
  expect(newer).toEqual({ status: 0, stdout: '', stderr: `retrieve: ${hello}: ${message}\n` })
  expect((await run('-z', '-Sat, 03 Feb 2001 04:05:06 GMT', hello)).stdout).toBe('Hello, world.\n')
  expect((await run('-z', '-4 Feb 2001', hello)).stdout).toBe('Hello, world.\n')
  writeFileSync(join(folder(), 'ancient'), '')
  utimesSync(join(folder(), 'ancient'), 1, 1)
  expect((await run('-z', '-ancient', hello)).stdout).toBe('')
  const { stdout } = await run('--json', '-z', '-2 Feb 2001', '-o', 'none', hello)
  expect(results(stdout)).toMatchObject([{ outcome: 'not-modified', exit: 0, file: null }])
})

describe('what is taken for a date', () => {
  test.each([
    ['Sat, 03 Feb 2001 04:05:06 GMT', true],
    ['Saturday, 03-Feb-01 04:05:06 GMT', true],
    ['2001-02-03T04:05:06Z', true],
    ['2001-02-03T05:05:05+01:00', false],
    ['2001-02-03', false],
    ['03 Feb 2001 04:05:05 GMT', false],
    ['February 3, 2001 04:05:06 GMT', true],
  ])('%s', async (date, isCurrent) => {
    const { status, stdout } = await run('-z', date, hello)
    expect({ status, stdout }).toEqual({ status: 0, stdout: isCurrent ? '' : 'Hello, world.\n' })
  })

  test.each(['06.05.2030', '05/06/2030', 'may 6', 'may 30', '6', ' '])('%s is none', async (date) => {
    expect(await run('-z', date, hello)).toMatchObject({ status: 2, stdout: '' })
  })

  test('a file that exists goes before what Date.parse takes for a date out of kindness', async () => {
    writeFileSync(join(folder(), '2030'), '')
    utimesSync(join(folder(), '2030'), 1, 1)
    expect((await run('-z', '2030', hello)).stdout).toBe('Hello, world.\n')
    expect((await run('-z', '2031', hello)).stdout).toBe('')
    writeFileSync(join(folder(), '2030-01-01'), '')
    utimesSync(join(folder(), '2030-01-01'), 1, 1)
    expect((await run('-z', '2030-01-01', hello)).stdout).toBe('')
  })
})
