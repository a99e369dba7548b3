import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startHttpServer, startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testCertificate } from '../../servers/src/certificate.ts'
import { type Outcome, retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let base = ''

const server = createServer(({ url }, response) => {
  if (url === '/redirect') response.writeHead(302, { Location: '/text?x' })
  else if (url === '/missing') response.writeHead(404, { 'Content-Type': 'text/html' })
  else if (url === '/evil') response.setHeader('X-Evil', '\x9b31m')
  else response.writeHead(200, [...['Content-Type', 'text/plain'], ...['X-A', '1'], ...['x-a', '2']])
  response.end(url === '/redirect' ? '' : 'hello\n')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => server.close())

/** The outcome of curl; null where it is not there. */
async function curl(argv: readonly string[]): Promise<Outcome | null> {
  const env = { PATH: process.env.PATH }
  try {
    return { status: 0, ...(await promisify(execFile)('curl', ['-q', '-L', '-f', ...argv], { cwd: folder(), env })) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: string | number; stdout: string; stderr: string }
    if (code === 'ENOENT') return null
    return { status: Number(code), stdout, stderr }
  }
}

const format = [
  '%{http_code} %{response_code} %{exitcode} %{content_type} %{http_version} %{method} %{num_connects} %{num_headers}',
  '%{num_redirects} %{redirect_url} %{local_ip} %{remote_ip} %{remote_port} %{scheme} %{size_download} %{size_header}',
  '%{http_connect} %{ssl_verify_result} %{proxy_ssl_verify_result} [%{referer}]',
  '%{size_upload} %{speed_upload} %{time_appconnect} %{url} %{url_effective} %{urlnum} %{filename_effective}',
  '%header{x-a} %header{X-None} %% %x \\q a\\tb\\r\\n%{onerror}failed\\n',
  '%{HTTP_Code} a\\\\nb %\\n %{nope',
].join('\\n')

/** Variables of newer curls than the installed one. */
test.each([
  ['%{url.scheme} %{url.host} %{url.path} %{url.query}', '/redirect', 'http 127.0.0.1 /redirect '],
  ['%{urle.path} %{urle.query} %{URLE.FRAGMENT}', '/redirect', '/text x '],
  ['%{url.user}|%{url.zoneid}|%{url.options}|', '/text', '|||'],
  ['%header{x-a:all:, } %header{none:all:,}.', '/redirect', '1, 2 .'],
  ['%header{x-a:all:\\}\\t}', '/text', '1}\t2'],
])('-w %j of %s prints %j', async (text, path, expected) => {
  const { stdout } = await retrieve(['-s', '-o', '/dev/null', '-w', text, `${base}${path}`])
  expect(stdout.trimEnd()).toBe(expected.trimEnd())
})

test('%{url.port} is the port of the URL or of its scheme, and the local end is told', async () => {
  const { stdout } = await retrieve(['-s', '-o', '/dev/null', '-w', '%{url.port} %{local_port}', `${base}/text`])
  expect(stdout).toMatch(new RegExp(`^${new URL(base).port} [1-9]\\d+$`))
  const none = await retrieve(['-s', '-w', '%{url.port} %{url.nope}', 'data:,x'])
  expect(none.stdout).toBe('x ')
})

describe('-w prints what curl prints', () => {
  test.each([
    ['a body', ['-s', '/text']],
    ['a redirect', ['-s', '/redirect']],
    ['a file', ['-s', '-o', 'file', '/text']],
    ['a head', ['-s', '-I', '/text']],
    ['a missing one', ['-s', '/missing']],
    ['two on one connection', ['-s', '/text', '/text']],
    ['none that connects', ['-s', 'http://127.0.0.1:9/']],
  ])('%s', async (_, typed) => {
    const allow = typed.includes('http://127.0.0.1:9/') ? ['--allow-port', '9'] : []
    const argv = typed.map((word) => (word.startsWith('/') ? `${base}${word}` : word))
    const ours = await retrieve(['-w', format, ...allow, ...argv], { cwd: folder() })
    const theirs = await curl(['-w', format, ...argv])
    if (theirs === null) return
    expect(comparable(ours)).toEqual(comparable(theirs))
  })

  function comparable({ status, stdout }: Outcome): unknown {
    return { status, stdout: stdout.replace(/Date: .*\r\n/, '') }
  }

  test('%{header_json}', async () => {
    const argv = ['-s', '-o', '/dev/null', '-w', '%{header_json}', `${base}/text`]
    const { stdout } = await retrieve(argv)
    expect(JSON.parse(stdout)).toMatchObject({ 'content-type': ['text/plain'], 'x-a': ['1', '2'] })
    const theirs = await curl(argv)
    if (theirs !== null) expect(stdout.replace(/"date":.*/, '')).toBe(theirs.stdout.replace(/"date":.*/, ''))
  })
})

test('%{certs} and %{num_certs} are those of the server, also on a connection that was kept', async () => {
  await using secure = await startHttpServer({ tls: true })
  const url = `${secure.url}pub/hello.txt`
  const argv = ['-s', '-k', '-w', '%{num_certs}\\n%{certs}', '-o', 'one', url]
  const { stdout } = await retrieve([...argv, '-o', 'two', url], { cwd: folder() })
  const one = stdout.slice(0, stdout.length / 2)
  expect(stdout).toBe(one + one)
  expect(one).toMatch(
    /^1\nSubject:(\w+ = .+)\nIssuer:.+\nVersion:2\nSerial Number:[0-9a-f]+\nSignature Algorithm:[\w-]+\n/,
  )
  expect(one).toContain(testCertificate.trim())
  const plain = await retrieve(['-s', '-o', '/dev/null', '-w', '%{num_certs}[%{certs}]', `${base}/text`])
  expect(plain.stdout).toBe('0[]')
  const theirs = await curl(argv)
  if (theirs !== null) expect(one).toBe(theirs.stdout.replace(/^X509v3 .*\n/gm, ''))
})

test('%{json} has the types of curl', async () => {
  const argv = ['-s', '-o', '/dev/null', '-w', '%{json}', `${base}/redirect`]
  const { stdout } = await retrieve(argv)
  const facts: Record<string, unknown> = JSON.parse(stdout)
  expect(stdout).toMatch(/"time_total":\d+\.\d{6}[,}]/)
  expect(facts.time_total).toBeGreaterThan(Number(facts.time_redirect))
  expect(facts).toMatchObject({
    http_code: 200,
    num_redirects: 1,
    redirect_url: null,
    errormsg: null,
    size_download: 6,
  })
  const theirs = await curl(argv)
  if (theirs === null) return
  const known: Record<string, unknown> = JSON.parse(theirs.stdout)
  const types = (record: Record<string, unknown>): string[] =>
    Object.keys(facts).map((name) => `${name}: ${name in record ? typeof record[name] : 'unknown'}`)
  expect(types(facts)).toEqual(types(known))
})

test('%{stderr} goes on to standard error, %{stdout} back', async () => {
  const { stdout, stderr } = await retrieve(['-s', '-w', 'a%{stderr}b%{http_code}%{stdout}c', `${base}/text`])
  expect({ stdout, stderr }).toEqual({ stdout: 'hello\nac', stderr: 'b200' })
})

test('control characters of the server do not reach a person', async () => {
  const { stderr } = await retrieve(['-s', '-o', '/dev/null', '-w', '%{stderr}%header{x-evil}', `${base}/evil`])
  expect(stderr).not.toMatch(/[\x1b\x9b]/)
})

test('the message, and no password', async () => {
  const url = `http://alice:secret@${base.slice(7)}/missing`
  const { status, stdout } = await retrieve(['-s', '-w', '%{errormsg} %{url} %{url_effective} %{json}', url])
  expect(status).toBe(22)
  expect(stdout).toContain('404 Not Found')
  expect(stdout).not.toContain('secret')
})

test('a variable that does not exist is a warning', async () => {
  const { status, stdout, stderr } = await retrieve(['-w', '[%{colour}]', 'data:,x'])
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'x[]' })
  expect(stderr).toBe('retrieve: warning: -w has no variable %{colour}.\n')
})

