import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { startServers, type TestServers, testCa } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trustOf } from '../../../../packages/cli/src/options/connection/trust.ts'
import { pemOf } from '../../../../packages/fetchers/src/wire/transport/tls-options.ts'
import { clientCertificate, clientKey, lockedClientKey } from '../../../protocols/http/support/client-certificate.ts'
import { ok } from '../../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'
import { httpProxy, type ScriptedProxy, scriptedProxy } from '../../../support/wire/scripted-proxy.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http' | 'ftp'>
let proxy: ScriptedProxy
let strict: ScriptedHttp

beforeAll(async () => {
  servers = await startServers({ http: { hosts: ['*'] }, ftp: true })
  proxy = await scriptedProxy(httpProxy(), { tls: true })
  const tls = { ca: clientCertificate, requestCert: true }
  strict = await scriptedHttp(({ socket }) => ok(`${(socket as TLSSocket).getPeerCertificate().subject.CN}\n`), { tls })
  const files = {
    'ca.pem': testCa,
    'cert.pem': clientCertificate,
    'key.pem': clientKey,
    'both.pem': clientCertificate + clientKey,
    'locked.pem': lockedClientKey,
    'a:b\\c.pem': clientCertificate + lockedClientKey,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder(), name), text)
})

afterAll(async () => {
  await Promise.all([servers.close(), proxy[Symbol.asyncDispose](), strict[Symbol.asyncDispose]()])
})

const run = (...args: string[]) => retrieve(args, { cwd: folder() })

describe('--cert, --key and --pass', () => {
  const get = (...args: string[]) => run('--cacert', 'ca.pem', ...args, strict.url)

  test.each([
    [['--cert', 'cert.pem', '--key', 'key.pem']],
    [['-E', 'both.pem']],
    [['--cert', 'cert.pem:s3cr3t', '--key', 'locked.pem']],
    [['--cert', 'cert.pem:wr0ng', '--key', 'locked.pem', '--pass', 's3cr3t']],
    [['--cert', 'a\\:b\\\\c.pem:s3cr3t']],
  ])('%j', async (args) => {
    expect(await get(...args)).toEqual({ status: 0, stdout: 'alice\n', stderr: '' })
  })

  test.each([
    [
      ['--cert', 'none.pem'],
      37,
      /--cert none\.pem cannot be read: there is no such file; give a file with a certificate/,
    ],
    [['--cert', 'key.pem:s3cr3t'], 37, /--cert key\.pem holds no certificate/],
    [['--cert', 'cert.pem', '--key', 'cert.pem'], 37, /--key cert\.pem holds no private key/],
    [['--cert', 'cert.pem'], 2, /--cert cert\.pem holds no key: give --key/],
    [['--key', 'key.pem'], 2, /--key needs --cert/],
    [['--cert', 'cert.pem', '--key', 'locked.pem'], 2, /--pass is missing, and the private key is encrypted/],
    [['--cert', 'cert.pem:s3cr3t2', '--key', 'locked.pem'], 2, /--pass does not open the private key/],
  ])('%j is refused', async (args, status, message) => {
    const outcome = await get(...args)
    expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(message) })
    expect(outcome.stderr).not.toMatch(/s3cr3t|tls\./)
  })
})

test('a certificate that is not trusted is 60, and the error names the ways to trust it', async () => {
  const { status, stderr } = await run(strict.url)
  expect(status).toBe(60)
  for (const way of ['--cacert', '$CURL_CA_BUNDLE', '$SSL_CERT_FILE', '/etc/ssl/certs']) expect(stderr).toContain(way)
})

test('the certificates of this system are read when they are needed', () => {
  const { ca, extraCa } = trustOf({ CURL_CA_BUNDLE: '', SSL_CERT_FILE: '' })
  expect(ca).toBeUndefined()
  const bundle = '/etc/ssl/certs/ca-certificates.crt'
  if (existsSync(bundle)) expect(pemOf(extraCa, 'tls.extraCa')).toBe(readFileSync(bundle, 'latin1'))
  expect(pemOf(trustOf({ CURL_CA_BUNDLE: join(folder(), 'ca.pem'), SSL_CERT_FILE: 'missing' }).ca, 'tls.ca')).toBe(
    testCa,
  )
  expect(() => pemOf(trustOf({ SSL_CERT_FILE: 'missing' }).ca, 'tls.ca')).toThrow(
    '$SSL_CERT_FILE missing cannot be read',
  )
})

test('--proxy-cacert is for the proxy', async () => {
  const args = ['-x', `https://localhost:${proxy.port}`, 'http://www.example/']
  expect(await run('--proxy-cacert', 'ca.pem', ...args)).toMatchObject({ status: 0, stdout: 'through the proxy\n' })
  expect(await run('--cacert', 'ca.pem', '--proxy-cacert', 'cert.pem', ...args)).toMatchObject({ status: 60 })
})

describe('--resolve', () => {
  test.each(['127.0.0.1', '127.0.0.9,127.0.0.1'])('leads to %s', async (addresses) => {
    for (const { port, url } of [servers.http, servers.ftp]) {
      const to = `${url.slice(0, url.indexOf(':'))}://www.example:${port}/pub/hello.txt`
      const outcome = await run(
        '--resolve',
        'www.example:1:127.0.0.8',
        '--resolve',
        `www.example:${port}:${addresses}`,
        to,
      )
      expect(outcome).toEqual({ status: 0, stdout: 'Hello, world.\n', stderr: '' })
    }
  })

  test.each([
    ['www.example:80', /--resolve needs HOST:PORT:ADDRESS\[,ADDRESS\], with .*; not "www\.example:80"/],
    ['www.example:80:other.example', /with a name or \* for HOST and an IP address for ADDRESS; not/],
    ['*.example:80:127.0.0.1', /with a name or \* for HOST and an IP address for ADDRESS; not/],
  ])('%s is refused', async (text, message) => {
    const outcome = await run('--resolve', text, 'http://www.example/')
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringMatching(message) })
  })
})

test.each([
  ['127.0.0.0/8', 0],
  ['127.0.0.1:PORT', 0],
  ['127.0.0.1:1', 9],
  ['10.0.0.0/8', 9],
])('--public-only with --allow-address %s', async (address, expected) => {
  const allowed = address.replace('PORT', String(servers.http.port))
  const others = ['--public-only', '--allow-address', '[::1]', '--allow-address', allowed]
  const { status, stdout } = await run(...others, `${servers.http.url}pub/hello.txt`)
  expect({ status, stdout }).toEqual({ status: expected, stdout: expected === 0 ? 'Hello, world.\n' : '' })
  const explained = await run('explain', ...others, `${servers.http.url}pub/hello.txt`)
  expect(explained.status).toBe(expected)
})

test('--allow-address that is no address is named as it was typed', async () => {
  const outcome = await run('--public-only', '--allow-address', 'intranet', 'http://www.example/')
  expect(outcome).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Expected --allow-address to be addresses'),
  })
})

test('--public-only goes nowhere else', async () => {
  const before = servers.http.accepted
  const outcome = await run('--public-only', `${servers.http.url}pub/hello.txt`)
  expect(outcome).toMatchObject({
    status: 9,
    stdout: '',
    stderr: expect.stringMatching(/ and --public-only allows no/),
  })
  expect(servers.http.accepted).toBe(before)
})
