import { type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { ok } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { httpProxy, scriptedProxy } from '../support/wire/scripted-proxy.ts'

const proxyHeaders = { 'X-Team': 'the-seventh-one' }

async function text(url: string, options: ClientOptions): Promise<string> {
  await using client = createClient({ ...options, proxyHeaders })
  return await (await client.retrieve(url, { headers: { 'X-Mine': 'a' } })).text()
}

test('proxyHeaders are fields of the request that a proxy gets as a whole, beside those of the caller', async () => {
  await using proxy = await scriptedHttp(() => ok('from the proxy'))
  expect(await text('http://www.example/', { proxy: proxy.url })).toBe('from the proxy')
  expect(proxy.asked[0]?.fields).toMatchObject({ 'x-team': 'the-seventh-one', 'x-mine': 'a' })
})

test('proxyHeaders are fields of CONNECT, and the server does not get them; events hide their values', async () => {
  await using server = await scriptedHttp(() => ok('from the server'))
  await using proxy = await scriptedProxy(httpProxy())
  const sent: string[] = []
  const onEvent = (event: RetrievalEvent): void => {
    if (event.type === 'sent') sent.push(event.octets)
  }
  const options = { proxy: `http://127.0.0.1:${proxy.port}`, proxyTunnel: true, onEvent }
  expect(await text(server.url, options)).toBe('from the server')
  expect(proxy.heard[0]).toMatch(/^CONNECT [\s\S]*\r\nX-Team: the-seventh-one\r\n\r\n$/)
  expect(proxy.heard[0]).not.toMatch(/x-mine/i)
  expect(server.asked[0]?.fields).not.toHaveProperty('x-team')
  expect(sent[0]).toContain('X-Team: <value>\r\n')
})

test('servers without a proxy do not get them', async () => {
  await using server = await scriptedHttp(() => ok('x'))
  await text(server.url, {})
  expect(server.asked[0]?.fields).not.toHaveProperty('x-team')
})

test.each([{ Host: 'x' }, { 'X-A': 'a\r\nX-B: b' }, { 'X A': 'a' }])('%j is refused', (given) => {
  expect(() => createClient({ proxyHeaders: given as Record<string, string> })).toThrow(/Expected `proxyHeaders` to be/)
})
