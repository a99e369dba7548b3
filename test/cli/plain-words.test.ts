/** The command's words when it fails: flags and plain English, no names of the library. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder } from '../support/cli/run.ts'

const folder = temporaryFolder()
let servers: TestServers<'http' | 'ftp' | 'gopher' | 'nntp' | 'ldap'>

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true, gopher: true, nntp: true, ldap: true })
  writeFileSync(join(folder(), 'file'), 'text')
})
afterAll(() => servers.close())

/** Names such as `maxSize`, and classes of the library. */
const libraryNames = /(?<![\w/%"'])[a-z]+[A-Z]\w*|RetrievalError|AbortSignal|(?<!no-)fetcher|\bundefined\b|\[object /

/** The result of an LDAP server, as RFC 4511 names it, and what would be sent. */
const others = /noSuchObject|^ {2}sends .*/gm

const lines: readonly string[] = [
  '',
  '-o',
  '--nonsense',
  '-m x URL',
  '-m 0 URL',
  '--max-filesize 1 HTTP/big',
  '--max-filesize x HTTP/',
  '-r x HTTP/',
  '-r 9-1 HTTP/',
  '-C x HTTP/',
  '-z never HTTP/',
  '--retry x HTTP/',
  '--limit-rate x HTTP/',
  '--speed-limit x HTTP/',
  '--connect-timeout x HTTP/',
  '--max-redirs x HTTP/',
  '--resolve x HTTP/',
  '--connect-to x:y HTTP/',
  '--local-port x HTTP/',
  '--proxy nonsense://x HTTP/',
  '--proxy http://localhost:1/ HTTP/',
  '--cacert none https://localhost:1/',
  '--cert none https://localhost:1/',
  '--ciphers nonsense https://localhost:1/',
  '--curves nonsense https://localhost:1/',
  '--tls13-ciphers nonsense https://localhost:1/',
  '--pinnedpubkey nonsense https://localhost:1/',
  '--proxy-pinnedpubkey nonsense https://localhost:1/',
  '--hostpubsha256 nonsense sftp://localhost/',
  '--key none sftp://localhost/',
  '--allow nonsense HTTP/',
  '--allow-port x HTTP/',
  '--allow-address x HTTP/',
  '--public-only HTTP/',
  '--proto nonsense HTTP/',
  '--proto-redir nonsense HTTP/',
  '--proto =ftp HTTP/',
  '--gateway x HTTP/',
  '--gateway wais=x wais://localhost/x',
  '-H nonsense: HTTP/',
  '-H "a HTTP/',
  '--accept text FTP/',
  '--form a=b HTTP/',
  '--form a GOPHER/',
  '--charset nonsense HTTP/',
  '--limit x FTP/',
  '--limit 5 HTTP/',
  '--nfs-uid x nfs://localhost/x',
  '--checksum x HTTP/',
  '--checksum md5:00 HTTP/',
  '--etag-compare . HTTP/',
  '-u a: HTTP/none',
  '-u nobody:x FTP/',
  '-I GOPHER/',
  '-I FTP/none',
  '-z 2001-01-01 GOPHER/0/x',
  '-r 0-1 GOPHER/0/readme.txt',
  '-C - -o x HTTP/none',
  'HTTP/none',
  'FTP/none/',
  'FTP/none',
  'GOPHER/0/none',
  'NNTP/none.none',
  'NNTP/none.none/1',
  'news:x@y',
  'news:none.none',
  'LDAP/cn=none',
  'LDAP/?bad?x',
  'file:///none',
  'file:///dev/zero',
  'file://elsewhere/x',
  'xri://x',
  'http://',
  'http://[',
  'http://localhost:99999/',
  'http://localhost:25/',
  'gopher://localhost:25/1x',
  'http://a%00b/',
  'ftp://localhost/%0d%0aX',
  'telnet://localhost:1/',
  'irc://localhost/x',
  'mailto:a%0d%0ab',
  'cid:x',
  'mid:x@y',
  'man:none-none',
  'man:-x',
  'data:',
  'data:,%zz',
  'urn:x',
  'urn:isbn:1',
  'wais://localhost/',
  'z39.50r://localhost/x',
  'ws://localhost:1/',
  'mqtt://localhost:1/#',
  'tftp://localhost/',
  'imap://localhost:1/x',
  'pop://localhost:1/',
  'prospero://localhost:1/',
  'nfs://localhost:1/x',
  'rtsp://localhost:1/',
  'dict://localhost:1/x',
  'finger://localhost:1/x',
  'gemini://localhost:1/',
  'tn3270://localhost:1/',
  'sftp://localhost:1/x',
  'ldap://localhost:1/',
  'https://localhost:1/',
  'ftps://localhost:1/',
  'explain',
  'explain xri:x irc://localhost/ telnet://localhost/ http://a:b@c.example/',
  'ls',
  'ls HTTP/',
  'ls FTP/none/',
  'ls file:///none',
  'mirror',
  'mirror HTTP/ file',
  'mirror --jobs 99 FTP/ tree',
  'mirror GOPHER/0/none tree',
  'mirror --include-path [ FTP/ tree',
  'check',
  'check none',
  'check HTTP/none',
  'extract none',
  'open',
  'open 99',
  'serve --http-port x',
  'serve nonsense',
  'serve none',
  'completions none',
  'help nonsense',
  '--config none',
  '--from none',
  '--part 1 HTTP/',
  '--attachments HTTP/',
  '-O HTTP/',
  '-o . HTTP/',
  '-o none/x HTTP/',
  '-J HTTP/',
  '-D . HTTP/',
  '--trace . HTTP/',
  '-w %{nonsense} HTTP/',
  '--variable x',
]

test.each(lines)('retrieve %s', async (line) => {
  const { http, ftp, gopher, nntp, ldap } = servers
  const urls = { HTTP: http.url, FTP: ftp.url, GOPHER: gopher.url, NNTP: nntp.url, LDAP: ldap.url }
  const args = line
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.replace(/^(HTTP|FTP|GOPHER|NNTP|LDAP)\//, (_, name: keyof typeof urls) => urls[name]))
  const { stdout, stderr } = await retrieve(args, { cwd: folder() })
  const said = line.startsWith('explain') || line.startsWith('check') ? stdout + stderr : stderr
  // The random name of the folder may look like a name of the library.
  expect(said.replaceAll(folder(), '').replace(others, '')).not.toMatch(libraryNames)
  expect(said).not.toContain('This is a defect')
})
