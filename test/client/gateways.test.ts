/** Gateways (RFC 1738 4): URLs that are retrieved in place of those of a scheme. */
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startHttpServer, startNntpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failureOf } from '../support/contract/observe.ts'

/** A server that answers any target with itself. */
async function startGateway() {
  const server = await startHttpServer()
  server.route('/*', (request) => new Response(`${request.target}\n${JSON.stringify(request.headers)}`))
  return server
}

test('a URL of the scheme is retrieved through its gateway, without login and fragment', async () => {
  await using server = await startGateway()
  await using client = createClient({ gateways: { wais: `${server.url}gw?url={url}`, ftp: `${server.url}{+url}` } })
  const representation = await client.retrieve('wais://h/db?two%20words#part')
  expect(await representation.text()).toMatch(/^\/gw\?url=wais%3A%2F%2Fh%2Fdb%3Ftwo%2520words\n/)
  expect(representation.url).toMatch(/^http:/)
  const ftp = await (await client.retrieve('ftp://alice:pl4nted@h:2121/a%20b#x')).text()
  expect(ftp).toMatch(/^\/ftp:\/\/h:2121\/a%20b\n/)
  expect(ftp).not.toMatch(/alice|pl4nted/)
})

test('the parts of a URL are variables', async () => {
  await using server = await startGateway()
  const template = `${server.url}{host}/{port}/{+path}?q={+query}`
  await using client = createClient({ gateways: { gopher: template, 'urn:isbn': `${server.url}book/{name}` } })
  const text = async (url: string) => (await (await client.retrieve(url)).text()).split('\n', 1)[0]
  expect(await text('gopher://h:71/0a/b')).toBe('/h/71/0a/b?q=')
  expect(await text('gopher://h/0a')).toBe('/h/70/0a?q=')
  expect(await text('URN:ISBN:0451450523')).toBe('/book/0451450523')
})

test('a scheme that only the gateway knows has the declared port and syntax', async () => {
  await using server = await startGateway()
  await using client = createClient({
    gateways: {
      'x-foo': { url: `${server.url}{host}/{port}/{path}`, port: 7070 },
      'x-name': { url: `${server.url}n/{path}`, syntax: 'opaque' },
    },
  })
  const text = async (url: string) => (await (await client.retrieve(url)).text()).split('\n', 1)[0]
  expect(await text('x-foo://h/a/b')).toBe('/h/7070/a%2Fb')
  expect(await text('x-name:a:b')).toBe('/n/a%3Ab')
  await expect(client.retrieve('x-foo:a')).rejects.toMatchObject({ code: 'malformed-url' })
  await expect(client.retrieve('x-name://h/a')).rejects.toMatchObject({ code: 'malformed-url' })
  expect(client.resolve('x-foo://h/a').plan).toEqual({
    ...{ mechanism: 'gateway', host: 'h', port: 7070, path: 'a', opaque: null, query: null, wire: [] },
  })
})

test.each([
  { url: 'http://h/{url}', port: 0 },
  { url: 'http://h/{url}', port: 65_536 },
  { url: 'http://h/{url}', port: 7, syntax: 'opaque' },
  { url: 'http://h/{url}', syntax: 'x' },
  { port: 7 },
  { url: 'http://h/{url}', to: 'x' },
])('the gateway %j is refused', (gateway) => {
  expect(() => createClient({ gateways: { 'x-foo': gateway as never } })).toThrow(
    /^Expected `gateways` to be an object/,
  )
})

test('under publicOnly a URL may name any host that its gateway, a public one, is to reach', async () => {
  const gateways = { wais: 'http://gw.example/{url}' }
  await using client = createClient({ gateways, policy: { publicOnly: true } })
  expect(await client.explain('wais://10.0.0.1/db')).not.toHaveProperty('refused')
  expect(await client.explain('http://10.0.0.1/')).toMatchObject({ refused: { code: 'refused' } })
})

test("header fields and logins that are meant for the URL's own server stay here", async () => {
  await using server = await startGateway()
  await using client = createClient({ gateways: { ftp: `${server.url}?{url}` } })
  const options = { headers: { Authorization: 'Bearer pl4nted', 'X-Own': 'pl4nted', Accept: 'text/plain' } }
  const text = await (await client.retrieve('ftp://h/x', options)).text()
  expect(text).not.toContain('pl4nted')
  expect(text).toContain('text/plain')
})

