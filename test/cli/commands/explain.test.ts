import { startServers } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

test('--json gives one object a line, in order, of the documented shape', async () => {
  const urls = ['ftp://myname@host.dom/%2Fetc/motd', 'gopher://h/7/s%09two%20words', 'nntp://h/g.a/12']
  const { status, stdout, stderr } = await retrieve(['explain', '--json', ...urls])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    '{"url":"ftp://myname@host.dom/%2Fetc/motd","scheme":"ftp","mechanism":"ftp",' +
      '"locator":{"user":"myname","password":null,"host":"host.dom","port":21,"urlPath":"%2Fetc/motd","query":null,"fragment":null},' +
      '"plan":{"mechanism":"ftp","host":"host.dom","port":21,"tls":"none","user":"myname","password":null,"cwd":["/etc"],"name":"motd","typecode":null,' +
      '"wire":["USER myname\\r\\n","PASS <password>\\r\\n","CWD /etc\\r\\n","TYPE I\\r\\n","SIZE motd\\r\\n","MDTM motd\\r\\n","EPSV\\r\\n","RETR motd\\r\\n"]},' +
      '"findings":[{"code":"cleartext-secret","severity":"warning","message":"The password of \\"myname\\" would cross the network unencrypted. Use a scheme with TLS where the server has one.",' +
      '"span":[6,12],"rule":"RFC 1738 6"}]}',
    '{"url":"gopher://h/7/s%09two%20words","scheme":"gopher","mechanism":"gopher",' +
      '"locator":{"user":null,"password":null,"host":"h","port":70,"urlPath":"7/s%09two%20words","query":null,"fragment":null},' +
      '"plan":{"mechanism":"gopher","host":"h","port":70,"tls":"none","gophertype":"7","selector":"/s","search":"two words","gopherPlus":null,' +
      '"wire":["/s\\ttwo words\\r\\n"]},"findings":[]}',
    '{"url":"nntp://h/g.a/12","scheme":"nntp","mechanism":"nntp",' +
      '"locator":{"user":null,"password":null,"host":"h","port":119,"urlPath":"g.a/12","query":null,"fragment":null},' +
      '"plan":{"mechanism":"nntp","host":"h","port":119,"tls":"none","user":null,"password":null,"select":"article","newsgroup":"g.a","articleNumber":12,"messageId":null,' +
      '"wire":["GROUP g.a\\r\\n","ARTICLE 12\\r\\n"]},"findings":[{"code":"server-specific","severity":"notice",' +
      '"message":"The number of the article has a meaning on this server only. To pass it on, name the article by a news URL with its message-id.",' +
      '"span":[9,15],"rule":"RFC 1738 3.7"}]}',
    '',
  ])
})

test('text for people', async () => {
  const { status, stdout } = await retrieve(['explain', 'gopher://h/0/a', 'telnet://h/'])
  expect(status).toBe(0)
  expect(stdout).toBe(`gopher://h/0/a
  is       The Gopher Protocol, with Gopher+ (RFC 4266)
  means    gophertype "0", selector "/a"
  goes to  h, TCP port 70
  sends    /a\\r\\n

telnet://h/
  is       Interactive session over TELNET (RFC 4248)
  goes to  h, TCP port 23
  notice   The URL names a service or an action, so there is no data to retrieve. Open it instead of retrieving it. [no-data-object, RFC 4248]
`)
})

test('all URLs are explained; the exit code is that of the first that means nothing', async () => {
  const { status, stdout, stderr } = await retrieve(['explain', '--json', 'http://h:x/', 'foo:bar', 'http://h/'])
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ url, error }) => [url, error?.code])).toEqual([
    ['http://h:x/', 'malformed-url'],
    ['foo:bar', 'unknown-scheme'],
    ['http://h/', undefined],
  ])
  expect((await retrieve(['explain', 'foo:bar', 'http://h:x/'])).status).toBe(1)
})

test('contacts nobody', async () => {
  await using servers = await startServers()
  const urls = [servers.http, servers.ftp, servers.gopher, servers.nntp, servers.telnet].map(({ url }) => url)
  expect((await retrieve(['explain', ...urls])).status).toBe(0)
  expect(
    [servers.http, servers.ftp, servers.gopher, servers.nntp, servers.telnet].map(({ accepted }) => accepted),
  ).toEqual([0, 0, 0, 0, 0])
})

test('--base resolves references', async () => {
  const { stdout } = await retrieve(['explain', '--json', '--base', 'http://h/a/b', '../c?d'])
  expect(JSON.parse(stdout)).toMatchObject({ url: 'http://h/c?d', plan: { target: '/c?d' } })
})

test('the news server comes from --news-server, else from NNTPSERVER', async () => {
  const env = { NNTPSERVER: 'news.example.net:1119' }
  const fromEnv = await retrieve(['explain', '--json', 'news:a@b'], { env })
  expect(JSON.parse(fromEnv.stdout).plan).toMatchObject({ host: 'news.example.net', port: 1119 })
  const typed = await retrieve(['explain', '--json', '--news-server', 'other', 'news:a@b'], { env })
  expect(JSON.parse(typed.stdout).plan).toMatchObject({ host: 'other', port: 119 })
})

