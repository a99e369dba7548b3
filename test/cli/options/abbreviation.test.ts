import { startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()

const guess = (operand: string, url: string, why: string): string =>
  `retrieve: ${operand}: No scheme given; assuming ${url}${why}.\n`

describe('an operand without a scheme', () => {
  test.each([
    ['www.w3.org/x', 'http://www.w3.org/x', ', since the name begins with "www."'],
    ['ftp.gnu.org/gnu/', 'ftp://ftp.gnu.org/gnu/', ', since the name begins with "ftp."'],
    ['gopher.example.org', 'gopher://gopher.example.org', ', since the name begins with "gopher."'],
    ['news.example.org/comp.lang.c', 'nntp://news.example.org/comp.lang.c', ', since the name begins with "news."'],
    ['no-such-folder/path', 'http://no-such-folder/path', ''],
    ['localhost:8080/x', 'http://localhost:8080/x', ''],
    ['[::1]:8080', 'http://[::1]:8080', ''],
    ['www.bücher.example/x', 'http://www.bücher.example/x', ', since the name begins with "www."'],
  ])('%s is completed, and the guess is told', async (operand, url, why) => {
    const { status, stdout, stderr } = await retrieve(['explain', operand])
    expect({ status, stderr }).toEqual({ status: 0, stderr: guess(operand, url, why) })
    expect(stdout.split('\n')[0]).toBe(url)
  })

  test('with --json the guess is an object on standard error', async () => {
    const { stdout, stderr } = await retrieve(['explain', '--json', 'www.w3.org/x'])
    expect(JSON.parse(stdout)).toMatchObject({ url: 'http://www.w3.org/x' })
    expect(JSON.parse(stderr)).toEqual({
      notice: {
        operand: 'www.w3.org/x',
        message: 'No scheme given; assuming http://www.w3.org/x, since the name begins with "www.".',
      },
    })
  })

  test('is retrieved and listed; -s says nothing', async () => {
    await using servers = await startServers({ http: true, gopher: true })
    const operand = `127.0.0.1:${servers.http.port}/pub/hello.txt`
    const told = guess(operand, `http://${operand}`, '')
    expect(await retrieve([operand])).toEqual({ status: 0, stdout: 'Hello, world.\n', stderr: told })
    expect(await retrieve(['-s', operand])).toEqual({ status: 0, stdout: 'Hello, world.\n', stderr: '' })
    const listed = await retrieve(['ls', '-s', operand])
    expect(listed).toMatchObject({ status: 2, stderr: '' })
  })

  test('is relative where there is a base', async () => {
    const { stdout, stderr } = await retrieve(['explain', '--json', '--base', 'http://h/a/', 'www.w3.org/x'])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ url: 'http://h/a/www.w3.org/x' })
  })

  test.each([
    ['a\x1b[2J.example/x', 3],
    ['foo:bar', 1],
    ['sip:joe@example.com:5060', 1],
    ['./x.y', 3],
  ])('%j is not completed', async (operand, status) => {
    const outcome = await retrieve([operand])
    expect(outcome.status).toBe(status)
    expect(outcome.stderr).not.toContain('assuming')
    expect(outcome.stderr).not.toContain('\x1b')
  })

  test('a mail address is a mail to be written', async () => {
    const { stdout, stderr } = await retrieve(['explain', '--json', 'joe@example.com'])
    expect(JSON.parse(stdout)).toMatchObject({ scheme: 'mailto', plan: { to: ['joe@example.com'] } })
    expect(stderr).toContain('assuming mailto:')
  })
})

describe('a wrapped operand', () => {
  test.each([
    ['<URL:http://h/a>', 'http://h/a'],
    ['<http://h/a b>', 'http://h/ab'],
    [' <ftp://foo.example.\n      com/rfc/> ', 'ftp://foo.example.com/rfc/'],
    ['<http://h/a\n\nb>', 'http://h/ab'],
  ])('%j', async (operand, url) => {
    const { stdout, stderr } = await retrieve(['explain', '--json', operand])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ url })
  })

  test('may be abbreviated: uri(7) has <www.w3.org/Addressing>', async () => {
    const { stdout, stderr } = await retrieve(['explain', '--json', '<www.w3.org/Addressing>'])
    expect(JSON.parse(stdout)).toMatchObject({ url: 'http://www.w3.org/Addressing' })
    expect(JSON.parse(stderr)).toMatchObject({ notice: { operand: 'www.w3.org/Addressing' } })
  })

  test('with a hyphen before a line break says which reading was taken', async () => {
    const { stdout, stderr } = await retrieve(['explain', '--json', '<http://h/a-\n  b>'])
    expect(JSON.parse(stdout)).toMatchObject({ url: 'http://h/a-b' })
    expect(JSON.parse(stderr).notice).toEqual({
      operand: 'http://h/a-b',
      message: 'A hyphen before a line break was kept; without it, the URL is http://h/ab.',
    })
  })
})

describe('the WHATWG parser’s reading', () => {
  test('is told where it differs', async () => {
    const { stdout } = await retrieve(['explain', '--json', 'http://h\\@evil.example/', 'http://h/'])
    const [refused, plain] = stdout.trimEnd().split('\n')
    expect(JSON.parse(refused ?? '').error.message).toMatch(/The WHATWG parser, which browsers use, would contact h\.$/)
    expect(JSON.parse(plain ?? '').findings).toEqual([])
  })

  test('20 ordinary URLs give no warning', async () => {
    const urls = [
      ...[
        'http://www.example.org/',
        'https://www.example.org/a/b?c=d&e=f#g',
        'http://localhost:8080/',
        'http://[::1]/x',
      ],
      ...[
        'https://example.org:8443/',
        'http://EXAMPLE.org/~u/',
        'https://bücher.example/grüße',
        'ftp://ftp.gnu.org/gnu/',
      ],
      ...[
        'ftp://ftp.gnu.org/gnu/README;type=a',
        'ftp://anonymous@ftp.example.org/x',
        'gopher://Gopher.Example.org/1/docs',
      ],
      ...['gopher://h.example/7/find%09two%20words', 'news:comp.lang.c', 'news://news.example.org/comp.lang.c'],
      ...['nntp://news.example.org/comp.lang.c/12', 'telnet://library.example.org/', 'file:///etc/motd'],
      ...['mailto:joe@example.com', 'ldap://ldap.example.net/o=X?sn', 'wais://host.example/bible?ark'],
    ]
    expect(urls).toHaveLength(20)
    const { status, stdout, stderr } = await retrieve(['explain', '--json', ...urls])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const line of stdout.trimEnd().split('\n')) {
      const { url, findings } = JSON.parse(line)
      const warnings = findings.filter(({ severity }: { severity: string }) => severity !== 'notice')
      expect(warnings, url).toEqual([])
    }
  })
})