test('the format may be in a file', async () => {
  writeFileSync(join(folder(), 'format'), '%{size_download}\\n')
  const { stdout } = await retrieve(['-w', '@format', '-o', 'x', 'data:,hello'], { cwd: folder() })
  expect(stdout).toBe('5\n')
  expect(readFileSync(join(folder(), 'x'), 'utf8')).toBe('hello')
  expect(await retrieve(['-w', '@missing', 'data:,x'], { cwd: folder() })).toMatchObject({
    status: 37,
    stderr: 'retrieve: -w @missing cannot be read: there is no such file.\n',
  })
})

test('-O names the file, and FTP gives its last reply', async () => {
  await using servers = await startServers({ ftp: true })
  const argv = [
    '-s',
    '-O',
    '-w',
    '%{filename_effective} %{http_code} %{size_download} %{scheme}',
    `${servers.ftp.url}pub/hello.txt`,
  ]
  const { status, stdout } = await retrieve(argv, { cwd: folder() })
  expect(status).toBe(0)
  expect(stdout).toBe('hello.txt 226 14 FTP')
})

test('%output{FILE} goes on in a file, and >> behind what it has', async () => {
  writeFileSync(join(folder(), 'log'), 'before\n')
  const format = 'a%output{new}b%{http_code}%output{>>log}c%{stdout}d%{num_retries}%{proxy_used}'
  const { stdout } = await retrieve(['-s', '-o', 'x', '-w', format, `${base}/text`], { cwd: folder() })
  const content = (name: string): string => readFileSync(join(folder(), name), 'utf8')
  expect({ stdout, new: content('new'), log: content('log') }).toEqual({
    stdout: 'ad00',
    new: 'b200',
    log: 'before\nc',
  })
  const failed = await retrieve(['-o', 'x', '-w', '%output{none/x}a', `${base}/text`], { cwd: folder() })
  expect(failed.stderr).toContain('none/x cannot be written')
  expect(failed.status).toBe(23)
})
