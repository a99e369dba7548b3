/** `@retriever/fetchers/client`: the client that has the protocols of its fetchers alone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtinSchemes } from '@retriever/core'
import { mapAll, retrieveAll } from '@retriever/fetchers/batches'
import { createClient } from '@retriever/fetchers/client'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { httpFetcher } from '@retriever/fetchers/http'
import { mirror, walk } from '@retriever/fetchers/trees'
import { startFtpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'

test('retrieves by its fetchers', async () => {
  await using server = await startFtpServer()
  await using client = createClient({ fetchers: [ftpFetcher()] })
  const representation = await client.retrieve(`${server.url}pub/hello.txt`)
  expect([representation.mechanism, await representation.text()]).toEqual(['ftp', expect.stringMatching(/hello/i)])
})

test('knows the schemes of its fetchers and no others, and the option that adds them is named', async () => {
  await using client = createClient({ fetchers: [ftpFetcher()] })
  expect(client.resolve('ftpes://h/x').scheme.name).toBe('ftpes')
  const unknown = { code: 'unknown-scheme', advice: { option: 'fetchers' } }
  expect(await failure(client.retrieve('http://h/x'))).toMatchObject(unknown)
  expect(await client.explain('http://h/x')).toMatchObject({ error: unknown })
  expect(() => createClient({ policy: { schemes: ['http'] } })).toThrow(/names of known schemes/)
})

test('a URL of a scheme that it is given is understood, and the option that retrieves it is named', async () => {
  await using client = createClient({ fetchers: [ftpFetcher()], schemes: builtinSchemes })
  expect(await failure(client.retrieve('http://h/x'))).toMatchObject({
    code: 'no-fetcher',
    advice: { option: 'fetchers' },
    message: expect.stringContaining('Retrieve "http" by `fetchers`.'),
  })
})

test('a service that no fetcher opens is handed over', async () => {
  await using client = createClient({ schemes: builtinSchemes })
  expect(await client.open('telnet://h/')).toMatchObject({ outcome: 'handoff', program: 'telnet' })
})

test('options that name a host and a port are read without the scheme http', async () => {
  await using server = await startFtpServer()
  const { host, hostname, port } = new URL(server.url)
  await using client = createClient({
    fetchers: [ftpFetcher()],
    addresses: { [`FTP.example:${port}`]: [hostname] },
    network: { connectTo: { 'other.example:21': host } },
    proxy: () => null,
  })
  const representation = await client.retrieve(`ftp://ftp.example:${port}/pub/hello.txt`)
  expect(await representation.text()).toMatch(/hello/i)
})

test.each([
  ['ssh', {}, '`ssh` to be absent; give it to sftpFetcher()'],
  ['nfs', {}, '`nfs` to be absent; give it to nfsFetcher()'],
  ['builtins', false, '`builtins` to be absent, as this client has the protocols of its `fetchers` alone'],
])('the option %s belongs elsewhere', async (name, value, message) => {
  const error = expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(message) })
  expect(() => createClient({ [name]: value })).toThrow(error)
  await using client = createClient()
  const refused = await client.fetch('http://h/', { [name]: value }).catch(({ cause }: Error) => cause)
  expect(refused).toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining('give it to createClient()'),
  })
})

test('a fetcher says itself how a request is explained', async () => {
  const cookies = { cookiesFor: async () => 'a=b', keep: async () => {} }
  const options = { http: { compressed: true }, resumeFrom: { offset: 9, etag: '"x"' } } as const
  await using client = createClient({ fetchers: [httpFetcher()], cookies: cookies as never })
  const explained = JSON.stringify(await client.explain('http://h/x', options))
  expect(explained).toContain('Cookie: ')
  expect(explained).toContain('If-Range: \\"x\\"')
})

test('trees are walked and mirrored by functions', async () => {
  await using server = await startFtpServer()
  await using client = createClient({ fetchers: [ftpFetcher()] })
  const paths: string[] = []
  for await (const { path } of walk(client, `${server.url}pub/`, { include: 'hello.txt' })) paths.push(path)
  expect(paths).toEqual(['hello.txt'])
  const folder = await mkdtemp(join(tmpdir(), 'retriever-trees-'))
  try {
    const summary = await mirror(client, `${server.url}pub/`, folder, { include: 'hello.txt' })
    expect(summary).toMatchObject({ saved: 1, failed: 0 })
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('many URLs are retrieved by functions, which share the places of the client', async () => {
  await using server = await startFtpServer()
  const urls = ['pub/hello.txt', 'pub/', 'no/such'].map((path) => server.url + path)
  await using client = createClient({ fetchers: [ftpFetcher()], concurrency: 1 })
  const sizes: (number | string | undefined)[] = []
  for await (const { value, error } of mapAll(client, urls, (representation) => representation.kind))
    sizes.push(value ?? (error as { code?: string } | null)?.code)
  expect(sizes.sort()).toEqual(['listing', 'not-found', 'object'])
  const batch = retrieveAll(client, urls.slice(0, 1))
  await client.close()
  expect(await failure(batch[Symbol.asyncIterator]().next())).toMatchObject({ code: 'aborted' })
})

test('a closed client begins no batch', async () => {
  const client = createClient()
  await client.close()
  const batch = retrieveAll(client, ['data:,x'])
  expect(await failure(batch[Symbol.asyncIterator]().next())).toMatchObject({ code: 'aborted' })
})

test('an object that is no client of this copy of the package is refused', async () => {
  await using client = createClient()
  const message = /`client` to be a client that createClient\(\) of this package made/
  expect(() => retrieveAll({ ...client }, [])).toThrow(message)
})