test.each([
  ['<URL:http://h/a>', 'http://h/a'],
  ['<http://h/a>', 'http://h/a'],
  ['URL:http://h/a', 'http://h/a'],
  ['url: http://h/a', 'http://h/a'],
  ['<url: http://h/\n    a/b >', 'http://h/a/b'],
])('%j is unwrapped', async (argument, url) => {
  const { stdout } = await retrieve(['explain', '--json', argument])
  expect(JSON.parse(stdout)).toMatchObject({ url })
})

test.each([
  ' http://h/a ',
  '"http://h/a"',
  "'http://h/a'",
  '“http://h/a”',
  '« http://h/a »',
  '\n<http://h/a>\t',
  '"<URL:http://h/a>"',
  '"h.example/../a"',
])('%j loses the blanks and quotes around it', async (argument) => {
  const { stdout } = await retrieve(['explain', '--json', argument])
  expect(JSON.parse(stdout)).toMatchObject({
    locator: { host: expect.stringMatching(/^h/), urlPath: expect.stringMatching(/a$/) },
  })
})

test.each([
  ['expalin', 'Did you mean the command explain?'],
  ['word', 'Did you mean http://word/ or http://www.word.com/?'],
  ['two words', 'It must begin with a scheme, as in http://www.example.org/.'],
  ['', 'It must begin with a scheme, as in http://www.example.org/.'],
  ['test', 'Did you mean file:///.*/test\\?'],
  ['package.json', 'Did you mean file:///.*/package.json or http://package.json\\?'],
])('%j is not a full URL, and the sentence proposes one', async (argument, advice) => {
  const { status, stdout, stderr } = await retrieve([argument])
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
  const pattern = advice.includes('.*') ? advice : advice.replace(/[?./]/g, '\\$&')
  expect(stderr).toMatch(new RegExp(`^retrieve: .*is not a full URL\\. ${pattern}\\n$`))
})

test('-- ends the options', async () => {
  expect((await retrieve(['explain', '--json', '--', '--json'], { cwd: folder() })).status).toBe(3)
})

test('--guess-type lets the name of a file tell its type', async () => {
  const { stdout } = await retrieve(['explain', '--json', '--guess-type', 'ftp://h/README'])
  expect(JSON.parse(stdout)).toMatchObject({ plan: { typecode: 'a', wire: expect.arrayContaining(['TYPE A\r\n']) } })
})

test('--gateway shows the way through it', async () => {
  const typed = ['--gateway', 'wais=http://gw.example/?u={url}', '--gateway', 'urn:isbn=https://books.example/{name}']
  const { stdout } = await retrieve(['explain', ...typed, 'wais://h/db#x', 'urn:isbn:1'])
  expect(stdout).toContain('through  http://gw.example/?u=wais%3A%2F%2Fh%2Fdb\n  goes to  gw.example, TCP port 80\n')
  expect(stdout).toContain('through  https://books.example/1\n')
})

test.each([
  ['x-foo://:7070=', 'x-foo://h/a/b?q', 'host "h", port 7070, path "a/b", query "q"'],
  ['x-foo://:7070=', 'x-foo://h:7071', 'host "h", port 7071'],
  ['x-foo://=', 'x-foo://h/a', 'host "h", path "a"'],
  ['x-foo:=', 'x-foo:a/b', 'opaque "a/b"'],
  ['X-Foo=', 'x-foo://h/a', 'host "h", path "a"'],
  ['x-foo=', 'x-foo:a', 'opaque "a"'],
])('--gateway %sURL declares the syntax of %s', async (declared, url, means) => {
  const { status, stdout } = await retrieve(['explain', '--gateway', `${declared}http://gw.example/?{url}`, url])
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(`  means    ${means}\n  through`) })
})

test.each([
  ['x-foo://:7070=', 'x-foo:a', 'x-foo needs a host, as in x-foo://host/'],
  ['x-foo:=', 'x-foo://h/a', 'x-foo URLs have no host part'],
])('a URL in another syntax than that of --gateway %sURL is none', async (declared, url, why) => {
  const { status, stdout } = await retrieve(['explain', '--gateway', `${declared}http://gw.example/?{url}`, url])
  expect({ status, stdout }).toEqual({ status: 3, stdout: expect.stringContaining(why) })
})

test.each([
  'wais',
  '=http://h/',
  'wais=',
  'a b=c',
  'wais://:3=http://h/{url}',
  'x-foo://:0=http://h/{url}',
  'x-foo://h=http://h/{url}',
])('--gateway %j is a usage error', async (value) => {
  const { status, stderr } = await retrieve(['explain', '--gateway', value, 'http://h/'])
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('--gateway needs SCHEME=URL or urn:NAME=URL'),
  })
})

test('a template without a variable is named when a URL would go through it', async () => {
  const { status, stdout } = await retrieve(['explain', '--gateway', 'wais=http://h/', 'wais://h/db'])
  expect({ status, stdout }).toEqual({
    status: 2,
    stdout: expect.stringContaining('The gateway in --gateway wais=URL'),
  })
})

test.each(['cid:a@b', 'mid:a@b'])('%s needs a base, and the option for it is named', async (url) => {
  const { stdout } = await retrieve(['explain', url])
  expect(stdout).toContain('  needs    the URL of its message, or of the mailbox with it, by --base FILE-OR-URL\n')
})
