/** The rules of the options `tls`: versions, ciphers, pinned keys, lists of revoked certificates, ALPN. */
import { createHash, createPublicKey } from 'node:crypto'
import { rootCertificates, type TlsOptions as ServerOptions, type TLSSocket } from 'node:tls'
import { type ClientOptions, createClient, type TlsOptions } from '@retriever/fetchers'
import { startServers, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { ok } from '../protocols/http/support/http-answers.ts'
import {
  emptyList,
  revokedCertificate,
  revokedList,
  revokingCa,
} from '../protocols/http/support/revoked-certificate.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { testCertificate, testKey } from '../servers/src/certificate.ts'
import { failure } from '../support/failure.ts'
import { httpProxy, scriptedProxy } from '../support/wire/scripted-proxy.ts'

/** A server that answers with the version, the cipher and the protocol of the connection. */
const server = (tls: ServerOptions = {}) =>
  scriptedHttp(
    ({ socket }) => {
      const connection = socket as TLSSocket
      return ok(
        `${connection.getProtocol()} ${connection.getCipher().standardName} ${connection.alpnProtocol || 'none'}`,
      )
    },
    { tls },
  )

async function text(url: string, tls: TlsOptions, options: ClientOptions = {}): Promise<string> {
  await using client = createClient({ limits: { maxRetries: 0 }, ...options, tls: { ca: testCa, ...tls } })
  return await (await client.retrieve(url)).text()
}

const pinOf = (certificate: string): string => {
  const key = createPublicKey(certificate).export({ type: 'spki', format: 'der' })
  return `sha256//${createHash('sha256').update(key).digest('base64')}`
}
const pin = pinOf(testCertificate)
const otherPin = `sha256//${'A'.repeat(43)}=`

test.each<[TlsOptions, RegExp]>([
  [{}, /^TLSv1\.3 TLS_\w+ http\/1\.1$/],
  [{ maxVersion: 'TLSv1.2' }, /^TLSv1\.2 /],
  [{ minVersion: 'TLSv1.3' }, /^TLSv1\.3 /],
  [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }, /TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384/],
  [{ ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }, /^TLSv1\.3 /],
  [{ cipherSuites: 'TLS_CHACHA20_POLY1305_SHA256' }, /^TLSv1\.3 TLS_CHACHA20_POLY1305_SHA256 /],
  [{ cipherSuites: 'TLS_CHACHA20_POLY1305_SHA256', maxVersion: 'TLSv1.2' }, /^TLSv1\.2 /],
  [{ curves: 'P-256' }, /^TLSv1\.3 /],
  [{ alpn: false }, / none$/],
  [{ pins: [otherPin, pin] }, /^TLSv1\.3 /],
])('%j', async (tls, expected) => {
  await using https = await server({ ALPNProtocols: ['http/1.1'] })
  expect(await text(https.url, tls)).toMatch(expected)
})

test('extraCa is trusted beside the built-in certificates, and read when TLS begins', async () => {
  let reads = 0
  const extraCa = (): string => {
    reads++
    return `${rootCertificates.join('\n')}\n${testCa}`
  }
  await using https = await server()
  await using client = createClient({ tls: { extraCa }, limits: { maxRetries: 0 } })
  await (await client.retrieve('data:,x')).text()
  expect(reads).toBe(0)
  expect(await (await client.retrieve(https.url)).text()).toMatch(/^TLSv1/)
  expect(await (await client.retrieve(`${https.url}/again`)).text()).toMatch(/^TLSv1/)
  expect(reads).toBe(1)
})

test.each<[TlsOptions]>([[{}], [{ ca: () => revokingCa, extraCa: testCa }], [{ extraCa: () => '' }]])(
  'a server whose CA is not given is not trusted: %#',
  async (tls) => {
    await using https = await server()
    await using client = createClient({ tls, limits: { maxRetries: 0 } })
    expect(await failure(client.retrieve(https.url))).toMatchObject({ code: 'certificate' })
  },
)

test('ca may be a function', async () => {
  await using https = await server()
  expect(await text(https.url, { ca: () => testCa })).toMatch(/^TLSv1/)
})

test.each<[string, () => unknown, RegExp]>([
  ['throws', () => expect.fail('no such file'), /^The function of tls\.%s threw .*no such file/],
  ['gives a promise', async () => testCa, /^Expected `tls\.%s` to be a function that gives PEM text, got an object/],
])('a function of ca or extraCa that %s is invalid-option', async (_, read, message) => {
  await using https = await server()
  for (const name of ['ca', 'extraCa']) {
    await using client = createClient({ tls: { [name]: read } })
    const expected = expect.stringMatching(message.source.replace('%s', name))
    expect(await failure(client.retrieve(https.url))).toMatchObject({ code: 'invalid-option', message: expected })
  }
})

test('a function of ca that gives no certificate does not make Node trust its built-in ones', async () => {
  await using https = await server()
  const found = await failure(text(https.url, { ca: () => '' }))
  expect(found).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('`tls.ca`') })
})

