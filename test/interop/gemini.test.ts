import { execFileSync } from 'node:child_process'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { entriesOf as read } from '../support/entries.ts'
import { errorOf, expectOctets, failure, retrieveToFile, suite } from './suite.ts'

suite('molly-brown', (server) => {
  test.each(['/', '/plain.txt', '/bytes.bin'])('%s: the octets that openssl gets', async (path) => {
    const url = server.url('gemini', path)
    const answer = execFileSync('openssl', ['s_client', '-quiet', '-connect', `127.0.0.1:${server.port()}`], {
      input: `${url}\r\n`,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const header = answer.indexOf('\r\n')
    expect(answer.subarray(0, 3).toString()).toBe('20 ')
    // The remark on the certificate of a server that is met first goes to stderr.
    await using client = createClient()
    expectOctets(await (await client.retrieve(url)).bytes(), answer.subarray(header + 2))
  })

  test('files, as they are', async () => {
    // The command meets the server for the first time here, or has met it before, so -k keeps it silent.
    expectOctets(await retrieveToFile(server.url('gemini', '/bytes.bin'), '-k'), await server.seed('root/bytes.bin'))
  })

  test('links lead on', async () => {
    await using client = createClient()
    const entries = await read(await client.retrieve(server.url('gemini', '/')))
    const [link] = entries.filter(({ url }) => url !== null)
    expect(link).toMatchObject({ name: 'Grüße', url: server.url('gemini', '/plain.txt') })
    expect(await (await client.retrieve(link?.url ?? '')).text()).toContain('Second line.')
  })

  test('a redirect, and a missing page', async () => {
    await using client = createClient()
    expect((await client.retrieve(server.url('gemini', '/moved'))).url).toBe(server.url('gemini', '/plain.txt'))
    expect(await failure(78, '-k', server.url('gemini', '/none'))).toContain('51')
  })

  test('the certificate may be verified by its own CA', async () => {
    await using client = createClient({ tls: { ca: (await server.seed('cert.pem')).toString() } })
    expect(await (await client.retrieve(server.url('gemini', '/plain.txt'))).text()).toContain('Plain')
  })
})

suite('gemini-server', (server) => {
  test.each(['/', '/plain.txt', '/bytes.bin', '/docs/'])('%s: the octets of the file', async (path) => {
    const file = path.endsWith('/') ? `${path}index.gmi` : path
    expectOctets(await retrieveToFile(server.url('gemini', path), '-k'), await server.seed(`root${file}`))
  })

  test('links lead on, over a redirect to the folder', async () => {
    await using client = createClient()
    const links = (await read(await client.retrieve(server.url('gemini', '/')))).filter(({ url }) => url !== null)
    expect(links.map(({ name }) => name)).toEqual(['Grüße', '/docs'])
    const docs = await client.retrieve(links[1]?.url ?? '')
    expect([docs.url, await docs.text()]).toEqual([server.url('gemini', '/docs/'), '# Docs\n'])
  })

  test('a redirect, a missing page, a question and its answer', async () => {
    await using client = createClient()
    expect((await client.retrieve(server.url('gemini', '/moved'))).url).toBe(server.url('gemini', '/plain.txt'))
    expect(await failure(78, '-k', server.url('gemini', '/none'))).toContain('51')
    for (const path of ['/ask', '/secret']) {
      const error = await errorOf(client.retrieve(server.url('gemini', path)))
      expect(error, path).toMatchObject({ code: 'form-required' })
    }
    expect(await (await client.retrieve(server.url('gemini', '/ask?hello'))).text()).toBe('You said hello.')
  })

  test('a page that wants a certificate', async () => {
    const url = server.url('gemini', '/certificate')
    await using client = createClient()
    expect(await errorOf(client.retrieve(url))).toMatchObject({ code: 'auth-required' })
    const [cert, key] = [await server.seed('cert.pem'), await server.seed('key.pem')]
    await using known = createClient({ tls: { cert: cert.toString(), key: key.toString(), insecure: true } })
    expect(await (await known.retrieve(url)).text()).toBe('Known.')
  })
})
