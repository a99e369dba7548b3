/** `retrieve check FILE|URL...`: whether links are alive. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { startServers, type TestServers, testCa } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { htmlLinks } from '../../../packages/cli/src/check/html-links.ts'
import { clientCertificate, clientKey } from '../../protocols/http/support/client-certificate.ts'
import { redirectTo, reply } from '../../protocols/http/support/http-answers.ts'
import { type Asked, type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { testCertificate, testKey } from '../../servers/src/certificate.ts'
import { results } from '../../support/cli/json-lines.ts'
import { hasTerminal, onPty } from '../../support/cli/pty.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { expectLinear } from '../../support/growth.ts'
import { isFull } from '../../support/runs.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http' | 'gopher' | 'ftp'>
let server: ScriptedHttp

beforeAll(async () => {
  servers = await startServers({ http: true, gopher: true, ftp: true })
  server = await scriptedHttp(({ line, target, fields }) => {
    const method = line.split(' ')[0]
    const page =
      '<base href="/sub/"><a href="ok">1</a> <a href="#x">2</a> <img src=/gone> <a href="javascript:x()">3</a>'
    if (target === '/page') return reply(200, { 'Content-Type': 'text/html' }, method === 'HEAD' ? '' : page)
    if (target === '/moved') return redirectTo('/ok')
    if (target === '/found-by-get') return method === 'HEAD' ? reply(404, {}, '') : reply(200, {}, 'hello')
    if (target.startsWith('/status/')) return reply(Number(target.slice(8)), {}, '')
    if (target === '/nohead' && method === 'HEAD') return reply(405, {}, '')
    if (target === '/nohead') return reply(fields.range === 'bytes=0-0' ? 200 : 500, {}, 'hello')
    return target.endsWith('ok') ? reply(200, {}, '') : reply(404, {}, '')
  })
})
afterAll(async () => {
  await servers.close()
  await server[Symbol.asyncDispose]()
})
beforeEach(() => void server.asked.splice(0))

const run = (...args: string[]) => retrieve(['check', '--retry', '0', ...args], { cwd: folder() })

test('the links of a text, one line each; 0 only if all are alive', async () => {
  const text = `See ${servers.http.url}pub/hello.txt, <URL:${servers.ftp.url}pub/hello.txt> and mailto:me@example.org.`
  writeFileSync(join(folder(), 'good.txt'), text)
  const good = await run('good.txt')
  expect(good.status).toBe(0)
  expect(good.stdout).toMatch(/^alive 200 http:\S+hello\.txt$/m)
  expect(good.stdout).toMatch(/^alive .* ftp:\S+hello\.txt$/m)
  expect(good.stdout).toMatch(/^skip {4}- mailto:me@example\.org: /m)
  expect(good.stderr).toBe('retrieve: 2 of 2 links alive, 0 dead; 1 not checked\n')
  writeFileSync(join(folder(), 'bad.txt'), `${server.url}gone\n${server.url}ok#a\n${server.url}ok#b\n`)
  const bad = await run('bad.txt')
  expect(bad).toMatchObject({ status: 22, stderr: 'retrieve: 1 of 2 links alive, 1 dead\n' })
  expect(bad.stdout).toMatch(/^dead {2}404 http:\S+gone: The server has no such resource/m)
})

test.skipIf(!hasTerminal).each(isFull ? [80, 40, 25] : [25])(
  'on a terminal of %i columns, no line breaks within a word',
  async (columns) => {
    writeFileSync(join(folder(), 'list'), `${server.url}gone\n${server.url}ok\nmailto:me@example.org`)
    const { screen } = await onPty(folder(), 'check --retry 0 list', {}, { columns })
    const lines = screen.split('\r\n')
    // A URL stays whole.
    expect(lines.filter((line) => line.length > columns && !/^\w+ +\S+ \S+$/.test(line))).toEqual([])
    expect(lines.map((line) => line.trim()).join(' ')).toContain('The server has no such resource; check the path.')
  },
)

test('a server that refuses HEAD is asked for one octet', async () => {
  writeFileSync(join(folder(), 'list'), `${server.url}nohead`)
  expect(await run('list')).toMatchObject({ status: 0, stdout: `alive 200 ${server.url}nohead\n` })
  expect(server.asked.map(({ line }) => line.split(' ')[0])).toEqual(['HEAD', 'GET'])
})

test('a server that denies a resource to HEAD alone has it', async () => {
  expect((await run(`${server.url}found-by-get`)).stdout).toMatch(/^alive 200 /)
})

test.each([401, 410, 429])('a server that answers HEAD with %i is not asked again', async (status) => {
  writeFileSync(join(folder(), 'list'), `${server.url}status/${status}`)
  const { stdout } = await run('list')
  expect(stdout).toMatch(new RegExp(`^dead  ${status} `))
  expect(server.asked.map(({ line }) => line.split(' ')[0])).toEqual(['HEAD'])
})

test('a redirect shows the new URL', async () => {
  writeFileSync(join(folder(), 'list'), `${server.url}moved`)
  const { status, stdout } = await run('list')
  expect(status).toBe(0)
  expect(stdout).toMatch(new RegExp(` ${server.url}moved -> ${server.url}ok\n$`))
  expect(results((await run('--json', 'list')).stdout)).toMatchObject([
    { url: `${server.url}moved`, finalUrl: `${server.url}ok`, outcome: 'retrieved', redirects: [{ location: '/ok' }] },
  ])
})

test('a URL stands for itself and the links of its page', async () => {
  const { status, stdout } = await run('--json', `${server.url}page`)
  expect(status).toBe(22)
  const found = results(stdout).map(({ url, status }) => [String(url).slice(server.url.length), status])
  expect(found.sort()).toEqual([
    ['gone', 404],
    ['page', 200],
    ['sub/#x', 404],
    ['sub/ok', 200],
  ])
})

test('the entries of a menu are alive, also a form that waits for answers', async () => {
  const { status, stdout } = await run(servers.gopher.url)
  expect(stdout).toMatch(/^alive +- gopher:\S+\/0\/readme\.txt$/m)
  expect(stdout).toMatch(/^alive +- gopher:\S+\/0\/ask%09%09\?$/m)
  expect(stdout).not.toContain('dead')
  expect(status).toBe(0)
})

test('the links of gemtext are checked, a prompt and what is not within TLS too', async () => {
  const page = `20 text/gemini\r\n=> /input Your name\n=> gone.gmi\n=> ${server.url}ok Elsewhere\n`
  const answers = new Map([
    ['/', page],
    ['/input', '10 Your name?\r\n'],
  ])
  const capsule = createTlsServer({ cert: testCertificate, key: testKey }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', (line) => socket.end(answers.get(new URL(String(line)).pathname) ?? '51 Not found\r\n'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void capsule.close())
  await once(capsule, 'listening')
  const url = `gemini://localhost:${Object(capsule.address()).port}/`
  const { stdout, stderr } = await run('-k', url)
  expect(stdout.split('\n').sort()).toEqual([
    '',
    `alive   - ${url}`,
    `alive   - ${url}input`,
    `alive 200 ${server.url}ok`,
    expect.stringMatching(`^dead {4}- ${url}gone\\.gmi: `),
  ])
  expect(stderr).toBe('retrieve: 3 of 4 links alive, 1 dead\n')
})

test('a file or URL that does not come is reported', async () => {
  expect((await run()).status).toBe(2)
  expect(await run(`${server.url}gone`)).toMatchObject({ status: 22, stdout: expect.stringContaining('dead  404') })
})

test('a mistyped name of a file is read as a host, and a line says why', async () => {
  const connect = ['--connect-to', `readm.txt:80:127.0.0.1:${new URL(server.url).port}`]
  const { stdout, stderr } = await run(...connect, 'readm.txt')
  expect(stdout).toMatch(/^dead {2}404 http:\/\/readm\.txt/)
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'retrieve: readm.txt: There is no file of this name.',
    'retrieve: readm.txt: No scheme given; assuming http://readm.txt.',
  ])
})

test('the links of a page at another origin get no logins and cookies', async () => {
  await using other = await scriptedHttp(() => reply(200, {}, ''))
  const html = { 'Content-Type': 'text/html' }
  await using page = await scriptedHttp(() => reply(200, html, `<a href="${other.url}x"></a><a href="/own"></a>`))
  const fields = ['-H', 'Authorization: Bearer t0ken', '-H', 'X-Own: 1', '-b', 'a=1', '-H', 'Accept-Language: de']
  expect((await run(...fields, page.url)).status).toBe(0)
  const [own] = page.asked.filter(({ target }) => target === '/own')
  expect(own?.fields).toMatchObject({ authorization: 'Bearer t0ken', cookie: 'a=1' })
  expect(other.asked).toHaveLength(1)
  expect(other.asked[0]?.fields).toMatchObject({ 'accept-language': 'de' })
  for (const name of ['authorization', 'x-own', 'cookie']) expect(other.asked[0]?.fields).not.toHaveProperty(name)
  // A URL that is typed gets them, also if a page names it, too.
  expect((await run(...fields, page.url, `${other.url}x`)).status).toBe(0)
  expect(other.asked.at(-1)?.fields).toMatchObject({ authorization: 'Bearer t0ken' })
})

test('HTML: a long name of an attribute takes no quadratic time', () =>
  expectLinear(16_000, (length) => {
    expect(htmlLinks(`<a ${'-'.repeat(length)}>`.repeat(20)).links).toEqual([])
  }))

test.each([5_600, 64_000])('three hostile mid: links of up to %d characters take no quadratic time', (longest) =>
  expectLinear(longest, async (length) => {
    const texts = ['@'.repeat(length), `a${'@'.repeat(length)}`, `${'a'.repeat(length / 2)}/${'@'.repeat(length / 2)}`]
    writeFileSync(join(folder(), 'mid.html'), texts.map((text) => `<a href="mid:${text}">x</a>\n`).join(''))
    expect((await run('mid.html')).stdout.match(/^dead /gm)).toHaveLength(3)
  }),
)

describe('anchors of the pages that are read', () => {
  const page = `<h1 id="a b">A</h1><a name=old></a>
    <a href="#a%20b">1</a> <a href="#old">2</a> <a href="#gone">3</a> <a href="#top">4</a> <a href="#">5</a>
    <a href="#:~:text=A">6</a> <a href="#!/app">7</a> <a href="#/app">8</a> <a href="#toString">9</a>`

  test('a file: those that are missing are dead, and named', async () => {
    writeFileSync(join(folder(), 'anchors.html'), page)
    const { status, stdout, stderr } = await run('anchors.html')
    const url = pathToFileURL(join(folder(), 'anchors.html')).href
    const why = (id: string): string => `No such anchor: no element of the page has the id "${id}".`
    const lines = ['gone', 'toString'].map((id) => `dead    - ${url}#${id}: ${why(id)}`)
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual(lines)
    expect([status, stderr]).toEqual([78, 'retrieve: 1 of 3 links alive, 2 dead\n'])
  })

  test('pages of a server are fetched once, and may link to each other', async () => {
    const html = { 'Content-Type': 'text/html' }
    const pages: Readonly<Record<string, string>> = {
      '/one': '<p id=x><a href="two#y">1</a><a href="two#z">2</a><a href="/other#nope">3</a>',
      '/two': '<p id=y><a href="one#x">1</a>',
      '/other': '<p>',
    }
    await using site = await scriptedHttp(({ target, line }) =>
      reply(200, html, line.startsWith('HEAD') ? '' : (pages[target] ?? '')),
    )
    const { status, stdout } = await run(`${site.url}one`, `${site.url}two`, `${site.url}two#w`)
    expect(stdout.match(/^dead .*$/gm)).toEqual([
      expect.stringContaining(`${site.url}two#z: No such anchor`),
      expect.stringContaining(`${site.url}two#w: No such anchor`),
    ])
    expect(status).toBe(78)
    const got = site.asked.filter(({ line }) => line.startsWith('GET')).map(({ target }) => target)
    expect(got.toSorted()).toEqual(['/one', '/two'])
    expect(stdout.match(/^alive 200 /gm)).toHaveLength(3)
  })

  test('a page of more than 100,000 anchors is not held, so that none is missing in it', async () => {
    for (const [count, missing] of [
      [100_000, 1],
      [100_001, 0],
    ] as const) {
      const anchors = Array.from({ length: count }, (_, number) => `<p id=${number}>`).join('')
      writeFileSync(join(folder(), 'many.html'), `<a href="#gone">1</a>${anchors}`)
      const { stdout } = await run('many.html')
      expect(stdout.match(/^alive /gm)).toHaveLength(1)
      expect(stdout.match(/No such anchor/g) ?? []).toHaveLength(missing)
    }
  })

  test('--json says not-found', async () => {
    writeFileSync(join(folder(), 'anchors.html'), page)
    const { stdout } = await run('--json', 'anchors.html')
    const failed = { outcome: 'failed', exit: 78, error: { code: 'not-found' } }
    expect(results(stdout).slice(1)).toMatchObject([failed, failed])
  })
})

test('HTML: attributes of any kind, no comments, no scripts', () => {
  const html = `<A HREF=a><!-- <a href=no> --><script src='s.js'>'<a href=no>'</script><a class=x href="b?c&amp;d"><p href=no>`
  expect(htmlLinks(html)).toEqual({ links: ['a', 's.js', 'b?c&d'], base: null, anchors: [] })
  expect(htmlLinks(`<a title="a > b" href='c>d'><title><a href=no></title>`).links).toEqual(['c>d'])
  expect(htmlLinks(`${'<b>'.repeat(5000)}<a href=deep>${'</b>'.repeat(5000)}<a href=after>`).links).toEqual([
    'deep',
    'after',
  ])
  const long = `<a ${'x'.repeat(16_000)}>`.repeat(500)
  expect(htmlLinks(`${long}<a href=end>`).links).toEqual(['end'])
})

test('behind a proxy the links of a remote page are checked, except those that name this network', async () => {
  const html = '<a href="a">1</a> <a href="http://other.example/b">2</a> <a href="http://127.0.0.1/c">3</a>'
  await using proxy = await scriptedHttp(({ target }) =>
    reply(200, { 'Content-Type': 'text/html' }, target.endsWith('/page') ? html : ''),
  )
  const { stdout, stderr, status } = await run('-x', proxy.url, 'http://page.example/page')
  expect(stderr).toBe('retrieve: 3 of 4 links alive, 0 dead, 1 refused\n')
  expect(stdout.split('\n').sort()).toEqual([
    '',
    'alive 200 http://other.example/b',
    'alive 200 http://page.example/a',
    'alive 200 http://page.example/page',
    expect.stringMatching(
      /^refused - http:\/\/127\.0\.0\.1\/c: Refused: .* points inward\. --allow-inward follows it\.$/,
    ),
  ])
  expect(status).toBe(9)
  expect(proxy.asked.map(({ target }) => target)).not.toContain('http://127.0.0.1/c')
})

test('-j says how many links are asked for at a time', async () => {
  const urls = [1, 2, 3, 4, 5, 6].map((number) => `${server.url}${number}ok\n`)
  writeFileSync(join(folder(), 'many.txt'), urls.join(''))
  const connections = async (...args: string[]): Promise<number> => {
    server.asked.splice(0)
    expect((await run(...args, 'many.txt')).stderr).toContain('6 of 6 links alive')
    return new Set(server.asked.map(({ socket }) => socket)).size
  }
  expect(await connections('-j', '1')).toBe(1)
  expect(await connections()).toBeGreaterThan(1)
  expect((await run('--jobs', 'x', 'many.txt')).status).toBe(2)
})

describe('what a page or a file names gets no secrets', () => {
  const certificate = ['--cacert', 'ca.pem', '-E', 'both.pem']
  const shown: unknown[] = []
  const answer = ({ socket, line }: Asked): ReturnType<typeof reply> => {
    shown.push((socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody')
    return reply(200, {}, line.startsWith('HEAD') ? '' : 'x')
  }
  const tls = { ca: clientCertificate, requestCert: true, rejectUnauthorized: false }

  test('the client certificate is for the hosts that are typed', async () => {
    await using other = await scriptedHttp(answer, { tls })
    const page = `<a href="${other.url}x"></a><a href="/own"></a>`
    await using strict = await scriptedHttp(
      (request) => (request.target === '/page' ? reply(200, { 'Content-Type': 'text/html' }, page) : answer(request)),
      { tls },
    )
    writeFileSync(join(folder(), 'ca.pem'), testCa)
    writeFileSync(join(folder(), 'both.pem'), clientCertificate + clientKey)
    const shownTo = async (...args: string[]): Promise<unknown[]> => {
      shown.splice(0)
      expect((await run(...certificate, ...args)).status).toBe(0)
      return shown.sort()
    }
    // The link to the page's own server, and the one to another.
    expect(await shownTo(`${strict.url}page`)).toEqual(['alice', 'nobody'])
    writeFileSync(join(folder(), 'links.txt'), `${other.url}x`)
    expect(await shownTo('links.txt')).toEqual(['nobody'])
    expect(await shownTo('links.txt', other.url)).toContain('alice')
  })

  test('of a file, with a warning: they go to typed hosts', async () => {
    writeFileSync(join(folder(), 'links.txt'), `${server.url}ok`)
    const { stderr } = await run('-H', 'X-Own: 1', 'links.txt')
    expect(stderr).toContain('go only to hosts that are named on the command line')
    expect(server.asked.at(-1)?.fields).not.toHaveProperty('x-own')
    expect((await run('-H', 'Host: virtual.example', 'links.txt')).stderr).toContain('go only to hosts that are named')
    expect(server.asked.at(-1)?.fields.host).not.toBe('virtual.example')
    expect((await run('-H', 'X-Own: 1', 'links.txt', `${server.url}x-ok`)).stderr).not.toContain('warning')
    expect(server.asked.find(({ target }) => target === '/ok')?.fields).not.toHaveProperty('cookie')
    expect(server.asked.at(-1)?.fields).toHaveProperty('x-own')
  })
})

test('-u and -n are for the hosts that are typed, not for others that a page names', async () => {
  const challenge = reply(401, { 'WWW-Authenticate': 'Basic realm="r"' }, '')
  await using locked = await scriptedHttp(({ fields }) => (fields.authorization ? reply(200, {}, '') : challenge))
  await using pages = await scriptedHttp(() =>
    reply(200, { 'Content-Type': 'text/html' }, `<a href="${locked.url}x"></a>`),
  )
  writeFileSync(join(folder(), 'logins'), 'machine 127.0.0.1 login a password b\ndefault login c password d\n')
  writeFileSync(join(folder(), 'links.txt'), `${locked.url}x`)
  const logins = () => locked.asked.splice(0).map(({ fields }) => fields.authorization)
  for (const login of [
    ['--netrc-file', 'logins'],
    ['-u', 'a:b'],
  ]) {
    expect((await run(...login, pages.url)).stdout).toContain(`dead  401 ${locked.url}x`)
    expect(logins()).toEqual([undefined])
    expect((await run(...login, 'links.txt')).stderr).toContain('Your logins, header fields and client certificate')
    expect(logins()).toEqual([undefined])
    expect((await run(...login, `${locked.url}x`)).status).toBe(0)
    expect((await run(...login, pages.url, locked.url)).status).toBe(0)
    expect(logins()).toContain(`Basic ${Buffer.from('a:b').toString('base64')}`)
  }
})

test('a page of this machine leads to no file', async () => {
  const page = '<a href="file:///etc/passwd">1</a><a href="/own">2</a>'
  await using local = await scriptedHttp(({ target }) =>
    target === '/' ? reply(200, { 'Content-Type': 'text/html' }, page) : reply(200, {}, ''),
  )
  const { stdout, stderr, status } = await run(local.url)
  expect(status).toBe(9)
  expect(stdout).toMatch(/^refused - file:\/\/\/etc\/passwd: .*leads to this machine itself/m)
  expect(stderr).toBe('retrieve: 2 of 3 links alive, 0 dead, 1 refused\n')
})

test('-H Host:, -b FILE, -c and --trace', async () => {
  await using host = await scriptedHttp(() => reply(200, { 'Set-Cookie': 'new=2' }, ''))
  writeFileSync(join(folder(), 'cookies.txt'), '127.0.0.1\tFALSE\t/\tFALSE\t0\told\t1\n')
  const files = ['-b', 'cookies.txt', '-c', 'kept.txt', '--trace-ascii', 'trace.txt']
  expect((await run(...files, host.url)).status).toBe(0)
  expect(host.asked.length).toBeGreaterThan(0)
  for (const { fields } of host.asked) expect(fields.cookie).toContain('old=1')
  host.asked.splice(0)
  expect((await run('-H', 'Host: virtual.example', host.url)).status).toBe(0)
  expect(new Set(host.asked.map(({ fields }) => fields.host))).toEqual(new Set(['virtual.example']))
  expect(readFileSync(join(folder(), 'kept.txt'), 'utf8')).toContain('new\t2')
  expect(readFileSync(join(folder(), 'trace.txt'), 'utf8')).toContain('HEAD / HTTP/1.1')
})

test('-u is for the typed host; a server that is ill is asked twice by default', async () => {
  await using locked = await scriptedHttp(({ fields }) =>
    fields.authorization ? reply(200, {}, '') : reply(401, { 'WWW-Authenticate': 'Basic realm="r"' }, ''),
  )
  expect((await run('-u', 'a:b', locked.url)).status).toBe(0)
  await using ill = await scriptedHttp(() => reply(503, {}, ''))
  const { stdout } = await retrieve(['check', ill.url], { cwd: folder() })
  expect(stdout).toMatch(/^dead {2}503 /)
  expect(ill.asked.filter(({ line }) => line.startsWith('GET '))).toHaveLength(4)
})

test('a page elsewhere leads to this network only by --allow-inward, which the message names', async () => {
  const link = '<a href="http://inner.example:PORT/">1</a><a href="http://other.example:PORT/">2</a>'
  await using local = await scriptedHttp(({ target, fields }) =>
    target === '/page'
      ? reply(200, { 'Content-Type': 'text/html' }, link.replaceAll('PORT', String(fields.host).replace(/.*:/, '')))
      : reply(200, {}, ''),
  )
  const { port } = new URL(local.url)
  const resolve = ['page', 'inner', 'other'].flatMap((name) => ['--resolve', `${name}.example:${port}:127.0.0.1`])
  const page = `http://page.example:${port}/page`
  const { stdout, status } = await run(...resolve, page)
  expect(status).toBe(9)
  for (const url of [`http://inner.example:${port}/`, `http://other.example:${port}/`]) {
    expect(stdout).toContain(
      `refused - ${url}: Refused: a page elsewhere links to this network. --allow-inward checks such links.\n`,
    )
  }
  const allowed = await run(...resolve, '--allow-inward', '--proto', 'http', '-x', local.url, page)
  expect(allowed.stdout).not.toContain('refused')
})
