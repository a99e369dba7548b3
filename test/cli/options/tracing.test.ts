/** --trace, --trace-ascii and --stderr. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http' | 'ftp'>
const run = (...args: string[]) => retrieve(args, { cwd: folder() })
const content = (name: string): string => readFileSync(join(folder(), name), 'utf8')

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true })
  const head = 'HTTP/1.1 200 Fine\r\nSet-Cookie: a=s3cr3t\r\nX-Odd: \x9b[2J\r\nContent-Length: 4\r\n\r\n'
  servers.http.setFaults({ replies: { '/x': `${head}body` } })
})
afterAll(() => servers.close())

test('--trace has the octets in hexadecimal, the size of the body, and no secrets', async () => {
  const { status, stdout, stderr } = await run('--trace', 'trace', '-H', 'X-Token: s3cr3t', `${servers.http.url}x`)
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'body', stderr: '' })
  const trace = content('trace')
  expect(trace).toMatch(/^== Info: Connected to 127\.0\.0\.1:\d+ \(127\.0\.0\.1\) port \d+\n=> Send header, \d+ bytes/)
  expect(trace).toContain('<= Recv header, 19 bytes (0x13)\n0000: 48 54 54 50 2f 31 2e 31 20 32 30 30 20 46 69 6e ')
  const dumped = `0000: ${'62 6f 64 79 '.padEnd(48)}body`
  expect(trace).toContain(`<= Recv data, 4 bytes (0x4)\n${dumped}\n`)
  expect(trace).not.toMatch(/s3cr3t|[\x80-\x9f]/)
  expect(trace).not.toContain('73 33 63 72')
})

test('--trace-ascii has lines, with the time and the number of the retrieval if they are wanted', async () => {
  const typed = ['--trace-ascii', 'trace', '--trace-time', '--trace-ids', '-o', 'x', `${servers.http.url}x`]
  expect((await run(...typed)).status).toBe(0)
  const lines = content('trace').split('\n')
  const stamped = lines.filter((line) => !/^[\da-f]{4}: /.test(line) && line !== '')
  expect(stamped.every((line) => /^\d\d:\d\d:\d\d\.\d{6} \[0\] (==|=>|<=) /.test(line))).toBe(true)
  expect(lines).toContain('0000: GET /x HTTP/1.1')
  expect(lines).toContain('0000: HTTP/1.1 200 Fine')
})

test('a body is dumped as it comes, without the secrets of URLs in it', async () => {
  const lines = ['\xc3\xa9\x1b[2J', `x${'y'.repeat(70)}`, 'http://u:s3cr3t@www.example.org/?token=s3cr3t&a=b', '']
  const body = lines.join('\r\n')
  servers.http.setFaults({ replies: { '/long': `HTTP/1.1 200 Fine\r\nContent-Length: ${body.length}\r\n\r\n${body}` } })
  expect((await run('--trace-ascii', 'trace', '-o', 'x', `${servers.http.url}long`)).status).toBe(0)
  const trace = content('trace')
  const hexSize = body.length.toString(16)
  expect(trace.slice(trace.indexOf('<= Recv data'))).toBe(
    [
      `<= Recv data, ${body.length} bytes (0x${hexSize})`,
      '0000: ...[2J',
      `0008: x${'y'.repeat(63)}`,
      `0048: ${'y'.repeat(7)}`,
      '0051: http://u:***@www.example.org/?token=***&a=b',
      '',
    ].join('\n'),
  )
  expect(content('x')).toContain('s3cr3t')
})

test('mirror has the bodies in its trace, with the numbers of their retrievals', async () => {
  const typed = ['mirror', '--trace-ascii', 'trace', '--trace-ids', `${servers.ftp.url}pub/`, 'tree']
  expect(await run(...typed)).toMatchObject({ status: 0 })
  expect(content('trace')).toMatch(/^\[\d+\] <= Recv data, \d+ bytes \(0x[\da-f]+\)\n0000: /m)
})

test('FTP has its commands and replies; - is standard output', async () => {
  const { stdout } = await run(
    '--trace-ascii',
    '-',
    '-o',
    'x',
    `${servers.ftp.url}readme.txt`.replace('//', '//u:s3cr3t@'),
  )
  expect(stdout).toMatch(/=> Send header, 8 bytes \(0x8\)\n0000: USER u\n/)
  expect(stdout).toMatch(/<= Recv header, \d+ bytes \(0x[\da-f]+\)\n0000: 220 /)
  expect(stdout).not.toContain('s3cr3t')
})

test('--stderr has all messages in a file, or on standard output', async () => {
  const missing = `${servers.http.url}none`
  expect(await run('--stderr', 'messages', missing)).toMatchObject({ status: 22, stdout: '', stderr: '' })
  expect(content('messages')).toMatch(/^retrieve: .*404 Not Found\)\n$/)
  const { stdout, stderr } = await run('--stderr', '-', missing)
  expect(stdout).toBe(content('messages'))
  expect(stderr).toBe('')
})

test.each(['--trace', '--trace-ascii', '--stderr'])(
  '%s into a folder that is not there is an error',
  async (option) => {
    const { status, stderr } = await run(option, 'none/file', `${servers.http.url}x`)
    expect(status).toBe(23)
    expect(stderr).toContain('none/file cannot be written')
  },
)
