/** TLS that begins after a greeting in the clear (STARTTLS, STLS, AUTH TLS, StartTLS): what holds for it. */
import { createHash, createPublicKey } from 'node:crypto'
import { createClient } from '@retriever/fetchers'
import { startImapServer, startPop3Server, startServers, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testCertificate } from '../servers/src/certificate.ts'
import { failure } from '../support/failure.ts'

const credentials = () => ({ user: 'alice', password: 'secret' })
const key = createPublicKey(testCertificate).export({ type: 'spki', format: 'der' })
const rightPin = `sha256//${createHash('sha256').update(key).digest('base64')}`
const otherPin = `sha256//${'A'.repeat(43)}=`

describe('a pinned key holds for TLS that begins later', () => {
  test.each([
    ['ftp', 'pub/hello.txt', 'AUTH TLS'],
    ['imap', 'INBOX/;UID=11', 'A1 STARTTLS'],
    ['pop3', '1', 'STLS'],
    ['nntp', 'retriever.test/1', 'STARTTLS'],
    ['ldap', '', null],
  ] as const)('%s', async (name, path, line) => {
    await using servers = await startServers({ [name]: { tls: 'explicit' } })
    const server = servers[name]
    const url = server.url.replace(/^ftp:/, 'ftpes:') + path
    const reading = async (pin: string): Promise<string> => {
      const tls = { ca: testCa, pins: [pin] }
      await using client = createClient({ credentials, tls, defaults: { requireTls: true }, limits: { maxRetries: 0 } })
      return await (await client.retrieve(url)).text()
    }
    expect(await failure(reading(otherPin))).toMatchObject({ code: 'certificate', advice: { option: 'tls.pins' } })
    // Nothing is said to a server that is another one.
    if (line !== null) expect(server.received).toEqual([line])
    expect(await reading(rightPin)).not.toBe('')
  })
})

describe('case 12, octets that came in the clear do not pass for octets of TLS', () => {
  test.each([
    ['a whole answer', 'A1 OK begin\r\nA2 OK [CAPABILITY IMAP4rev1] in\r\n'],
    ['a mailbox', 'A1 OK begin\r\n* LIST () "/" planted\r\n'],
    ['half an answer', 'A1 OK begin\r\nA2 O'],
  ])('IMAP: %s behind the one to STARTTLS', async (_, STARTTLS) => {
    await using server = await startImapServer({ tls: 'explicit', faults: { replies: { STARTTLS } } })
    await expectRefused(server, ['A1 STARTTLS'])
  })

  test.each([
    ['a whole reply', '+OK begin\r\n+OK in\r\n'],
    ['half a reply', '+OK begin\r\n+O'],
  ])('POP3: %s behind the one to STLS', async (_, STLS) => {
    await using server = await startPop3Server({ tls: 'explicit', faults: { replies: { STLS } } })
    await expectRefused(server, ['STLS'])
  })

  async function expectRefused(server: { readonly url: string; readonly received: readonly string[] }, said: string[]) {
    const limits = { maxRetries: 0, idleTimeout: 5000 }
    await using client = createClient({ credentials, limits, tls: { ca: testCa }, defaults: { requireTls: true } })
    expect(await failure(client.retrieve(server.url))).toMatchObject({
      code: 'protocol-violation',
      message: expect.stringContaining('before TLS had begun'),
    })
    expect(server.received).toEqual(said)
  }
})
