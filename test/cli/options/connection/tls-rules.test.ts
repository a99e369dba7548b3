import { createHash, createPublicKey } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { testCa } from '@retriever/servers'
import { beforeAll, describe, expect, test } from 'vitest'
import { ok } from '../../../protocols/http/support/http-answers.ts'
import {
  emptyList,
  revokedCertificate,
  revokedList,
  revokingCa,
} from '../../../protocols/http/support/revoked-certificate.ts'
import { type ScriptedHttp, scriptedHttp } from '../../../protocols/http/support/scripted-http.ts'
import { testCertificate, testKey } from '../../../servers/src/certificate.ts'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'
import { httpProxy, type ScriptedProxy, scriptedProxy } from '../../../support/wire/scripted-proxy.ts'

useBundle()
const folder = temporaryFolder()
let server: ScriptedHttp
let revoked: ScriptedHttp
let proxy: ScriptedProxy

const der = createPublicKey(testCertificate).export({ type: 'spki', format: 'der' })
const pin = `sha256//${createHash('sha256').update(der).digest('base64')}`
const otherPin = `sha256//${'A'.repeat(43)}=`

beforeAll(async () => {
  const told = ({ socket }: { socket: unknown }) => {
    const connection = socket as TLSSocket
    return ok(`${connection.getProtocol()} ${connection.getCipher().standardName} ${connection.alpnProtocol || 'none'}`)
  }
  server = await scriptedHttp(told, { tls: { ALPNProtocols: ['http/1.1'] } })
  revoked = await scriptedHttp(told, { tls: { cert: revokedCertificate, key: testKey } })
  proxy = await scriptedProxy(httpProxy(), { tls: true })
  const files = {
    'ca.pem': testCa,
    'revoking.pem': revokingCa,
    'empty.crl': emptyList,
    'full.crl': revokedList,
    'key.pem': createPublicKey(testCertificate).export({ type: 'spki', format: 'pem' }),
    'key.der': der,
  }
  for (const [name, octets] of Object.entries(files)) writeFileSync(join(folder(), name), octets)
  mkdirSync(join(folder(), 'trusted'))
  mkdirSync(join(folder(), 'none'))
  writeFileSync(join(folder(), 'trusted', '1a2b3c4d.0'), testCa)
  return () => Promise.all([server, revoked, proxy].map((each) => each[Symbol.asyncDispose]()))
})

const run = (...args: string[]) => retrieve(args, { cwd: folder() })

describe('what is agreed on', () => {
  test.each([
    [['--tlsv1.2'], /^TLSv1\.3 .* http\/1\.1$/],
    [['--tlsv1.3'], /^TLSv1\.3 /],
    [['--tls-max', '1.2'], /^TLSv1\.2 /],
    [['--tlsv1.3', '--tlsv1.2', '--tls-max', '1.2'], /^TLSv1\.2 /],
    [['--tls-max', 'default'], /^TLSv1\.3 /],
    [['--tls-max', '1.2', '--ciphers', 'ECDHE-ECDSA-AES128-GCM-SHA256'], /TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256/],
    [['--tls13-ciphers', 'TLS_CHACHA20_POLY1305_SHA256'], /TLS_CHACHA20_POLY1305_SHA256/],
    [['--curves', 'P-256'], /^TLSv1\.3 /],
    [['--no-alpn'], / none$/],
    [['--no-sessionid'], /^TLSv1\.3 /],
    [['--pinnedpubkey', pin], /^TLSv1\.3 /],
    [['--pinnedpubkey', `${otherPin};${pin}`], /^TLSv1\.3 /],
    [['--pinnedpubkey', 'key.pem'], /^TLSv1\.3 /],
    [['--pinnedpubkey', 'key.der'], /^TLSv1\.3 /],
  ])('%j', async (args, expected) => {
    const outcome = await run('--cacert', 'ca.pem', ...args, server.url)
    expect(outcome).toEqual({ status: 0, stdout: expect.stringMatching(expected), stderr: '' })
  })
})

test.each([
  [['--pinnedpubkey', otherPin], 90, /which --pinnedpubkey does not name/],
  [['-k', '--pinnedpubkey', otherPin], 90, /which --pinnedpubkey does not name/],
  [
    ['--pinnedpubkey', 'none.pem'],
    90,
    /--pinnedpubkey none\.pem cannot be read: there is no such file; give a file with a public key/,
  ],
  [['--pinnedpubkey', 'empty.crl'], 90, /--pinnedpubkey empty\.crl holds no public key/],
  [['--pinnedpubkey', 'sha256//x'], 2, /--pinnedpubkey to be a list of/],
  [['--ciphers', 'bogus'], 59, /--ciphers to be a list that OpenSSL knows/],
  [['--tls13-ciphers', 'bogus'], 59, /--tls13-ciphers to be a list/],
  [['--curves', 'bogus'], 59, /--curves to be a list/],
  [['--tls-max', '1.1'], 2, /--tls-max needs a version of TLS, 1\.2 or 1\.3\. TLS 1\.1 is not safe/],
  [['--tls-max', '9'], 2, /--tls-max needs .* It is not "9"/],
  [['--tlsv1.3', '--tls-max', '1.2'], 2, /--tls-max to be no older/],
  [['--crlfile', 'none.crl'], 82, /--crlfile none\.crl cannot be read/],
  [['--crlfile', 'ca.pem'], 82, /--crlfile ca\.pem holds no list of revoked/],
  [['--cert-status'], 2, /--cert-status is refused\. .*--crlfile/],
])('%j', async (args, status, message) => {
  const outcome = await run('--cacert', 'ca.pem', ...args, server.url)
  expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(message) })
})

test('--capath trusts the certificates of a folder, with those of --cacert', async () => {
  expect((await run('--capath', 'trusted', server.url)).status).toBe(0)
  expect((await run('--capath', 'trusted', '--cacert', 'revoking.pem', server.url)).status).toBe(0)
  expect((await run('--cacert', 'revoking.pem', server.url)).status).toBe(60)
  expect(await run('--capath', 'none', server.url)).toMatchObject({
    status: 37,
    stderr: expect.stringMatching(/--capath none holds no certificates/),
  })
})

test.each([
  ['empty.crl', 0],
  ['full.crl', 60],
])('--crlfile %s', async (file, status) => {
  expect(await run('--cacert', 'revoking.pem', '--crlfile', file, revoked.url)).toMatchObject({ status })
})

describe('of an https proxy', () => {
  const get = (...args: string[]) => run('-x', `https://localhost:${proxy.port}`, ...args, 'http://www.example/')

  test.each([
    [['--proxy-insecure'], 0],
    [['-k'], 60],
    [['--proxy-capath', 'trusted'], 0],
    [['--proxy-cacert', 'ca.pem', '--proxy-pinnedpubkey', pin], 0],
    [['--proxy-cacert', 'ca.pem', '--proxy-pinnedpubkey', otherPin], 90],
    [['--proxy-cacert', 'ca.pem', '--proxy-ciphers', 'bogus'], 59],
    [['--proxy-cacert', 'ca.pem', '--proxy-tls13-ciphers', 'TLS_CHACHA20_POLY1305_SHA256'], 0],
    [['--proxy-cacert', 'ca.pem', '--proxy-key', 'key.pem'], 2],
    [['--proxy-cacert', 'ca.pem', '--proxy-crlfile', 'none.crl'], 82],
  ])('%j', async (args, status) => {
    expect(await get(...args)).toMatchObject({ status })
  })
})
