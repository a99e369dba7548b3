/**
 * Case 33 of docs/internals/threats.md at each place where the command prints words of a peer on a terminal, or in
 * lines of its own: C1 controls, and characters that reorder or hide text.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, retrieveOctets, temporaryFolder } from '../../support/cli/run.ts'

const folder = temporaryFolder()

/** CSI and OSC in one character, NEL, each bidi control, and characters without a width. */
const hostile = [
  '\u009b31m\u009d0;x\u009c\u0085',
  '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c',
  '\u200b\u2060\ufeff\u{e0041}',
].join('')
const controls = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/
/** What servers say: UTF-8, an octet a character. */
const word = `seen${Buffer.from(hostile).toString('latin1')}`

let http: ScriptedHttp
let servers: TestServers<'ftp'>

const head = '<title>Index of /index/</title><h1>Index of /index/</h1>'
const rows = `<a href="../">..</a>\n<a href="seen${encodeURIComponent(hostile)}.txt">${word}</a>\n`
const index = `<html>${head}<pre>${rows}</pre></html>`

const page = (fields: string, body: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`

beforeAll(async () => {
  http = await scriptedHttp(({ target }) => {
    if (target.startsWith('/moved')) return page(`Location: /x${word}\r\n`, '', '302 Found')
    if (target === '/dead' || target.startsWith('/gone')) return page('', word, `404 ${word}`)
    if (target === '/login') return page(`WWW-Authenticate: Basic realm="${word}"\r\n`, word, '401 No')
    if (target === '/index/') return page('Content-Type: text/html\r\n', index)
    if (target === '/links')
      return page('Content-Type: text/html\r\n', `<a href="/gone${word}">${word}</a><a href="seen${word}:x">`)
    if (target === '/mail')
      return page('Content-Type: message/rfc822\r\n', `Subject: ${word}\r\nFrom: ${word}\r\n\r\n${word}\r\n`)
    const disposition = `Content-Disposition: attachment; filename="${word}"\r\n`
    const fields = [`Set-Cookie: a=${word}`, `X-Evil: ${word}`, `ETag: "${word}"`, `Content-Type: text/plain;${word}`]
    return page(`${fields.join('\r\n')}\r\n${disposition}`, word)
  })
  servers = await startServers({ ftp: true })
  servers.ftp.setFaults({ replies: { greeting: `220 ${word}\r\n`, CWD: `550 ${word}\r\n` } })
  mkdirSync(join(folder(), 'tree'))
  writeFileSync(join(folder(), 'tree', `seen${hostile}`), hostile)
  writeFileSync(join(folder(), 'links.html'), `<a href="${http.url}seen${hostile}">`)
  writeFileSync(join(folder(), 'text'), `see ${http.url}seen${hostile} and <URL:${http.url}${hostile}> and`)
})
afterAll(async () => {
  await http[Symbol.asyncDispose]()
  await servers.close()
})

/** What is typed, and the status that it ends with. */
const places: [place: string, line: string, status?: number][] = [
  ['a body', 'HTTP/x'],
  ['the cookies of -c -', '-c - -o x HTTP/x'],
  ['the heads of -i', '-i HTTP/x'],
  ['the head of -I', '-I HTTP/x'],
  ['the heads of -D -', '-D - -o x HTTP/x'],
  ['the heads of -D %', '-D % -o x HTTP/x'],
  ['the trace', '--trace - -o x HTTP/x'],
  ['the trace as text', '--trace-ascii - -o x HTTP/moved'],
  ['the trace on standard error', '--trace-ascii % -o x HTTP/moved'],
  ['-v', '-v -o x HTTP/x'],
  ['-v of a redirect', '-v -L HTTP/moved'],
  ['-w', '-o x -w %header{x-evil}-%{content_type}-%{filename_effective} HTTP/x'],
  ['-w on standard error', '-o x -w %{stderr}%header{x-evil} HTTP/x'],
  ['-w of a redirect', '-o x --max-redirs 0 --no-fail -w %{redirect_url} HTTP/moved'],
  ['-w of an error', '-w %{errormsg} HTTP/dead', 22],
  ['-w as JSON', '-o x -w %{header_json}%{json} HTTP/x'],
  ['an error', 'HTTP/dead', 22],
  ['an error with -v', '-v HTTP/dead', 22],
  ['an error as JSON', '--json HTTP/dead', 22],
  ['an error of FTP', 'FTP/dead/x', 78],
  ['-v of FTP', '-v FTP/readme.txt'],
  ['--json', '--json -OJ --output-dir other --create-dirs HTTP/x'],
  ['-v --json', '-v --json -o x HTTP/x'],
  ['the name of -J', '-OJ HTTP/x'],
  ['a listing', 'ls HTTP/index/'],
  ['a listing as JSON', 'ls --json HTTP/index/'],
  ['a directory', 'ls TREE'],
  ['a page', 'TREE'],
  ['a mirror', 'mirror --dry-run HTTP/index/ copy'],
  ['a mirror with -v', 'mirror -v HTTP/index/ copy'],
  ['links', 'check HTTP/links', 22],
  ['links as JSON', 'check --json HTTP/links', 22],
  ['links that moved', 'check HTTP/moved'],
  ['URLs in a text', 'extract text'],
  ['URLs in a text as JSON', 'extract --json text'],
  ['links of HTML', 'extract --html links.html'],
  ['a message', 'HTTP/mail'],
  ['an explanation', 'explain HTTP/seenHOSTILE gopher://127.0.0.1/0HOSTILE'],
  ['an explanation as JSON', 'explain --json HTTP/seenHOSTILE gopher://127.0.0.1/0HOSTILE'],
  ['several URLs', '--failed failed -o y -o z HTTP/dead HTTP/x', 22],
]

const argsOf = (line: string): string[] =>
  line.split(' ').map((typed) =>
    typed
      .replace('HTTP/', http.url)
      .replace('FTP/', servers.ftp.url)
      .replace('TREE', `file://${join(folder(), 'tree')}/`)
      .replace('HOSTILE', hostile),
  )

test.each(places)('case 33, on a terminal: %s', async (_, line, status = 0) => {
  const outcome = await retrieve(argsOf(line), { cwd: folder(), isTerminal: true })
  const shown = outcome.stdout + outcome.stderr
  expect(outcome.status, shown).toBe(status)
  expect(shown).toContain('seen')
  expect(shown).not.toMatch(controls)
})

test('what goes to a pipe keeps its octets', async () => {
  const cookie = word.slice(0, word.indexOf(';'))
  const lines = { '-c -': `\ta\t${cookie}\n`, '-D -': `X-Evil: ${word}\r\n`, '-w %header{x-evil}': hostile }
  for (const [line, wanted] of Object.entries(lines)) {
    const { stdout } = await retrieveOctets(argsOf(`${line} -o x HTTP/x`), { cwd: folder() })
    expect(stdout.toString(line.startsWith('-w') ? 'utf8' : 'latin1')).toContain(wanted)
  }
})
