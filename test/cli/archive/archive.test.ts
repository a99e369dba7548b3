/** --warc: what is sent and received, as other programs read it, and --from-warc. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startHttpServer, startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archivesIn, readArchive } from '../../support/cli/archives.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const outer = temporaryFolder()
let servers: TestServers<'http' | 'ftp' | 'gopher' | 'gemini'>
beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true, gopher: true, gemini: true })
})
afterAll(() => servers.close())

/** A folder with one archive of these arguments. */
async function archived(...args: string[]) {
  const folder = mkdtempSync(join(outer(), 'warc-'))
  const run = await retrieve(['--warc', 'x', ...args], { cwd: folder })
  const [file = ''] = archivesIn(folder)
  const records = await readArchive(file)
  return { ...run, folder, file, records, all: gunzipSync(readFileSync(file)).toString('latin1') }
}

const replies = (given: Readonly<Record<string, string | string[]>>): void => servers.http.setFaults({ replies: given })

test('a request of HTTP and its answer, linked, behind a description of the archive', async () => {
  replies({
    '/x': 'HTTP/1.1 200 Fine\r\nX-Odd:  a\xE9\r\nContent-Type: Text/Plain; q=1\r\nContent-Length: 4\r\n\r\nbody',
  })
  const url = `${servers.http.url}x`
  const { status, stdout, stderr, records } = await archived('--warc-header', 'operator: me', url)
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'body', stderr: '' })
  const [info, response, request] = records
  expect(records.map(({ type, uri }) => [type, uri])).toEqual([
    ['warcinfo', null],
    ['response', url],
    ['request', url],
  ])
  expect(info?.block).toMatch(/^software: retrieve\/[\d.]+\r\nformat: WARC File Format 1\.1\r\n.+\r\noperator: me\r\n$/)
  expect(response?.block).toBe(
    'HTTP/1.1 200 Fine\r\nX-Odd: a\xE9\r\nContent-Type: Text/Plain; q=1\r\nContent-Length: 4\r\n\r\nbody',
  )
  expect(request?.block).toMatch(/^GET \/x HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n(?:.+\r\n)+\r\n$/)
  const id = response?.fields['WARC-Record-ID']
  expect(request?.fields).toMatchObject({ 'WARC-Concurrent-To': id, 'WARC-IP-Address': '127.0.0.1' })
  expect(response?.fields).toMatchObject({
    'WARC-IP-Address': '127.0.0.1',
    'WARC-Warcinfo-ID': info?.fields['WARC-Record-ID'],
    'Content-Type': 'application/http; msgtype=response',
  })
})

