import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TLSSocket } from 'node:tls'
import type { RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient, type TlsOptions } from '@retriever/fetchers'
import { startFtpServer, startHttpServer, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testCertificate, testKey } from '../../servers/src/certificate.ts'
import { failure } from '../../support/failure.ts'
import { httpProxy, scriptedProxy } from '../../support/wire/scripted-proxy.ts'
import { clientCertificate, clientKey, lockedClientKey } from './support/client-certificate.ts'
import { ok, redirectTo } from './support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from './support/scripted-http.ts'

const own: TlsOptions = { ca: testCa, cert: clientCertificate, key: clientKey }

/** A server that takes clients by their certificate, and tells whom it took; `/to/URL` redirects. */
function startStrictServer({ isRequired = true } = {}): Promise<ScriptedHttp> {
  const tls = { ca: clientCertificate, requestCert: true, rejectUnauthorized: isRequired }
  return scriptedHttp(
    ({ socket, target }) => {
      const name = (socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody'
      return target.startsWith('/to/') ? redirectTo(target.slice(4)) : ok(`${name}\n`)
    },
    { tls },
  )
}

/** `openssl s_server`, which takes the clients of one CA alone. */
async function startOpenssl(version: string, trusted: string) {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-openssl-'))
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const cert = ['-cert', await file('cert', testCertificate), '-key', await file('key', testKey)]
  const verify = ['-CAfile', await file('ca', trusted), '-Verify', '1', '-verify_return_error']
  const server = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-www', version, ...cert, ...verify])
  for await (const line of createInterface(server.stdout)) {
    const port = /^ACCEPT 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
    if (port === undefined) continue
    server.stdout.resume()
    return {
      url: `https://localhost:${port}/`,
      async [Symbol.asyncDispose]() {
        server.kill()
        if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
        await rm(folder, { recursive: true })
      },
    }
  }
  throw new Error('openssl s_server does not start')
}

async function textOf(url: string, options: ClientOptions): Promise<string> {
  await using client = createClient(options)
  return await (await client.retrieve(url)).text()
}

const failureOf = (url: string, options: ClientOptions): Promise<RetrievalError> => failure(textOf(url, options))

describe('the certificate of the client', () => {
  test.each([own, { ...own, key: lockedClientKey, passphrase: 's3cr3t' }])('is shown who asks for it', async (tls) => {
    await using server = await startStrictServer()
    expect(await textOf(server.url, { tls })).toBe('alice\n')
  })

  test('is shown to the first origin alone (case 15)', async () => {
    await using other = await startStrictServer({ isRequired: false })
    await using server = await startStrictServer()
    expect(await textOf(`${server.url}to/${other.url}`, { tls: own })).toBe('nobody\n')
    expect(await textOf(`${server.url}to/${server.url}`, { tls: own })).toBe('alice\n')
  })

  test('is not for proxies, but for the server behind them', async () => {
    await using server = await startStrictServer()
    await using proxy = await startTlsProxy(server.url)
    expect(await textOf(server.url, { tls: own, proxy: proxy.url })).toBe('alice\n')
    expect(proxy.seen).toEqual(['nobody'])
  })

  test('is shown by FTP too, for data as well', async () => {
    await using server = await startFtpServer({ tls: true })
    expect(await textOf(`${server.url}pub/hello.txt`, { tls: own })).toBe('Hello, world.\n')
  })

  // Servers of Node close without a word; those of OpenSSL say why.
  describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('at a server of OpenSSL', () => {
    test('is missing', async () => {
      await using server = await startOpenssl('-tls1_3', clientCertificate)
      const error = await failureOf(server.url, { tls: { ca: testCa } })
      expect(error).toMatchObject({
        code: 'auth-required',
        phase: 'tls',
        message: expect.stringMatching(/give one by `tls\.cert`/),
      })
    })

    test.each(['-tls1_2', '-tls1_3'])('is refused, by %s', async (version) => {
      await using server = await startOpenssl(version, testCa)
      const error = await failureOf(server.url, { tls: own })
      expect(error).toMatchObject({ code: 'auth-failed', phase: 'tls', message: expect.stringMatching(/refused/) })
    })
  })

  test.each<[string, TlsOptions, RegExp]>([
    ['the key of another', { key: testKey }, /`tls\.key` is not the key of the certificate/],
    ['a locked key', { key: lockedClientKey }, /`tls\.passphrase` is missing, and the private key is encrypted/],
    ['a wrong passphrase', { key: lockedClientKey, passphrase: 'wr0ng' }, /`tls\.passphrase` does not open/],
    ['no PEM', { cert: 's3cr3t' }, /in PEM form/],
    ['no PEM for a key', { key: 's3cr3t' }, /in PEM form/],
  ])('with %s is refused before anything is contacted (case 47)', (_, change, message) => {
    const make = (): unknown => createClient({ tls: { ...own, ...change } })
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-option', message: expect.stringMatching(message) }))
    expect(make).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/s3cr3t|wr0ng/) }))
  })

  test.each([{ cert: clientCertificate }, { key: clientKey }])('goes with its key', (tls) => {
    expect(() => createClient({ tls })).toThrow(/is missing: a certificate and its key go together/)
  })

  test('makes another connection (case 38)', async () => {
    await using server = await startStrictServer({ isRequired: false })
    const { httpFetcher } = await import('@retriever/fetchers/http')
    const fetchers = [httpFetcher()]
    const names: string[] = []
    await using named = createClient({ tls: own, fetchers })
    await using unnamed = createClient({ tls: { ca: testCa }, fetchers })
    for (const client of [named, unnamed, named, unnamed]) names.push(await (await client.retrieve(server.url)).text())
    expect(names).toEqual(['alice\n', 'nobody\n', 'alice\n', 'nobody\n'])
    expect(server.sockets).toHaveLength(2)
  })
})

/** An https proxy that asks for certificates, and connects on to one server. */
async function startTlsProxy(to: string) {
  const seen: string[] = []
  const server = createServer({ cert: testCertificate, key: testKey, requestCert: true, rejectUnauthorized: false })
  server.on('connect', (request, socket) => {
    seen.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody'))
    const onward = connect({ port: Number(new URL(to).port), host: '127.0.0.1' }, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const end of [socket, onward]) end.on('error', () => end.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    seen,
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('the certificate of a server (case 35)', () => {
  test('is checked whatever the environment says', async () => {
    await using server = await startHttpServer({ tls: true })
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      expect(await failureOf(server.url, {})).toMatchObject({ code: 'certificate', phase: 'tls' })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })

  test('of another name, by the name of the URL and not the address gone to', async () => {
    await using server = await startHttpServer({ tls: true })
    const place = `www.example:${server.port}`
    const options = { tls: { ca: testCa }, addresses: { [place]: ['127.0.0.1'] } }
    const error = await failureOf(`https://${place}/`, options)
    expect(error).toMatchObject({ code: 'certificate', message: expect.stringContaining(place) })
  })

  test('of an https proxy is checked by proxyCa, else by ca', async () => {
    await using proxy = await scriptedProxy(httpProxy(), { tls: true })
    const ask = (tls: TlsOptions) => textOf('http://www.example/', { tls, proxy: `https://localhost:${proxy.port}` })
    expect(await ask({ proxyCa: testCa })).toBe('through the proxy\n')
    expect(await ask({ ca: testCa })).toBe('through the proxy\n')
    const other = await ask({ ca: testCa, proxyCa: clientCertificate }).catch((reason: unknown) => reason)
    expect(other).toMatchObject({ code: 'certificate' })
  })
})
