import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFtpServer, startHttpServer, startServers, type TestServers, testCa } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { validity } from '../../../packages/cli/src/terminal/trace.ts'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
  writeFileSync(join(folder(), 'ca.pem'), testCa)
})
afterAll(() => servers.close())

/** The lines of -v that begin with `*`, with `N` for times, ports and numbers of days. */
async function told(...args: string[]): Promise<string[]> {
  const { stderr } = await retrieve(['-v', ...args], { cwd: folder() })
  const lines = stderr.split('\n').filter((line) => line.startsWith('*'))
  return lines.map((line) =>
    line
      .replace(/\d+ ms|\d\.\d s/g, 'N')
      .replace(/port \d+/g, 'port N')
      .replace(/:\d{4,5}\//, '/'),
  )
}

test('says what is done in a few lines, and how long each step took', async () => {
  const url = `http://localhost:${servers.http.port}/readme.txt`
  expect(await told(url)).toEqual([
    '* http://localhost/readme.txt',
    '* localhost has the addresses 127.0.0.1, ::1',
    '* connected to 127.0.0.1, port N',
    '* done: 280 octets in N (lookup N, connect N, request N, answer N, body N)',
  ])
})

test('tells a connection that is used again', async () => {
  const { url } = servers.http
  const lines = await told('-o', '/dev/null', '-o', '/dev/null', `${url}readme.txt`, `${url}pub/hello.txt`)
  expect(lines).toEqual([
    '* http://127.0.0.1/readme.txt',
    '* connected to 127.0.0.1, port N',
    expect.stringMatching(/^\* done: 280 octets /),
    '* http://127.0.0.1/pub/hello.txt',
    '* connected already to 127.0.0.1, port N',
    '* done: 14 octets in N (request N, answer N, body N)',
  ])
})

test('tells the data connection of FTP from the other, and shows a certificate once', async () => {
  await using server = await startFtpServer({ tls: true })
  const lines = await told('--cacert', 'ca.pem', `ftps://localhost:${server.port}/pub/hello.txt`)
  expect(lines.slice(2, -1)).toEqual([
    '* connected to 127.0.0.1, port N',
    expect.stringMatching(/^\* TLSv1\.3, TLS_\w+$/),
    expect.stringMatching(/^\* certificate: subject CN=\S.*; issuer CN=\S.*; valid \d+ more days$/),
    '* connected to 127.0.0.1, port N, for the data',
    expect.stringMatching(/^\* TLSv1\.3, TLS_\w+, session resumed$/),
  ])
})

test('tells what TLS has agreed on, and a certificate that is only allowed', async () => {
  await using server = await startHttpServer({ tls: true })
  const lines = await told('-k', `${server.url}readme.txt`)
  expect(lines.join('\n')).toMatch(/\n\* certificate: subject .*; not valid for this host, but allowed\n/)
  expect(lines.at(-1)).toContain(', TLS N, ')
})

test('a failure has no body', async () => {
  expect((await told(`${servers.http.url}none`)).at(-1)).toMatch(/^\* failed: 0 octets in N \((?!.*body).*wait N\)$/)
})

test.each([
  ['2030-01-13T00:00:00.000Z', 'valid 12 more days'],
  ['2030-01-02T00:00:01.000Z', 'valid 1 more day'],
  ['2030-01-01T05:00:00.000Z', 'valid for less than a day more'],
  ['2029-12-29T00:00:00.000Z', 'expired 3 days ago'],
  ['2029-12-31T23:00:00.000Z', 'expired less than a day ago'],
])('a certificate until %s is %s', (expires, text) => {
  expect(validity(expires, Date.parse('2030-01-01T00:00:00.000Z'))).toBe(text)
})

test('a port that was typed is no news; one that a server chose is, and a danger always', async () => {
  await using target = await scriptedHttp(() => reply(200, {}, 'x'))
  const typed = await retrieve(['-v', target.url])
  expect(typed.stderr).not.toContain('asks for port')
  expect((await retrieve(['explain', target.url])).stdout).toContain('  notice   The URL asks for port')
  await using first = await scriptedHttp(() => reply(302, { Location: target.url }))
  const redirected = await retrieve(['-v', first.url])
  expect(redirected.stderr.match(/\* notice: The URL asks for port/g)).toHaveLength(1)
  expect((await retrieve(['explain', 'http://h:25/'])).stdout).toContain('Port 25 is for mail')
  expect((await retrieve(['explain', 'http://h:81/'])).stdout).toContain('  warning  The URL asks for port 81')
})
