/** A gateway whose client answers by a step: nothing is passed on. */
import { expect, test } from 'vitest'
import { addressOf, urlAt } from '../../packages/gateway/src/pages/address.ts'
import { startPages } from './support/pages.ts'
import { ask, startProxy } from './support/proxy.ts'

test('http is retrieved by the client as all others are, with the status and the fields of the step', async () => {
  const metadata = {
    status: 203,
    headers: { 'x-odd': 'a', connection: 'x-gone', 'x-gone': 'b', 'content-length': '7' },
  }
  await using proxy = await startProxy(
    { policy: { offline: true } },
    { use: [({ plan: { mechanism } }) => ({ body: mechanism, ...(mechanism === 'http' && { metadata }) })] },
  )
  const web = await ask(proxy.port, 'http://127.0.0.1:8000/x')
  expect(web).toMatchObject({ status: 203, isWhole: true, body: Buffer.from('http') })
  expect(web.fields).toMatchObject({ 'x-odd': 'a', 'content-length': '4' })
  expect(web.fields).not.toHaveProperty('x-gone')
  expect(String((await ask(proxy.port, 'ftp://127.0.0.1:8000/x')).body)).toBe('ftp')
  expect((await ask(proxy.port, 'http://127.0.0.1:8000/x', { method: 'POST' })).status).toBe(405)
})

test('it makes no tunnels', async () => {
  const both = startProxy({ policy: { offline: true, tunnels: true } })
  await expect(both).rejects.toMatchObject({ code: 'invalid-option' })
})

test('a web page is text with links through the gateway, and its octets have an origin of their own', async () => {
  const body = `<base href="/d/"><title>T</title><script>alert(1)</script><h1>Head &amp; <b>line</b></h1>
    <img src="http://127.0.0.1:8000/i.png"><a href="b.html#x">B</a> <a href="//127.0.0.1:9000/c?d='e">C</a>
    <a href="javascript:alert(2)">J</a> <a href="file:///etc/passwd">F</a> <a href="http://[">N</a>`
  await using pages = await startPages(
    { policy: { offline: true } },
    { use: [() => ({ body, mediaType: 'text/html', charset: 'utf-8' })] },
  )
  const url = 'http://127.0.0.1:8000/a/index.html'
  const page = await pages.page(url)
  expect(page).toContain('Head &amp; line')
  expect(page).not.toMatch(/<script|<img|<b>|href="(?!\/(?:http|-)\/)/)
  const links = [...page.matchAll(/<a href="([^"]*)">/g)].map(
    ([, href = '']) => urlAt(href.replaceAll('&#39;', "'"))?.url,
  )
  expect(links).toContain('http://127.0.0.1:8000/d/b.html')
  expect(links).toContain("http://127.0.0.1:9000/c?d='e")
  const octets = await pages.get(addressOf(url, 'raw=1'), { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' })
  const [, host = '', address = ''] =
    /^http:\/\/([\da-f]{16}\.localhost:\d+)(\/.*)$/.exec(octets.fields.location ?? '') ?? []
  const raw = await pages.get(address, { host })
  expect(String(raw.body)).toBe(body)
  expect(raw.fields['content-security-policy']).toBe("default-src 'none'; sandbox")
  expect((await pages.get(address.replace('?raw=1', ''), { host })).status).toBe(421)
})

test('links to the web lead through the gateway offline alone', async () => {
  const options = { use: [() => ({ body: '=> http://127.0.0.1:8000/x X\n', mediaType: 'text/gemini' })] }
  const url = 'gemini://127.0.0.1:8000/'
  await using online = await startPages({}, options)
  await using offline = await startPages({ policy: { offline: true } }, options)
  expect(await online.page(url)).toContain('<a href="http://127.0.0.1:8000/x">X</a>')
  expect(await offline.page(url)).toContain('<a href="/http/127.0.0.1:8000/x">X</a>')
  expect(await online.page('http://127.0.0.1:8000/x')).toContain('reads URLs of the web itself')
})
