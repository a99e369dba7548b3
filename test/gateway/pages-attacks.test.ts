/** Attacks on the pages by other sites and by servers. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf } from '../../packages/gateway/src/pages/address.ts'
import { fieldOf, startPages, textOf } from './support/pages.ts'

const servers = await startServers({
  ftp: true,
  gopher: true,
  files: { '/evil.html': '<script>alert(1)</script>', '/pub/<script>x.txt': 'x', '/a.txt': 'text' },
})
/** A server that answers a line with a text. */
async function startLine(text: string) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

let pages: Awaited<ReturnType<typeof startPages>>
beforeAll(async () => {
  pages = await startPages()
})
afterAll(async () => {
  await pages[Symbol.asyncDispose]()
  await servers.close()
})

describe('another site', () => {
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.2', ''])(
    'that gives its name %j our address reads nothing',
    async (host) => {
      expect((await pages.get('/', { host })).status).toBe(421)
      expect((await pages.get(addressOf(servers.gopher.url), { host: `${host}:${pages.port}` })).status).toBe(421)
    },
  )

  test.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://0123456789abcdef.localhost' },
    { origin: 'http://localhost:1' },
    { origin: undefined, 'sec-fetch-site': 'same-site' },
    { origin: undefined, 'sec-fetch-site': 'cross-site' },
  ])('with %j sends no form', async (fields) => {
    const url = servers.ftp.url
    const values = {
      token: fieldOf(await pages.page(`${servers.gopher.url}0/ask`), 'token'),
      url,
      user: 'u',
      password: 'p',
    }
    expect((await pages.post('/login', values, fields)).status).toBe(403)
  })

  test.each([
    ['a picture', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, 403],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    ['a script on a port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, 403],
    ['a link', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
    ['a link in an old browser', { referer: 'http://evil.example/' }, 200],
  ])('makes us send nothing by %s', async (_, fields, status) => {
    const before = servers.gopher.accepted
    for (const url of [`${servers.gopher.url}1FLUSHALL`, `${servers.gopher.url}9FLUSHALL`]) {
      for (const own of [undefined, 'raw=1', 'zip=1']) {
        const answer = await pages.get(addressOf(url, own), fields as Record<string, string>)
        expect(answer.status).toBe(status)
        if (status === 200) expect(textOf(answer)).toContain(`<a href="${addressOf(url)}">Go on to`)
      }
    }
    expect(servers.gopher.accepted).toBe(before)
  })

  test('gives us no login', async () => {
    await using guarded = await startServers({ ftp: { auth: 'required' } })
    const url = guarded.ftp.url.replace('//', '//alice:secret@')
    expect(await pages.addressOf(url)).toBe(addressOf(url.replace(':secret', '')))
    expect((await pages.get(await pages.addressOf(url))).status).toBe(401)
  })

  test('that does not know the token sends no form', async () => {
    const values = { url: servers.ftp.url, user: 'u', password: 'p' }
    expect((await pages.post('/login', values)).status).toBe(403)
    expect((await pages.post('/login', { ...values, token: 'x'.repeat(24) })).status).toBe(403)
  })

  test('puts no page of ours in a frame, and runs no script in it', async () => {
    const { fields } = await pages.get(addressOf(servers.ftp.url))
    expect(fields['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
    expect(fields['set-cookie']).toBeUndefined()
    expect(fields['x-frame-options'] ?? fields['cross-origin-resource-policy']).toBe('same-origin')
  })
})

describe('octets of a server', () => {
  const browser = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  /** The host from which a browser gets the octets of a URL. */
  const hostOf = async (url: string, from = pages): Promise<string> => {
    return new URL((await from.get(addressOf(url, 'raw=1'), browser)).fields.location ?? '').host
  }

  test('come to a browser from an origin of their own, fenced', async () => {
    const url = `${servers.ftp.url}evil.html`
    const first = await pages.get(addressOf(url), browser)
    expect({ status: first.status, to: first.fields.location }).toEqual({ status: 303, to: addressOf(url, 'raw=1') })
    const second = await pages.get(addressOf(url, 'raw=1'), browser)
    const place = new URL(second.fields.location ?? '')
    expect(place.host).toMatch(new RegExp(`^[\\da-f]{16}\\.localhost:${pages.port}$`))
    expect(place.host).not.toBe(await hostOf(`${servers.gopher.url}0/a.txt`))
    await using other = await startPages()
    expect(place.host).not.toBe(await hostOf(url, other))
    const { status, fields, body } = await pages.get(`${place.pathname}${place.search}`, {
      ...browser,
      host: place.host,
    })
    expect({ status, body: String(body), policy: fields['content-security-policy'] }).toEqual({
      status: 200,
      body: '<script>alert(1)</script>',
      policy: "default-src 'none'; sandbox",
    })
    expect(fields['x-content-type-options']).toBe('nosniff')
  })

  test('come from no other origin, and no page comes from theirs', async () => {
    const host = await hostOf(servers.ftp.url)
    expect((await pages.get(addressOf(servers.gopher.url, 'raw=1'), { host })).status).toBe(421)
    expect((await pages.get(addressOf(servers.ftp.url), { host })).status).toBe(421)
    expect((await pages.get('/', { host })).status).toBe(404)
    expect((await pages.post('/accept', { url: servers.ftp.url }, { host, origin: `http://${host}` })).status).toBe(405)
  })
})

describe('a server', () => {
  test('puts no markup into a page by the name of a file', async () => {
    const page = await pages.page(`${servers.ftp.url}pub/`)
    expect(page).toContain('&lt;script&gt;x.txt')
    expect(page).not.toContain('<script>')
  })

  test.each([
    ['a script', 'hClick\tURL:javascript:alert(1)\th\t70'],
    ['data', 'hClick\tURL:data:text/html,<script>alert(1)</script>\th\t70'],
    ['a file', 'hClick\tURL:file:///etc/passwd\th\t70'],
    ['a quote', '0Click\t"><script>alert(1)</script>\th\t70'],
  ])('leads from a menu to no %s', async (_, line) => {
    await using origin = await startLine(`${line}\r\n.\r\n`)
    const page = await pages.page(`gopher://127.0.0.1:${origin.port}/`)
    expect(page).toContain('Click')
    expect(page).not.toMatch(/href="(?:javascript|data|file):|<script/)
  })

  test('makes no page of a text that is too long, though it does not tell its size', async () => {
    await using origin = await startLine('http://a.b/ '.repeat(400_000))
    const url = `finger://127.0.0.1:${origin.port}/x`
    const { status, fields } = await pages.get(addressOf(url))
    expect({ status, leads: fields.location }).toEqual({ status: 303, leads: addressOf(url, 'raw=1') })
  })

  test('puts no line into our head by the name of an attachment', async () => {
    const article = 'From: a\r\nSubject: b\r\nContent-Type: application/x; name="a\\"\r\n\r\nX: y"\r\n\r\nx'
    await using origin = await startLine(article)
    const { fields } = await pages.get(addressOf(`finger://127.0.0.1:${origin.port}/x`, 'part=1'))
    expect(fields.x).toBeUndefined()
  })
})

describe('a URL of this machine', () => {
  test.each(['file:///etc/passwd', 'man:ls', 'ldapi://%2fvar%2frun%2fslapd/'])('%s has no page', async (url) => {
    const { status, body } = await pages.get(addressOf(url))
    expect(status).toBe(403)
    expect(textOf({ body } as never)).not.toContain('root:')
  })

  test('that is the gateway itself makes no circle', async () => {
    expect((await pages.get(addressOf(`gopher://127.0.0.1:${pages.port}/1`))).status).toBe(508)
  })
})

test('robots are asked to leave all alone', async () => {
  expect(String((await pages.get('/robots.txt')).body)).toBe('User-agent: *\nDisallow: /\n')
  expect((await pages.get('/')).fields['x-robots-tag']).toBe('noindex, nofollow')
})

test('a gateway with a token wants it as the password, and gives it to no server', async () => {
  const token = 'a-token-of-the-tests'
  await using guarded = await startPages({ policy: { token } })
  const host = `10.0.0.1:${guarded.port}`
  expect((await guarded.get('/', { host })).fields['www-authenticate']).toMatch(/^Basic /)
  const authorization = `Basic ${Buffer.from(`u:${token}`).toString('base64')}`
  expect((await guarded.get('/', { host, authorization })).status).toBe(200)
  servers.ftp.reset()
  for (const own of [undefined, 'raw=1']) {
    const { status } = await guarded.get(addressOf(`${servers.ftp.url}a.txt`, own), { host, authorization })
    expect(status).toBe(200)
  }
  expect(servers.ftp.received).toContainEqual(expect.stringMatching(/^RETR .*a\.txt$/))
  expect(servers.ftp.received.filter((line) => /^PASS|^USER/.test(line))).not.toContainEqual(
    expect.stringMatching(new RegExp(`^USER u$|${token}`)),
  )
})