describe('without a version, a cipher or a group in common there is no TLS', () => {
  test.each<[TlsOptions, ServerOptions]>([
    [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }],
    [{ maxVersion: 'TLSv1.2' }, { minVersion: 'TLSv1.3' }],
    [{ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }, { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }],
    [{ curves: 'P-384' }, { ecdhCurve: 'X25519' }],
  ])('%j, %j', async (tls, ofServer) => {
    await using https = await server(ofServer)
    expect(await failure(text(https.url, tls))).toMatchObject({ code: 'tls-failed' })
    expect(https.asked).toHaveLength(0)
  })
})

describe('tls.pins', () => {
  test.each([false, true])('another key is refused before anything is sent, insecure: %j', async (insecure) => {
    await using https = await server()
    expect(await failure(text(https.url, { pins: [otherPin], insecure }))).toMatchObject({
      code: 'certificate',
      phase: 'tls',
      message: expect.stringContaining(`is ${pin}, which \`tls.pins\` does not name`),
      advice: { option: 'tls.pins' },
    })
    expect(https.asked).toHaveLength(0)
  })

  test('hold for TLS that begins later, and for data connections that resume it', async () => {
    await using ftp = await startServers({ ftp: { tls: 'explicit' } })
    const url = ftp.ftp.url.replace(/^ftp:/, 'ftpes:')
    expect(await text(`${url}pub/hello.txt`, { pins: [pin] })).toBe('Hello, world.\n')
    expect(await failure(text(`${url}pub/hello.txt`, { pins: [otherPin] }))).toMatchObject({ code: 'certificate' })
  })

  test('connections that were made without them are not used', async () => {
    await using https = await server()
    const { httpFetcher } = await import('@retriever/fetchers/http')
    const fetchers = [httpFetcher()]
    await using first = createClient({ fetchers, tls: { ca: testCa } })
    await using second = createClient({ fetchers, tls: { ca: testCa, pins: [otherPin] } })
    await (await first.retrieve(https.url)).text()
    expect(await failure(second.retrieve(https.url))).toMatchObject({ code: 'certificate' })
  })
})

test.each([
  [emptyList, 'TLSv1.3'],
  [revokedList, 'certificate'],
])('tls.crl refuses what it names', async (crl, expected) => {
  await using https = await server({ cert: revokedCertificate, key: testKey })
  const came = await text(https.url, { ca: revokingCa, crl }).catch((error) => error.code)
  expect(came.startsWith(expected)).toBe(true)
})

describe('tls.proxy', () => {
  const options = async () => {
    const proxy = await scriptedProxy(httpProxy(), { tls: true })
    return { proxy, url: `https://localhost:${proxy.port}` }
  }

  test('has rules of its own: verified by default, whatever holds for servers', async () => {
    const { proxy, url } = await options()
    await using _ = proxy
    const untrusted = { ca: revokingCa }
    const get = (tls: TlsOptions) => text('http://www.example/', { ...untrusted, ...tls }, { proxy: url })
    expect(await failure(get({ insecure: true }))).toMatchObject({ code: 'certificate' })
    expect(await get({ proxy: { insecure: true } })).toBe('through the proxy\n')
    expect(await get({ proxy: { insecure: true, pins: [pin] } })).toBe('through the proxy\n')
    expect(await failure(get({ proxy: { insecure: true, pins: [otherPin] } }))).toMatchObject({
      code: 'certificate',
      advice: { option: 'tls.proxy.pins' },
    })
  })
})

test.each<[object, string]>([
  [{ minVersion: 'TLSv1' }, '`tls.minVersion` to be one of "TLSv1.2", "TLSv1.3"'],
  [{ minVersion: 'TLSv1.3', maxVersion: 'TLSv1.2' }, '`tls.maxVersion` to be no older'],
  [{ ciphers: 'bogus' }, '`tls.ciphers` to be a list that OpenSSL knows, got "bogus"'],
  [{ cipherSuites: 'bogus' }, '`tls.cipherSuites` to be a list'],
  [{ curves: 'bogus' }, '`tls.curves` to be a list'],
  [{ pins: [] }, '`tls.pins` to be a list of'],
  [{ pins: ['sha256//x'] }, '`tls.pins` to be a list of'],
  [{ ca: '' }, '`tls.ca` to be PEM text with a certificate'],
  [{ proxyCa: testKey }, '`tls.proxyCa` to be PEM text with a certificate, got "..."'],
  [{ crl: 'x' }, '`tls.crl` to be lists of revoked'],
  [{ alpn: 'h2' }, '`tls.alpn` to be true or false'],
  [{ proxy: { ca: 'x' } }, 'one of cert, key'],
  [{ proxy: { ciphers: 'bogus' } }, '`tls.proxy.ciphers` to be a list'],
  [{ proxy: { cert: testCertificate } }, '`tls.proxy.key` is missing'],
])('%j is an invalid option', (tls, message) => {
  expect(() => createClient({ tls })).toThrow(message)
})