test('redirects, and no secrets', async () => {
  const head = 'HTTP/1.1 302 Found\r\nLocation: /y?token=s3cr3t\r\nSet-Cookie: a=s3cr3t\r\nContent-Length: 0\r\n\r\n'
  replies({ '/x': head, '/y?token=s3cr3t': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny' })
  const url = `${servers.http.url}x`
  const typed = ['-L', '-u', 'me:s3cr3t', '--basic', '-b', 'b=s3cr3t', '-H', 'X-Token: s3cr3t', url]
  const { stdout, records, all, file, folder } = await archived(...typed)
  expect(stdout).toBe('y')
  const target = `${servers.http.url}y?token=***`
  expect(records.map(({ type, uri }) => [type, uri]).slice(1)).toEqual([
    ['response', url],
    ['request', url],
    ['response', target],
    ['request', target],
  ])
  expect(all).not.toMatch(/s3cr3t|bWU6czNjcjN0/)
  const again = await retrieve(['--from-warc', file, '-w', ' %{http_code}', url], { cwd: folder })
  expect(again).toMatchObject({ status: 0, stdout: 'y 200' })
  const asObject = await retrieve(['--from-warc', file, '--json', '-o', 'z', url], { cwd: folder })
  expect(JSON.parse(asObject.stdout)).toMatchObject({ status: 200 })
})

test('redirects of another protocol than HTTP', async () => {
  const url = `${servers.gemini.url}redirect/31`
  const { stdout, file, folder } = await archived('-k', url)
  expect(stdout).toBe('Hello, world.\n')
  const again = await retrieve(['--from-warc', file, '-w', '%{num_redirects} %{url_effective}', url], { cwd: folder })
  expect(again).toMatchObject({ status: 0, stdout: `${stdout}2 ${servers.gemini.url}pub/hello.txt` })
  const listed = await retrieve(['ls', '--json', file], { cwd: folder })
  expect(listed.stdout).toContain('"type":"metadata"')
})

test.each(['--compressed', '--no-progress-meter'])(
  'a coded body in chunks: read back with and without %s',
  async (option) => {
    const body = gzipSync('hello').toString('latin1')
    const fields = 'Content-Encoding: gzip\r\nTransfer-Encoding: chunked'
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    replies({ '/x': `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${chunks}` })
    const url = `${servers.http.url}x`
    const { stdout, records, file, folder } = await archived('-s', option, '-o', '-', url)
    expect(records[1]?.payload).toBe(body)
    expect(records[1]?.block).toContain('\r\nX-Crawler-Transfer-Encoding: chunked\r\n')
    const again = await retrieve(['-s', '-o', '-', '--from-warc', file, url], { cwd: folder })
    expect(again.stdout).toBe(stdout)
  },
)

test('FTP and Gopher: the body, and what was planned, sent and received', async () => {
  const urls = [`${servers.ftp.url.replace('//', '//alice@')}pub/hello.txt`, `${servers.gopher.url}0/pub/dots.txt`]
  const typed = urls.map((url) => url.replace('alice', 'alice:secret'))
  const { status, stdout, records, file, folder, all } = await archived(...typed)
  expect(status).toBe(0)
  expect(all).not.toContain('secret')
  expect(records.map(({ type, uri }) => [type, uri]).slice(1)).toEqual(
    urls.flatMap((url) => [
      ['resource', url],
      ['metadata', url],
    ]),
  )
  const [, resource, metadata, , gopher] = records
  expect(metadata?.fields).toMatchObject({
    'Content-Type': 'text/x-ftp-control-conversation',
    'WARC-Concurrent-To': resource?.fields['WARC-Record-ID'],
    'WARC-IP-Address': '127.0.0.1',
  })
  expect(metadata?.block.split('\r\n')).toEqual(
    expect.arrayContaining([
      `* ${urls[0]}`,
      expect.stringContaining('* plan: {"mechanism":"ftp","host":"127.0.0.1",'),
      '> USER alice',
      '> PASS <password>',
      expect.stringMatching(/^< 226 /),
    ]),
  )
  expect(gopher?.block).toMatch(/\r\n> \/pub\/dots\.txt\r\n$/)
  const again = await Promise.all(urls.map((url) => retrieve(['--from-warc', file, url], { cwd: folder })))
  expect(again.map((run) => run.stdout).join('')).toBe(stdout)
})

test('a failure and a part by FTP: the dialogue alone', async () => {
  const missing = await archived(`${servers.ftp.url}pub/missing.txt`)
  expect(missing).toMatchObject({ status: 78, records: [{ type: 'warcinfo' }, { type: 'metadata' }] })
  expect(missing.records[1]?.block).toMatch(/\r\n< 550 .+\r\n\* failed: .+\r\n$/)
  const part = await archived('-r', '0-3', `${servers.ftp.url}pub/hello.txt`)
  expect(part).toMatchObject({ stdout: 'Hell', records: [{ type: 'warcinfo' }, { type: 'metadata' }] })
})

test('what came before is referred to, and read back', async () => {
  const body = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsame'
  replies({ '/a': body, '/b': `${body.replace('OK', 'Fine')}`, '/c': 'HTTP/1.1 304 No\r\nETag: "a"\r\n\r\n' })
  const { url } = servers.http
  const urls = [`${url}a`, `${url}b`]
  const { records, file, folder } = await archived(...urls)
  const [, first, , second] = records
  expect(second).toMatchObject({ type: 'revisit', block: 'HTTP/1.1 200 Fine\r\nContent-Length: 4\r\n\r\n' })
  expect(second?.fields).toMatchObject({
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
    'WARC-Payload-Digest': first?.fields['WARC-Payload-Digest'],
    'WARC-Refers-To': first?.fields['WARC-Record-ID'],
    'WARC-Refers-To-Target-URI': `${url}a`,
    'WARC-Refers-To-Date': first?.fields['WARC-Date'],
  })
  expect((await retrieve(['--from-warc', file, `${url}b`], { cwd: folder })).stdout).toBe('same')
  const unchanged = await archived('-z', '2020-01-01', `${url}c`)
  expect(unchanged.records[1]?.fields['WARC-Profile']).toMatch(/server-not-modified$/)
  expect(unchanged.records[1]?.fields).not.toHaveProperty('WARC-Payload-Digest')
})

test('what came by HTTP is not referred to for another protocol, whose records have no head', async () => {
  const { http, ftp } = servers
  const { records } = await archived(`${http.url}pub/hello.txt`, `${ftp.url}pub/hello.txt`)
  expect(records.map(({ type }) => type)).toEqual(['warcinfo', 'response', 'request', 'resource', 'metadata'])
})

test('answers without a body, and what the cache asks again', async () => {
  replies({ '/x': ['HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: 4\r\n\r\nbody', 'HTTP/1.1 304 No\r\n\r\n'] })
  const url = `${servers.http.url}x`
  const first = await archived('--cache', join(outer(), 'cache'), url)
  const again = await archived('--cache', join(outer(), 'cache'), '-H', 'Cache-Control: max-age=0', url)
  expect([first.stdout, again.stdout]).toEqual(['body', 'body'])
  expect(again.records.map(({ type }) => type)).toEqual(['warcinfo', 'revisit', 'request'])
  const head = await archived('-I', `${servers.http.url}readme.txt`)
  expect(head.records.map(({ type }) => type)).toEqual(['warcinfo', 'response', 'request'])
  expect(readFileSync(head.file.replace('.warc.gz', '.cdxj'), 'utf8')).toBe('')
  const missing = await retrieve(['--from-warc', head.file, `${servers.http.url}readme.txt`])
  expect(missing.status).not.toBe(0)
})

test('HTTP/2 in the form of HTTP/1.1', async () => {
  await using secure = await startHttpServer({ tls: true, http2: true })
  const { status, records } = await archived('-k', `${secure.url}readme.txt`)
  expect({ status, types: records.map(({ type }) => type) }).toEqual({
    status: 0,
    types: ['warcinfo', 'response', 'request'],
  })
  expect(records.slice(1).map(({ fields }) => fields['WARC-Protocol'])).toEqual(['h2', 'h2'])
  expect(records.slice(1).map(({ block }) => block.split('\r\n')[0])).toEqual([
    'HTTP/1.1 200 ',
    'GET /readme.txt HTTP/1.1',
  ])
})

test('a body that breaks off is marked, and not given as a whole', async () => {
  replies({ '/x': 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf' })
  const url = `${servers.http.url}x`
  const { status, records, file, folder } = await archived('--retry', '0', url)
  expect(status).not.toBe(0)
  expect(records[1]).toMatchObject({ payload: 'half', fields: { 'WARC-Truncated': 'disconnect' } })
  const again = await retrieve(['--from-warc', file, url], { cwd: folder })
  expect(again).toMatchObject({ status: 18, stdout: '' })
  expect(again.stderr).toContain('has only a part of it')
})

test('--from-warc contacts nothing, and says what is missing', async () => {
  replies({ '/x': 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone' })
  const url = `${servers.http.url}x`
  const { file, folder } = await archived(url)
  const asked = servers.http.requests.length
  const missing = await retrieve(['--from-warc', file, '-w', '%{http_code}', url], { cwd: folder })
  expect(missing).toMatchObject({
    status: 22,
    stdout: '404',
    stderr: expect.stringContaining('has the answer 404 of 20'),
  })
  const unknown = await retrieve(['--from-warc', file, `${url}y`], { cwd: folder })
  expect(unknown.stderr).toContain('has no answer to this URL; retrieve ls FILE lists')
  expect(servers.http.requests.length).toBe(asked)
})

test('an archive that cannot be made is an error before anything is sent', async () => {
  const asked = servers.http.requests.length
  const { status, stderr } = await retrieve(['--warc', 'nowhere/x', servers.http.url], { cwd: outer() })
  expect({ status, stderr }).toMatchObject({ status: 23, stderr: expect.stringContaining('nowhere/x-') })
  expect(servers.http.requests.length).toBe(asked)
})

test('mirror: the files and the listings', async () => {
  const { records, folder } = await archived('mirror', `${servers.ftp.url}pub/`, 'copy')
  const resources = records.filter(({ type }) => type === 'resource' || type === 'revisit').map(({ uri }) => uri)
  expect(resources).toEqual(expect.arrayContaining([`${servers.ftp.url}pub/`, `${servers.ftp.url}pub/hello.txt`]))
  expect(readdirSync(join(folder, 'copy'))).toContain('hello.txt')
})