test('a gateway that asks for a login gets none, even at the host and port of the URL', async () => {
  await using server = await startHttpServer()
  const seen: unknown[] = []
  server.route('/*', ({ headers }) => {
    seen.push(headers.authorization)
    const fields = { 'WWW-Authenticate': 'Basic realm="x"' }
    return headers.authorization === undefined ? new Response('', { status: 401, headers: fields }) : new Response('in')
  })
  let asked = 0
  const credentials = () => {
    asked++
    return { user: 'alice', password: 'pl4nted' }
  }
  const remarks: string[] = []
  const onEvent = (event: RetrievalEvent): void => void (event.type === 'remark' && remarks.push(event.message))
  await using client = createClient({ credentials, gateways: { ftp: `${server.url}gw?{url}` }, onEvent })
  // The server has accepted the login for a URL of its own.
  expect(await (await client.retrieve(`${server.url}own`)).text()).toBe('in')
  expect([asked, seen.length]).toEqual([1, 2])
  const error = await failureOf(client.retrieve(server.url.replace('http:', 'ftp:')))
  expect(error).toMatchObject({ code: 'auth-required' })
  expect([asked, seen.slice(2)]).toEqual([1, [undefined]])
  expect(remarks).toEqual([expect.stringMatching(/^The gateway wants a login of its own/)])
  // The template may have a login for the gateway itself.
  const template = `${server.url.replace('//', '//gate:keeper@')}gw?{url}`
  await using known = createClient({ credentials, gateways: { ftp: template } })
  expect(await (await known.retrieve(server.url.replace('http:', 'ftp:'))).text()).toBe('in')
  expect(Buffer.from(String(seen.at(-1)).replace('Basic ', ''), 'base64').toString()).toBe('gate:keeper')
})

test("a News session that the caller's login was given to is not used for a gateway", async () => {
  await using server = await startNntpServer({ auth: 'required' })
  const credentials = () => ({ user: 'alice', password: 'secret' })
  await using client = createClient({ credentials, gateways: { gopher: `${server.url}{+path}` } })
  const direct = await client.retrieve(`${server.url}*`)
  await direct.cancel()
  expect(await failureOf(client.retrieve('gopher://h/*'))).toMatchObject({ code: 'auth-required' })
})

test('the policy holds for both URLs, before anything is contacted', async () => {
  await using server = await startGateway()
  const gateways = { gopher: `${server.url}?{url}`, wais: 'http://127.0.0.1:25/{path}' }
  await using client = createClient({ gateways })
  expect(await failureOf(client.retrieve('gopher://h/0a%0D%0Ab'))).toMatchObject({ code: 'refused', phase: 'policy' })
  expect(await failureOf(client.retrieve('wais://h/db'))).toMatchObject({ code: 'refused', phase: 'policy' })
  await using strict = createClient({ gateways, policy: { schemes: ['gopher'] } })
  expect(await failureOf(strict.retrieve('gopher://h/0a'))).toMatchObject({ code: 'refused', phase: 'policy' })
  expect(server.accepted).toBe(0)
})

test.each([
  ['a gateway to itself', { gopher: 'gopher://gw/{path}' }],
  ['two gateways to each other', { gopher: 'ftp://gw/{path}', ftp: 'gopher://gw/0{path}' }],
  ['no variable', { gopher: 'http://gw/' }],
  ['an unknown variable', { gopher: 'http://gw/{path}/{user}' }],
  ['files of this machine', { gopher: 'file:///etc/{path}' }],
  ['an unknown scheme', { gopher: 'nosuch://gw/{path}' }],
  ['no URL', { gopher: 'gw/{path}' }],
])('%s is refused when a URL would go through it', async (_, gateways) => {
  await using client = createClient({ gateways })
  const error = await failureOf(client.retrieve('gopher://h/0a'))
  expect(error).toMatchObject({ code: 'invalid-option', advice: { option: 'gateways', value: 'gopher' } })
})

test.each([[{ gopher: 7 }], ['http://gw/'], [{ gopher: 'http://gw/\r\n{url}' }]])(
  '%j is no table of gateways',
  (gateways) => {
    expect(() => createClient({ gateways: gateways as never })).toThrow(/gateways/)
  },
)

test('the events show both URLs', async () => {
  await using server = await startGateway()
  const events: RetrievalEvent[] = []
  const onEvent = (event: RetrievalEvent): void => void events.push(event)
  await using client = createClient({ gateways: { gopher: `${server.url}?{url}` }, onEvent })
  await (await client.retrieve('gopher://h/0a')).text()
  const resolved = events.flatMap((event) => (event.type === 'resolved' ? [event.url] : []))
  expect(resolved).toEqual(['gopher://h/0a', expect.stringMatching(/^http:.*gopher/)])
})

test('a gateway holds for names of URNs; the table of the package for the others', async () => {
  await using client = createClient({ gateways: { urn: 'http://127.0.0.1:25/{name}' } })
  expect(client.resolve('urn:ietf:rfc:1738')).toMatchObject({ gateway: 'http://127.0.0.1:25/rfc%3A1738' })
  await using without = createClient()
  expect(await failureOf(without.retrieve('urn:isbn:0451450523'))).toMatchObject({
    code: 'no-fetcher',
    advice: { option: 'gateways', value: 'urn:isbn' },
  })
})
