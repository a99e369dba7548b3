/** The pages of the gateway: what a person sees of each kind of URL. */
import type { Step } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { addressOf, urlAt } from '../../packages/gateway/src/pages/address.ts'
import { fieldOf, startPages, textOf } from './support/pages.ts'

const servers = await startServers()
let pages: Awaited<ReturnType<typeof startPages>>
beforeAll(async () => {
  pages = await startPages()
})
afterAll(async () => {
  await pages[Symbol.asyncDispose]()
  await servers.close()
})

describe('the address of a URL', () => {
  test.each([
    ['gopher://h/1/', '/gopher/h/1/'],
    ['gopher://h:7070/0/a%20b.txt', '/gopher/h:7070/0/a%20b.txt'],
    ['ftp://user@h/pub/;type=d', '/ftp/user@h/pub/;type=d'],
    ['ftp://[::1]/a', '/ftp/[::1]/a'],
    ['news:comp.lang.c', '/news/comp.lang.c'],
    ['news:a@b', '/news/a@b'],
    ['news://h/comp.lang.c', '/news/h/comp.lang.c'],
    ['wais://h/db?some%20words', '/wais/h/db?some%20words'],
    ['ldap://h/dc=example?cn?sub?(a=b)', '/ldap/h/dc=example?cn?sub?(a=b)'],
    ['urn:isbn:3', '/urn/isbn:3'],
    ['gopher://h', '/gopher/h'],
  ])('%s is %s', (url, address) => {
    expect(addressOf(url)).toBe(address)
    expect(urlAt(address)).toEqual({ url, own: null })
  })

  test.each([
    'gopher://h/1/a/../b',
    'gopher://h/1/%2e%2e/b',
    'news:a/b@c',
    'gopher://h/0a"b',
    'wais://h/db?raw=1',
    'ftp://h/ü',
    'gopher://h/1a\\b',
    'FTP://h/',
  ])('%s is escaped as a whole', (url) => {
    const address = addressOf(url)
    expect(address).toMatch(/^\/-\/[^/?#]+$/)
    expect(new URL(address, 'http://localhost').pathname).toBe(address)
    expect(urlAt(address)).toEqual({ url, own: null })
    expect(urlAt(addressOf(url, 'raw=1'))).toEqual({ url, own: 'raw=1' })
  })

  test('of a URL that is typed is without its wrapper and its password', async () => {
    expect(await pages.addressOf(' <URL:gopher://h/1/> ')).toBe('/gopher/h/1/')
    expect(await pages.addressOf('web+gopher://h/1/')).toBe('/gopher/h/1/')
    expect((await pages.post('/go', { url: 'ftp://u:pl4nted@h/' })).fields.location).toBe('/ftp/u@h/')
  })
})

describe('shows', () => {
  test('a folder by FTP with sizes and dates, in the order that is asked for', async () => {
    const url = `${servers.ftp.url}pub/`
    const page = await pages.page(url)
    expect(page).toContain(`<a href="${addressOf(`${url}hello.txt`)}">hello.txt</a></td><td class="size">14 B</td>`)
    // As the command writes it.
    expect(page).toContain('a.bin</a></td><td class="size">4.0 KiB</td>')
    expect(page).toContain(`<a href="${addressOf(servers.ftp.url)}">Up to the folder above</a>`)
    const sizes = async (order: string): Promise<number[]> => {
      const rows = textOf(await pages.get(addressOf(url, `sort=${order}`)))
      return [...rows.matchAll(/<td class="size">(\d+) B/g)].map(([, size]) => Number(size))
    }
    const up = await sizes('size')
    expect(up.length).toBeGreaterThan(3)
    expect(up).toEqual(up.toSorted((one, other) => one - other))
    expect(await sizes('-size')).toEqual(up.toReversed())
  })

  test('a folder as a ZIP file, with what failed', async () => {
    await using tree = await startServers({
      ftp: true,
      files: {
        '/a (1)/b.txt': 'one',
        '/a (1)/sub/c.bin': Buffer.alloc(70_000, 7),
        '/a (1)/\\..\\x': 'name',
        '/other.txt': 'no',
      },
    })
    const { fields, body, isWhole } = await pages.get(addressOf(`${tree.ftp.url}a%20(1)/`, 'zip=1'))
    expect({ name: fields['content-disposition'], isWhole }).toEqual({
      // RFC 8187 3.2.1 has no parentheses in a value.
      name: "attachment; filename*=UTF-8''a%20%281%29.zip",
      isWhole: true,
    })
    const names = [...body.toString('latin1').matchAll(/PK\x01\x02[\s\S]{24}(..)[\s\S]{16}/g)].map(({ index }) => {
      return body.toString('utf8', index + 46, index + 46 + body.readUInt16LE(index + 28))
    })
    expect(names.sort()).toEqual(['_.._x', 'b.txt', 'sub/c.bin'])
    expect((await pages.get(addressOf(servers.gopher.url, 'zip=1'))).status).toBe(404)
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    expect((await pages.get(addressOf(guarded.ftp.url, 'zip=1'))).status).toBe(401)
  })

  test('a Gopher menu, and the form of a search, which leads to its results', async () => {
    const page = await pages.page(servers.gopher.url)
    expect(page).toContain(
      `<span class="kind">text</span> <a href="${addressOf(`${servers.gopher.url}0/readme.txt`)}">`,
    )
    const index = fieldOf(page, 'url')
    expect(index).toBe(`${servers.gopher.url}7/search`)
    const { status, fields } = await pages.get(`/search?url=${encodeURIComponent(index)}&words=read+me`)
    expect({ status, to: fields.location }).toEqual({ status: 303, to: addressOf(`${index}%09read%20me`) })
    expect(await pages.page(index)).toContain('name="words"')
  })

  test('a form of Gopher+, and what the server answers', async () => {
    const url = `${servers.gopher.url}0/ask`
    const form = await pages.page(url)
    expect(form).toContain('<label for="f1">Your name?</label>')
    const values = { token: fieldOf(form, 'token'), url, f1: 'Ann', f2: 'hush', f3: '1' }
    const answered = textOf(await pages.post('/form', values))
    expect(answered).toContain('Ann')
    expect(answered).toContain('green')
  })

  test('the octets of an answer to a form, without sending the form again', async () => {
    const url = `${servers.gopher.url}0/ask`
    const values = { token: fieldOf(await pages.page(url), 'token'), url, f1: 'Ann', f2: 'hush', f3: '1' }
    const [, way = ''] =
      /<a href="([^"]*)">The octets as they came</.exec(textOf(await pages.post('/form', values))) ?? []
    const before = servers.gopher.accepted
    const { status, fields, body } = await pages.get(way)
    const type = fields['content-type']
    expect({ status, type, text: String(body) }).toEqual({
      ...{ status: 200, type: 'text/plain' },
      text: 'Name: Ann\r\nSecret: 4 characters\r\nColour: green\r\n',
    })
    expect(servers.gopher.accepted).toBe(before)
    expect((await pages.get(way.replace(/answer=.{24}/, `answer=${'A'.repeat(24)}`))).status).toBe(404)
    expect((await pages.get(way.replace('/ask', '/survey'))).status).toBe(404)
  })

  test('a picture that answers a form, as its octets', async () => {
    const picture = { body: 'GIF89a', mediaType: 'image/gif', charset: null }
    const steps: Step[] = [async (request, next) => ({ ...(await next(request)), ...picture })]
    await using own = await startPages({}, { use: steps })
    const url = `${servers.gemini.url}input`
    const token = fieldOf(await own.page(url), 'token')
    const { status, fields } = await own.post('/form', { token, url, f1: 'a' })
    expect({ status, way: fields.location }).toEqual({
      status: 303,
      way: expect.stringMatching(/\/input\?answer=[\w-]{24}$/),
    })
    const octets = await own.get(fields.location ?? '')
    expect(octets).toMatchObject({ status: 200, fields: { 'content-type': 'image/gif' }, body: Buffer.from('GIF89a') })
  })

  test('a page of Gemini and its prompt', async () => {
    const page = await pages.page(servers.gemini.url)
    expect(page).toContain('<h2>The test server</h2>')
    expect(page).toContain(`<a href="${addressOf(`${servers.gemini.url}pub/hello.txt`)}">A text</a>`)
    const url = `${servers.gemini.url}input`
    const form = await pages.page(url)
    const answered = textOf(await pages.post('/form', { token: fieldOf(form, 'token'), url, f1: 'a word' }))
    expect(answered).toContain('a%20word')
  })

  test('a newsgroup by thread, an article, and its attachment', async () => {
    expect(await pages.page(servers.nntp.url)).toContain('>retriever.test</a>')
    const group = await pages.page(`${servers.nntp.url}retriever.test`)
    expect(group).toContain(
      `<a href="${addressOf(`${servers.nntp.url}retriever.test/5`)}">A text and an attachment</a>`,
    )
    const article = await pages.get(addressOf(`${servers.nntp.url}retriever.test/5`))
    const [, href = '', name] = /<a href="([^"]*part=[^"]*)">([^<]*)<\/a>/.exec(textOf(article)) ?? []
    const { status, fields, body } = await pages.get(href.replaceAll('&amp;', '&'))
    expect({ status, given: fields['content-disposition'] }).toEqual({
      status: 200,
      given: `attachment; filename*=UTF-8''${name}`,
    })
    expect(body.length).toBeGreaterThan(0)
  })

  test.each([
    ['finger', () => `${servers.finger.url}alice`, 'Name: Alice Example\n'],
    ['dict', () => `${servers.dict.url}d:url`, 'A Uniform Resource Locator'],
    ['ldap', () => `${servers.ldap.url}dc=example,dc=net??sub`, '<dt>o</dt><dd>Example Network</dd>'],
    ['wais', () => `${servers.wais.url}demo?ark`, '>ark.txt   /docs/</a>'],
    ['prospero', () => `${servers.prospero.url}/docs`, '>hello.txt</a>'],
    ['a service', () => servers.telnet.url, 'telnet -- 127.0.0.1'],
    ['a URL of the web', () => `${servers.http.url}pub/`, `<a href="${servers.http.url}pub/"`],
  ])('%s', async (_, url, shown) => {
    expect(await pages.page(url())).toContain(shown)
  })

  test('what is sent, on every page', async () => {
    const { body } = await pages.get(addressOf(`${servers.finger.url}alice`))
    expect(String(body)).toMatch(/<summary>What is sent for this URL<\/summary><pre>[\s\S]*sends {4}alice\\r\\n/)
  })

  test('a file that no page can show as its octets, which are asked for once', async () => {
    const url = `${servers.gopher.url}9/pub/a.bin`
    const before = servers.gopher.accepted
    expect((await pages.get(addressOf(url))).fields.location).toBe(addressOf(url, 'raw=1'))
    expect(servers.gopher.accepted).toBe(before)
  })

  test('that a listing has broken off', async () => {
    const files = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`/file${n}.txt`, '']))
    await using broken = await startServers({ files, gopher: { faults: { resetAfter: 200_000 } } })
    const page = await pages.page(broken.gopher.url)
    expect(page).toContain('>file1.txt</a>')
    expect(page).toMatch(/<p class="warning">gopher:[^<]*before the whole body had come/)
  })

  test('an error with its status and what to do next', async () => {
    const { status, body } = await pages.get(addressOf(`${servers.ftp.url}no/such`))
    expect(status).toBe(404)
    expect(String(body)).toContain('check the path')
    expect((await pages.get('/nothing')).status).toBe(404)
    expect((await pages.get('/go?url=ftp%3A%2F%2Fa%40b%40c%2F')).status).toBe(400)
  })
})

