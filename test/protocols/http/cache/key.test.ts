/** The key of a response: what came under other rules may be another server's, and is not served. */
import { createHash, X509Certificate } from 'node:crypto'
import { RetrievalError } from '@retriever/core'
import { type ClientOptions, Representation } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testCertificate } from '../../../servers/src/certificate.ts'
import { closedPort } from '../../../support/closed-port.ts'
import { badCertificates } from '../support/bad-certificates.ts'
import { cacheSetup } from '../support/cache-setup.ts'
import { cacheable } from '../support/http-answers.ts'
import { emptyList } from '../support/revoked-certificate.ts'
import { type ScriptedHttp, scriptedHttp } from '../support/scripted-http.ts'

const setup = cacheSetup()
const { clientWith, inFolder, cacheEvents } = setup

const publicKey = new X509Certificate(testCertificate).publicKey.export({ type: 'spki', format: 'der' })
const pins = [`sha256//${createHash('sha256').update(publicKey).digest('base64')}`]
const otherPins = [`sha256//${'A'.repeat(43)}=`]
const twoCas = `${testCa}${badCertificates.expired}`

/** The answers of the cache to a client with some options, one with others, and one with the first again. */
async function uses(url: string, some: ClientOptions, others: ClientOptions): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (const options of [some, others, some]) {
    setup.events.length = 0
    const representation = await clientWith(inFolder(), options)
      .retrieve(url)
      .catch((error: unknown) => (RetrievalError.is(error) ? error.code : error))
    if (representation instanceof Representation) await representation.text()
    all.push(representation instanceof Representation ? cacheEvents()[0] : representation)
  }
  return all
}

function serving(tls: boolean): Promise<ScriptedHttp> {
  return scriptedHttp(cacheable('body', { 'cache-control': 'max-age=60' }), { tls })
}

/** The name of what differs, the options of two clients, and what the cache does for the second. */
type Row = readonly [name: string, some: ClientOptions, others: ClientOptions, use: string]
const ca = testCa
const network = { connectTo: { 'other.example:': '127.0.0.1:' } }

describe('https:', () => {
  test.each<Row>([
    ['tls.ca', { tls: { ca } }, {}, 'certificate'],
    ['another tls.ca', { tls: { ca } }, { tls: { ca: twoCas } }, 'stored'],
    ['tls.ca from a function', { tls: { ca: () => ca } }, {}, 'certificate'],
    ['tls.extraCa', { tls: { extraCa: ca } }, {}, 'certificate'],
    ['another tls.extraCa', { tls: { extraCa: ca } }, { tls: { extraCa: () => twoCas } }, 'stored'],
    ['tls.insecure', { tls: { insecure: true } }, {}, 'certificate'],
    ['tls.pins', { tls: { ca } }, { tls: { ca, pins: otherPins } }, 'certificate'],
    ['other tls.pins', { tls: { ca, pins } }, { tls: { ca, pins: [...pins, ...otherPins] } }, 'stored'],
    ['tls.crl', { tls: { ca } }, { tls: { ca, crl: emptyList } }, 'certificate'],
    ['tls.minVersion', { tls: { ca } }, { tls: { ca, minVersion: 'TLSv1.3' } }, 'stored'],
    ['tls.maxVersion', { tls: { ca, maxVersion: 'TLSv1.2' } }, { tls: { ca } }, 'stored'],
    ['tls.ciphers', { tls: { ca } }, { tls: { ca, ciphers: 'ECDHE-RSA-AES256-GCM-SHA384' } }, 'stored'],
    ['tls.cipherSuites', { tls: { ca } }, { tls: { ca, cipherSuites: 'TLS_AES_256_GCM_SHA384' } }, 'stored'],
    ['tls.curves', { tls: { ca } }, { tls: { ca, curves: 'X25519' } }, 'stored'],
    ['network', { tls: { ca } }, { tls: { ca }, network }, 'stored'],
    ['what gives the same tls.ca', { tls: { ca } }, { tls: { ca: () => ca } }, 'hit'],
    ['tls.proxyCa, without such a proxy', { tls: { ca } }, { tls: { ca, proxyCa: twoCas } }, 'hit'],
    ['tls.proxy, without such a proxy', { tls: { ca } }, { tls: { ca, proxy: { insecure: true } } }, 'hit'],
  ])('%s', async (_name, some, others, use) => {
    await using server = await serving(true)
    expect(await uses(server.url, some, others)).toEqual(['stored', use, 'hit'])
  })
})

describe('http: through an https proxy', () => {
  test.each<Row>([
    ['tls.proxy.insecure', { tls: { proxy: { insecure: true } } }, {}, 'certificate'],
    ['tls.proxyCa', { tls: { proxyCa: ca } }, {}, 'certificate'],
    ['tls.ca', { tls: { ca } }, {}, 'certificate'],
    ['tls.extraCa', { tls: { extraCa: ca } }, {}, 'certificate'],
    ['tls.proxy.pins', { tls: { ca } }, { tls: { ca, proxy: { pins: otherPins } } }, 'certificate'],
    ['tls.pins, which are for servers', { tls: { ca } }, { tls: { ca, pins: otherPins } }, 'hit'],
    ['no proxy', { tls: { ca } }, { proxy: null }, 'connect-failed'],
  ])('%s', async (_name, some, others, use) => {
    await using server = await serving(true)
    const proxy = `https://127.0.0.1:${server.port}`
    const url = `http://127.0.0.1:${await closedPort()}/`
    expect(await uses(url, { proxy, ...some }, { proxy, ...others })).toEqual(['stored', use, 'hit'])
  })
})

test('http: without TLS nothing of its rules is a part of it', async () => {
  expect(await uses(setup.server.url, {}, { tls: { ca, pins, insecure: true } })).toEqual(['stored', 'hit', 'hit'])
})
