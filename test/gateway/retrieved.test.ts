/** The proxy for URLs of all schemes but http: a raw HTTP client asks, servers of the kit answer. */
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retrieveOctets } from '../support/cli/run.ts'
import { ask, startProxy } from './support/proxy.ts'

const servers = await startServers()
let proxy: Awaited<ReturnType<typeof startProxy>>
beforeAll(async () => {
  proxy = await startProxy()
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await servers.close()
})

const page = { accept: 'text/html, text/*;q=0.5' }

describe('octets are those of the command', () => {
  test.each([
    ['a file by FTP', () => `${servers.ftp.url}pub/hello.txt`],
    ['octets by FTP', () => `${servers.ftp.url}pub/a.bin`],
    ['a folder by FTP', () => `${servers.ftp.url}pub/`],
    ['a name with blanks', () => `${servers.ftp.url}pub/name%20with%20spaces.txt`],
    ['a menu', () => servers.gopher.url],
    ['a text by Gopher', () => `${servers.gopher.url}0/readme.txt`],
    ['a search', () => `${servers.gopher.url}7/search%09hello`],
    ['a page of Gemini', () => servers.gemini.url],
    ['a newsgroup', () => `${servers.nntp.url}retriever.test`],
    ['a search by WAIS', () => `${servers.wais.url}demo?ark`],
    ['a folder by Prospero', () => `${servers.prospero.url}/docs`],
    ['a definition', () => `${servers.dict.url}d:url`],
    ['a file by TFTP', () => `${servers.tftp.url}hello.txt`],
    ['a file by NFS', () => `${servers.nfs.url}readme.txt`],
  ])('%s', async (_, url) => {
    const insecure = url().startsWith('gemini') ? ['-k'] : []
    const { stdout, stderr, status } = await retrieveOctets([...insecure, url()])
    const { body, ...answer } = await ask(proxy.port, url())
    if (status !== 0) expect(`${stderr} ${answer.status} ${body}`).toBe('')
    expect(answer).toMatchObject({ status: 200, isWhole: true })
    expect(answer.fields).toMatchObject({ 'x-content-type-options': 'nosniff' })
    expect(answer.fields['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect(body.equals(stdout)).toBe(true)
  })
})

const hello = (): string => `${servers.ftp.url}pub/hello.txt`
const modified = 'Sat, 03 Feb 2001 04:05:06 GMT'

test('a file has type, size and date', async () => {
  const { fields } = await ask(proxy.port, hello())
  expect(fields).toMatchObject({
    ...{ 'content-type': 'text/plain', 'content-length': '14', 'last-modified': modified, 'accept-ranges': 'bytes' },
    via: expect.stringMatching(/^1\.1 retriever-[\da-f]{12}$/),
  })
})

test('HEAD has the same fields, and no body', async () => {
  const { status, fields, body } = await ask(proxy.port, hello(), { method: 'HEAD' })
  expect({ status, length: fields['content-length'], date: fields['last-modified'], octets: body.length }).toEqual({
    ...{ status: 200, length: '14', date: modified, octets: 0 },
  })
})

describe('a range', () => {
  test.each([
    ['bytes=2-4', 206, 'llo', 'bytes 2-4/*'],
    ['bytes=7-', 206, 'world.\n', 'bytes 7-13/14'],
    ['bytes=-3', 206, 'd.\n', 'bytes 11-13/14'],
    ['bytes=10-99', 206, 'ld.\n', 'bytes 10-13/14'],
    ['bytes=0-1,3-4', 200, 'Hello, world.\n', undefined],
    ['lines=2-4', 200, 'Hello, world.\n', undefined],
    ['bytes=4-2', 200, 'Hello, world.\n', undefined],
    ['bytes=-0', 200, 'Hello, world.\n', undefined],
  ])('%s is %i %j', async (range, status, text, part) => {
    const { body, fields, ...answer } = await ask(proxy.port, hello(), { fields: { range } })
    expect(answer).toMatchObject({ status, isWhole: true })
    expect({ text: String(body), part: fields['content-range'] }).toEqual({ text, part })
  })

  test.each(['bytes=14-', 'bytes=99-'])('behind the end, %s, is 416 with the size', async (range) => {
    const { status, fields } = await ask(proxy.port, hello(), { fields: { range } })
    expect({ status, part: fields['content-range'] }).toEqual({ status: 416, part: 'bytes */14' })
  })

  test.each([
    [modified, 206],
    ['Sat, 03 Feb 2001 04:05:07 GMT', 200],
    ['"tag"', 200],
  ])('with If-Range: %s is %i', async (validator, status) => {
    const fields = { range: 'bytes=2-4', 'if-range': validator }
    expect((await ask(proxy.port, hello(), { fields })).status).toBe(status)
  })

  test('of a listing, or by a protocol that sends no parts, is the whole', async () => {
    const fields = { range: 'bytes=2-4' }
    for (const url of [`${servers.ftp.url}pub/`, `${servers.gopher.url}0/readme.txt`]) {
      const [part, whole] = [await ask(proxy.port, url, { fields }), await ask(proxy.port, url)]
      expect(part.status).toBe(200)
      expect(part.body.equals(whole.body)).toBe(true)
    }
  })
})

describe('a condition', () => {
  const later = 'Sun, 04 Feb 2001 04:05:06 GMT'
  const earlier = 'Fri, 02 Feb 2001 04:05:06 GMT'
  test.each([
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': later }, 304],
    [{ 'if-modified-since': earlier }, 200],
    [{ 'if-modified-since': later, 'if-none-match': '"x"' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-unmodified-since': modified }, 200],
    [{ 'if-unmodified-since': earlier }, 412],
  ])('%j is %i', async (fields, status) => {
    const answer = await ask(proxy.port, hello(), { fields })
    expect(answer.status).toBe(status)
    expect(answer.body.length).toBe(status === 200 ? 14 : 0)
  })
})

describe('for who prefers HTML', () => {
  test('a folder is a page of links, without a script', async () => {
    const { fields, body, isWhole } = await ask(proxy.port, `${servers.ftp.url}pub/`, { fields: page })
    expect({ type: fields['content-type'], isWhole }).toEqual({ type: 'text/html; charset=utf-8', isWhole: true })
    expect(String(body)).toContain(`<a href="${servers.ftp.url}pub/hello.txt">hello.txt</a>  2001-02-03  14\n`)
    expect(String(body)).toContain(`<a href="${servers.ftp.url}pub/sub/">sub/</a>`)
    expect(String(body)).not.toMatch(/<script|<style/i)
  })

  test('what a server writes is text, and leads to no script and no file', async () => {
    servers.gopher.route('/evil', () => [
      { type: 'i', name: '<script>alert(1)</script>', selector: '' },
      { type: 'h', name: 'js', selector: 'URL:javascript:alert(1)' },
      { type: 'h', name: 'file', selector: 'URL:file:///etc/passwd' },
      { type: '0', name: '"quoted" & <b>', selector: '/a"b' },
    ])
    const { body } = await ask(proxy.port, `${servers.gopher.url}1/evil`, { fields: page })
    expect(String(body)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\n')
    expect(String(body)).toContain('&quot;quoted&quot; &amp; &lt;b&gt;</a>')
    expect(String(body)).not.toMatch(/<script|<b>|href="(?:javascript|file)/)
  })

  test('a search of Gopher has a form, which finds what a typed search finds', async () => {
    const index = `${servers.gopher.url}7/search`
    const { body } = await ask(proxy.port, index, { fields: page })
    expect(String(body)).toContain(`<form method="get" action="${index}"><input name="retriever-search"`)
    const found = await ask(proxy.port, `${index}?retriever-search=hello`)
    expect(found.body.equals((await ask(proxy.port, `${index}%09hello`)).body)).toBe(true)
  })

  test.each([
    ['*/*', 'text/plain'],
    ['text/html;q=0.3, text/plain', 'text/plain'],
    ['text/html, text/plain', 'text/html; charset=utf-8'],
    ['application/json, text/html;q=0', 'text/plain'],
  ])('Accept: %s gives %s', async (accept, type) => {
    const { fields } = await ask(proxy.port, `${servers.ftp.url}pub/`, { fields: { accept } })
    expect(fields['content-type']).toBe(type)
  })

  test('an error is a page', async () => {
    const { status, fields, body } = await ask(proxy.port, `${servers.ftp.url}no/<b>`, { fields: page })
    expect({ status, type: fields['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' })
    expect(String(body)).toContain('<h1>404 Not Found</h1>')
    expect(String(body)).not.toContain('<b>')
  })
})

describe('an error is a problem with our code', () => {
  test.each([
    ['ftp', () => `${servers.ftp.url}no/such`, 404, 'not-found'],
    ['an unknown scheme', () => 'unknown://h/', 501, 'unknown-scheme'],
    ['a service', () => servers.telnet.url, 501, 'handoff'],
    ['a foreign port', () => 'gopher://127.0.0.1:25/1x', 403, 'refused'],
    ['an encoded line end', () => `${servers.gopher.url}1a%0d%0aQUIT`, 403, 'refused'],
    ['no host', () => 'ftp:///x', 400, 'malformed-url'],
  ])('%s', async (_, url, status, code) => {
    const answer = await ask(proxy.port, url())
    expect(answer.fields['content-type']).toBe('application/problem+json')
    expect({ ...JSON.parse(String(answer.body)), sent: answer.status }).toMatchObject({
      ...{ type: 'about:blank', status, code, sent: status, detail: expect.any(String), title: expect.any(String) },
    })
  })
})

describe('a login', () => {
  test('comes from the URL or from Authorization, and is asked for by 401', async () => {
    await using own = await startServers({ ftp: { accounts: { zoe: 'pl4nted' }, auth: 'required' } })
    const path = `${own.ftp.host}:${own.ftp.port}/pub/hello.txt`
    const basic = (login: string) => ({ authorization: `Basic ${Buffer.from(login).toString('base64')}` })
    const asked = await ask(proxy.port, `ftp://${path}`)
    expect(asked).toMatchObject({
      status: 401,
      fields: { 'www-authenticate': expect.stringMatching(/^Basic realm="/) },
    })
    const refused = await ask(proxy.port, `ftp://zoe:wr0ng@${path}`)
    expect(refused.status).toBe(401)
    expect(`${refused.body}${JSON.stringify(refused.fields)}`).not.toContain('wr0ng')
    const url = await ask(proxy.port, `ftp://zoe:pl4nted@${path}`)
    const field = await ask(proxy.port, `ftp://${path}`, { fields: basic('zoe:pl4nted') })
    expect([String(url.body), String(field.body)]).toEqual(['Hello, world.\n', 'Hello, world.\n'])
    // The login of one request is not used for the next.
    expect((await ask(proxy.port, `ftp://${path}`)).status).toBe(401)
  })
})

test('fetch() answers the same by the types of the web', async () => {
  const response = await proxy.gateway.proxy.fetch(new Request(`${servers.gopher.url}0/readme.txt`))
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(await response.text()).toBe(String((await ask(proxy.port, `${servers.gopher.url}0/readme.txt`)).body))
  const error = await proxy.gateway.proxy.fetch(new Request('unknown://h/'))
  expect(error.status).toBe(501)
  expect(await error.json()).toMatchObject({ code: 'unknown-scheme' })
})