describe('a login', () => {
  test('is asked for by a form, kept for its server alone, and in no page', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const url = `${guarded.ftp.url}pub/hello.txt`
    const asked = await pages.get(addressOf(url))
    expect({ status: asked.status, basic: asked.fields['www-authenticate'] }).toEqual({ status: 401, basic: undefined })
    expect(textOf(asked)).toContain('The server wants a user and a password.')
    const form = { token: fieldOf(String(asked.body), 'token'), url }
    const wrong = await pages.post('/login', { ...form, user: 'alice', password: 'pl4nted' })
    expect(wrong.fields.location).toBe(addressOf(url))
    const refused = await pages.get(addressOf(url))
    expect({ status: refused.status, text: textOf(refused) }).toEqual({
      status: 401,
      text: expect.stringContaining('refuses this user or password'),
    })
    expect(String(refused.body)).not.toContain('pl4nted')
    await pages.post('/login', { ...form, user: 'alice', password: 'secret' })
    const shown = await pages.get(addressOf(url))
    expect(textOf(shown)).toContain('Hello, world.')
    expect(String(shown.body)).not.toContain('secret')
    expect((await pages.get(addressOf(url.replace('//', '//bob@')))).status).toBe(401)
  })

  test('is forgotten half an hour after its last use', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const url = `${guarded.ftp.url}pub/hello.txt`
    await pages.post('/go', { url: url.replace('//', '//alice:secret@') })
    const begun = Date.now()
    using now = vi.spyOn(Date, 'now')
    const statuses: number[] = []
    for (const minutes of [29, 58, 89]) {
      now.mockReturnValue(begun + minutes * 60_000)
      statuses.push((await pages.get(addressOf(url))).status)
    }
    expect(statuses).toEqual([200, 200, 401])
  })

  test('that is typed in an address does not stay there', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const url = `${guarded.ftp.url}pub/hello.txt`
    const { fields, body } = await pages.get(addressOf(url.replace('//', '//alice:pl4nted@')))
    expect(fields.location).toBe(addressOf(url.replace('//', '//alice@')))
    const page = await pages.get(fields.location ?? '')
    expect(`${body}${page.body}`).not.toContain('pl4nted')
  })

  test('that is typed in a URL is kept as well', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const url = `${guarded.ftp.url}pub/hello.txt`
    const { fields } = await pages.post('/go', { url: url.replace('//', '//alice:secret@') })
    expect(fields.location).toBe(addressOf(url.replace('//', '//alice@')))
    expect(textOf(await pages.get(fields.location ?? ''))).toContain('Hello, world.')
  })
})

describe('a warning', () => {
  test('comes before the first visit of a server, and is accepted for that server', async () => {
    const url = servers.ftp.url.replace('127.0.0.1', '2130706433')
    const before = servers.ftp.accepted
    const page = await pages.page(url)
    expect(page).toContain('<h1>Before you go on</h1>')
    expect(servers.ftp.accepted).toBe(before)
    const { status, fields } = await pages.post('/accept', { token: fieldOf(page, 'token'), url })
    expect({ status, to: fields.location }).toEqual({ status: 303, to: addressOf(url) })
    expect(await pages.page(url)).not.toContain('Before you go on')
  })

  test('a danger is refused with its remedy, and nothing is sent', async () => {
    const { status, body } = await pages.get(addressOf(`gopher://127.0.0.1:25/1HELO`))
    expect(status).toBe(403)
    expect(String(body)).toContain('port 25')
  })
})
