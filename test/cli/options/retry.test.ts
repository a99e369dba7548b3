import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers } from '@retriever/servers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { part, reply } from '../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { messages } from '../../support/cli/json-lines.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let server: ScriptedHttp
/** How often the server fails before it serves. */
let failures = 0

beforeAll(async () => {
  server = await scriptedHttp(({ index }) => {
    const isFailing = index < failures
    // 0 s is taken for a tenth of a second.
    return isFailing ? reply('503', { 'Retry-After': '0' }) : reply('200', { ETag: '"a"' }, 'hello')
  })
  return () => server[Symbol.asyncDispose]()
})
afterEach(() => server.asked.splice(0))

const waiting = (url: string): string =>
  `retrieve: ${url}: The server wants no request now. Try again in 0 s. (503 x) Trying again in 0.1 s.\n`

describe('what fails for a cause that may pass', () => {
  test('is tried again, three times at most, and a line each time says so', async () => {
    failures = 2
    const twice = waiting(server.url).repeat(2)
    expect(await retrieve([server.url])).toEqual({ status: 0, stdout: 'hello', stderr: twice })
    server.asked.splice(0)
    failures = 9
    const { status, stderr } = await retrieve([server.url])
    expect({ status, tries: server.asked.length }).toEqual({ status: 22, tries: 4 })
    expect(stderr.startsWith(waiting(server.url).repeat(3))).toBe(true)
  })

  test.each([
    ['0', 1],
    ['1', 2],
  ])('--retry %s', async (retries, tries) => {
    failures = 9
    expect((await retrieve(['--retry', retries, server.url])).status).toBe(22)
    expect(server.asked).toHaveLength(tries)
  })

  test('-s says nothing of it, --json makes an object of it, -v tells it among the rest', async () => {
    failures = 1
    expect(await retrieve(['-s', server.url])).toEqual({ status: 0, stdout: 'hello', stderr: '' })
    server.asked.splice(0)
    const message = 'The server wants no request now. Try again in 0 s. (503 x) Trying again in 0.1 s.'
    expect(messages((await retrieve(['--json', server.url])).stderr)).toEqual([
      { notice: { operand: server.url, code: 'http-error', message } },
    ])
    server.asked.splice(0)
    const { stderr } = await retrieve(['-v', server.url])
    expect(stderr.split('\n').filter((line) => /again in/.test(line))).toEqual([
      `* trying again in 0.1 s after: ${server.url}: The server wants no request now. Try again in 0 s. (503 x)`,
    ])
  })

  test.each(['x', '-1', '1.5'])('--retry %s is no number of tries', async (retries) => {
    expect((await retrieve(['--retry', retries, server.url])).status).toBe(2)
    expect(server.asked).toHaveLength(0)
  })
})

test('a line of a retrieval that continues a file says where, also before the server has sent any of it', async () => {
  const whole = 'abcdefghij'
  const file = join(folder(), 'begun')
  writeFileSync(file, 'abcde')
  await using busy = await scriptedHttp((asked) => {
    if (asked.index === 0) return reply(503, { 'Retry-After': '0' })
    return asked.fields.range === undefined ? reply(200, {}, whole) : part(asked, whole, { ETag: '"a"' })
  })
  const { status, stderr } = await retrieve(['-C', '5', '--continue-unverified', '-o', file, busy.url])
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/ Going on at octet 5 in 0\.1 s\.\n.* appended to .*\n$/),
  })
})

describe('--split', () => {
  test('asks for a first segment', async () => {
    failures = 0
    expect(await retrieve(['--split', '4', server.url])).toEqual({ status: 0, stdout: 'hello', stderr: '' })
    expect(server.asked.map(({ fields }) => fields.range)).toEqual(['bytes=0-4194303'])
  })

  test.each(['0', '17', 'x'])('%s is no number of connections', async (count) => {
    expect((await retrieve(['--split', count, server.url])).status).toBe(2)
  })
})

describe('a server that cuts the body each 1,000 octets', () => {
  const content = Buffer.alloc(20_000, 'abcdefg')
  const fields = { ETag: '"a"' }
  /** The line about each break, without the times. */
  const breaks = (stderr: string): string[] =>
    [...stderr.matchAll(/Going on at octet \d+ in [\d.]+ s\.$/gm)].map(([line]) => line.replace(/ in .*/, ''))

  test('of HTTP is given up after --retry 2, and the lines say where it went on', async () => {
    await using cutting = await scriptedHttp((asked) => {
      const whole = asked.fields.range === undefined ? reply(200, fields, content) : part(asked, content, fields)
      const head = whole.indexOf('\r\n\r\n') + 4
      return { octets: whole.subarray(0, head + 1000), end: 'fin' }
    })
    const { status, stderr } = await retrieve(['--retry', '2', '-o', '/dev/null', cutting.url])
    expect({ status, asked: cutting.asked.length }).toEqual({ status: 18, asked: 3 })
    expect(breaks(stderr)).toEqual(['Going on at octet 1000', 'Going on at octet 2000'])
    // It says what it does, not what to do.
    expect(stderr).not.toContain('try again. Going on')
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('(It was tried 3 times; 3000 octets of the body came.)')
  })

  test('and whose body has no length and no validator, begins at the beginning each time, as the lines say', async () => {
    await using cutting = await scriptedHttp(() => {
      const chunk = `3e8\r\n${content.subarray(0, 1000)}\r\n`
      return { octets: reply(200, { 'Content-Length': null, 'Transfer-Encoding': 'chunked' }, chunk), end: 'fin' }
    })
    const { status, stderr } = await retrieve(['--retry', '1', '-o', join(folder(), 'x'), cutting.url])
    expect({ status, asked: cutting.asked.length }).toEqual({ status: 18, asked: 2 })
    expect(stderr).toMatch(/Trying again in [\d.]+ s\.$/m)
    expect(breaks(stderr)).toEqual([])
  })

  test('of FTP, too', async () => {
    await using servers = await startServers({ bigSize: 20_000, ftp: { faults: { cutAfter: 1000 } } })
    const { status, stderr } = await retrieve(['--retry', '2', '-o', '/dev/null', `${servers.ftp.url}big`])
    expect({ status, tries: servers.ftp.received.filter((line) => /^RETR/.test(line)).length }).toEqual({
      status: 18,
      tries: 3,
    })
    expect(breaks(stderr)).toHaveLength(2)
    expect(breaks(stderr)[0]).toBe('Going on at octet 1000')
  })

  test('is told with -v as well', async () => {
    await using servers = await startServers({ bigSize: 3000, ftp: { faults: { cutAfter: 1000, bodies: 1 } } })
    const { status, stderr } = await retrieve(['-v', '-o', '/dev/null', `${servers.ftp.url}big`])
    expect(status).toBe(0)
    expect(stderr).toMatch(/^\* going on at octet 1000 in [\d.]+ s after: /m)
  })
})
