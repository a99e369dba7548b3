import { startFtpServer, startHttpServer, startNntpServer, startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, shell, start, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

/** The secret in all forms in which it could appear. */
function forms(secret: string, user = 'alice'): string[] {
  const base64 = Buffer.from(`${user}:${secret}`).toString('base64')
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64'), base64]
}

async function expectHidden(secret: string, args: readonly string[]): Promise<number> {
  const { status, stdout, stderr } = await retrieve(args, { cwd: folder() })
  for (const form of forms(secret)) expect(`${stdout}${stderr}`, args.join(' ')).not.toContain(form)
  return status
}

test.each([[[]], [['-v']], [['-v', '--json']]])('a password in the URL is nowhere, with %j', async (flags) => {
  const login = 'alice:s3cr3t'
  const at = (url: string): string => url.replace('//', `//${login}@`)
  const urls = [
    `${at(servers.ftp.url)}pub/a.bin`,
    `${at(servers.http.url)}auth/`,
    `${at(servers.http.url)}redirect/302/readme.txt`,
    `${at(servers.nntp.url)}retriever.test/1`,
    at(servers.telnet.url),
    at(servers.gopher.url),
    `ftp://${login}@127.0.0.1:1/x`,
    `ftp://${login}@127.0.0.1:2/x`,
    `ftp://${login}@h:port/x`,
    `ftp://alice:s3cr3t%0d%0a@h/x`,
    `foo://${login}@h/x`,
    `//${login}@h/x`,
    `http://127.0.0.1:2/?token=s3cr3t`,
  ]
  for (const url of urls) expect(await expectHidden('s3cr3t', [...flags, '-o', 'x', url])).not.toBe(2)
})

test('nor in explain, which shows that there is one', async () => {
  for (const flags of [[], ['--json']]) {
    await expectHidden('s3cr3t', [
      'explain',
      ...flags,
      'ftp://u:s3cr3t@h/x',
      'http://u:s3cr3t@h/?sig=s3cr3t',
      'foo://u:s3cr3t@h',
    ])
  }
  expect((await retrieve(['explain', 'ftp://u:s3cr3t@h/x'])).stdout).toContain('ftp://u:***@h/x')
})

test('a password of -u logs in and is shown nowhere', async () => {
  await using ftp = await startFtpServer()
  await using nntp = await startNntpServer({ auth: 'required' })
  const urls = [`${ftp.url}pub/hello.txt`, `${servers.http.url}auth/`, `${nntp.url}retriever.test/1`]
  for (const url of urls)
    expect(await expectHidden('secret', ['-v', '-u', 'alice:secret', '-o', 'x', url]), url).toBe(0)
  expect(ftp.received).toContain('USER alice')
  expect(ftp.received).not.toContain('USER anonymous')
  for (const url of urls) expect(await expectHidden('wr0ng', ['-v', '-u', 'alice:wr0ng', url]), url).toBe(67)
})

test('-u is for the host of the URL alone', async () => {
  const to = `${servers.http.url}auth/`
  await using elsewhere = await startHttpServer({
    faults: { replies: { '/': `HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n` } },
  })
  const before = servers.http.received.length
  expect((await retrieve(['-u', 'alice:secret', elsewhere.url])).status).toBe(67)
  expect(servers.http.received.slice(before)).toHaveLength(1)
})

test('without a terminal nobody is asked', async () => {
  const { status, stderr } = await retrieve(['-u', 'alice', `${servers.http.url}auth/`])
  expect(status).toBe(67)
  expect(stderr).toMatch(/^retrieve: [^\n]*\n$/)
})

test.runIf(process.platform === 'linux')('the list of processes does not show the arguments', async () => {
  await using silent = await startServers({ ftp: { faults: { stall: 'greeting' } } })
  const child = start([silent.ftp.url.replace('//', '//alice:s3cr3t@')])
  await silent.ftp.waitForConnections(1)
  expect(shell(`tr '\\0' ' ' < /proc/${child.pid}/cmdline`).stdout.trim()).toBe('retrieve')
  child.kill('SIGKILL')
})
