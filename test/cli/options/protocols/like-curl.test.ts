/** Command lines for HTTP beside the installed curl: the same octets, files and exit status. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { besideCurl, hasCurl, needsCurl, type Result } from '../../../support/cli/beside-curl.ts'
import { temporaryFolder, useBundle } from '../../../support/cli/run.ts'
import { stride } from '../../../support/runs.ts'

useBundle()
const folder = temporaryFolder()
let base = ''

const octets = '0123456789abcdefghijklmnopqrstuvwxyz'

/** What some servers say of the request: the target, and the fields that are not the program's own. */
function echo({ url, rawHeaders, headers }: IncomingMessage): string {
  const own = /^(?:accept-encoding|connection)$/i
  const names = rawHeaders.filter((name, at) => at % 2 === 0 && !own.test(name)).map((name) => name.toLowerCase())
  // curl sends the newest cookie first, RFC 6265 5.4 the oldest.
  const fields = { ...headers, cookie: headers.cookie?.split('; ').sort().join('; ') }
  return `${url}\n${names.sort()}\n${[fields.host, fields.referer, fields.cookie, headers['x-a']].join('\n')}\n`
}

function ranged(request: IncomingMessage, response: ServerResponse): void {
  const { range } = request.headers
  if (range === undefined) return void response.end(octets)
  const parts = range
    .slice('bytes='.length)
    .split(',')
    .map((part) => {
      const [first = '', last = ''] = part.split('-')
      const from = first === '' ? Math.max(0, octets.length - Number(last)) : Number(first)
      return [
        from,
        first === '' || last === '' ? octets.length - 1 : Math.min(Number(last), octets.length - 1),
      ] as const
    })
  const [[from, to] = [0, 0]] = parts
  const field = (from: number, to: number): string => `bytes ${from}-${to}/${octets.length}`
  if (from >= octets.length) return void response.writeHead(416, { 'Content-Range': 'bytes */36' }).end('bad\n')
  if (parts.length === 1) {
    response.writeHead(206, { 'Content-Range': field(from, to), ETag: '"1"' }).end(octets.slice(from, to + 1))
    return
  }
  response.writeHead(206, { 'Content-Type': 'multipart/byteranges; boundary=x' })
  for (const [from, to] of parts) {
    response.write(`--x\r\nContent-Range: ${field(from, to)}\r\n\r\n${octets.slice(from, to + 1)}\r\n`)
  }
  response.end('--x--\r\n')
}

const setCookies = [
  'session=abc',
  'lasting=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT; Path=/',
  'hidden=x; HttpOnly; Path=/echo; Expires=Wed, 01 Jan 2031 00:00:00 GMT',
  'elsewhere=1; Path=/other',
  'foreign=1; Domain=example.org',
  'suffix=1; Domain=com',
]

const server = createServer((request, response) => {
  const { url = '' } = request
  response.sendDate = false
  if (url.startsWith('/echo')) return void response.end(echo(request))
  if (url === '/ranged') return ranged(request, response)
  if (url === '/set') return void response.writeHead(200, { 'Set-Cookie': setCookies }).end('set\n')
  if (url === '/set-moved') {
    return void response.writeHead(302, { 'Set-Cookie': setCookies, Location: '/echo/there?x#y' }).end('set\n')
  }
  if (url === '/moved') {
    response.writeHead(302, { Location: '/text', 'Set-Cookie': 'a=secret; Path=/' })
    response.end('moved')
  } else if (url === '/missing') {
    response.writeHead(404, { 'Content-Type': 'text/html' })
    response.end('no such thing\n')
  } else if (url === '/text') {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 6 })
    response.end('hello\n')
  } else response.end()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => server.close())

/** Lines as they are typed, with `/path` for a URL of the server. */
const lines: readonly string[] = [
  '-i /moved',
  '-I /moved',
  '-i /missing',
  '-I /missing',
  '-i -o out /moved',
  '-I -o out /moved',
  '-i -O /text',
  '-i -o out -o other /moved /text',
  '-D head -o out /moved',
  '-D head /moved /text',
  '-D - /moved',
  '-D - -o out /moved',
  '-D head /missing',
  '-D head -o out /missing',
  '-D head -I -o out /moved',
  '-D head -i -o out /moved',
  '-D /dev/null /text',
  '--max-redirs 0 /moved',
  '--max-redirs 0 -i /moved',
  '--max-redirs 0 -I /moved',
  '--max-redirs 0 -D head -o out /moved',
  '--fail-with-body /missing',
  '--fail-with-body -o out /missing',
  '--fail-with-body -i -o out /missing',
  '--fail-with-body /text',
  '--fail-with-body --max-redirs 0 /moved',
  '--fail-with-body -O -O /text /missing',
  '--remove-on-error -o out /missing',
  '--remove-on-error -o out /text',
  '-r 0-3 /ranged',
  '-r 30- /ranged',
  '-r 30 /ranged',
  '-r 30-99 /ranged',
  '-r -5 /ranged',
  '-r -99 /ranged',
  '-r 0-1,5-9 /ranged',
  '-r 0-1,5-9 -o out /ranged',
  '-r 0-1,5-9 -i /ranged',
  '-C 5 /ranged',
  '-C 0 /ranged',
  '-C 5 -o out /ranged',
  '-C 10 -o ten /ranged',
  '-C - -o ten /ranged',
  '-H Host:www.example.org /echo',
  '-H Host:www.example.org:81 /echo',
  '-H X-A:1 /echo',
  '-H X-A; /echo',
  '-H Accept: /echo',
  '-H User-Agent: -H Accept: /echo',
  '-H @fields /echo',
  "-A '' /echo",
  "-e '' /echo",
  '-e http://r.example/ /echo',
  "-e ';auto' /set-moved",
  "-e 'http://r.example/;auto' /set-moved",
  "-e 'http://r.example/;auto' /echo",
  '-G /echo',
  '--get -I /text',
  '--url-query a=b /echo',
  "--url-query 'a=two words&more/ü~' /echo?q=1#f",
  '--url-query a /echo',
  '--url-query =only /echo',
  '--url-query +a=%20b /echo',
  '--url-query n@fields /echo',
  '-G --url-query a=1 --url-query b=2 /echo',
  '-G -d a=1 -d b=2 /echo',
  '-d a=%C3%BC -G /echo?z=1#f',
  '-G -d @fields /echo',
  '-G --data-raw @fields /echo',
  '-G -d a=1&b=2& /echo?z=1',
  "-G --data-urlencode 'a=two words&more/ü~' /echo",
  '-G --data-urlencode n@fields /echo',
  '-G --data-urlencode n@fields=x@y /echo',
  "-G -d '' -d a=1 -d '' /echo",
  '-G -I -d a=1 /text',
  '-b a=1 /echo',
  '-b a=1 -b b=2 /echo',
  "-b 'a=1; b=2' -H Cookie:h=1 /echo",
  '-b a=1 /set-moved',
  "-b '' /set-moved",
  "-b '' -b a=1 /set-moved",
  "-b '' /set /echo/x",
  '/set /echo/x',
  '-b none /set /echo',
  '-b cookies /echo',
  '-b cookies /echo/x',
  '-j -b cookies /echo/x',
  '-c jar /set',
  '-c jar /set-moved',
  '-b cookies -c jar /set',
  '-j -b cookies -c cookies /set',
  '-c jar /missing',
  '-b fields -c jar /echo',
  '-G -r 0-1 -D head /ranged',
]

/** The files that are there before. */
const files: Readonly<Record<string, string>> = {
  ten: octets.slice(0, 10),
  fields: 'X-A: from a file\nX-B: 2\n',
  cookies: [
    '# Netscape HTTP Cookie File',
    '',
    '127.0.0.1\tFALSE\t/\tFALSE\t1924992000\tkept\t1',
    '#HttpOnly_127.0.0.1\tFALSE\t/echo\tFALSE\t0\tsession\told',
    '127.0.0.1\tFALSE\t/\tFALSE\t1000\texpired\t1',
    '127.0.0.1\tFALSE\t/echo/x\tFALSE\t0\tdeep\t',
    'www.example.org\tTRUE\t/\tTRUE\t1924992000\tother\t1',
    'broken line',
    '',
  ].join('\n'),
}

/** The words of a line, without the quotes of a shell. */
function wordsOf(line: string): string[] {
  const words = line.match(/'[^']*'|\S+/g) ?? []
  return words.map((word) => word.replaceAll("'", '')).map((word) => (/^\/(?!dev)/.test(word) ? base + word : word))
}

/** A cookie file tells who wrote it. */
function withoutComments({ files, ...result }: Result): Result {
  const jars = Object.entries(files).map(([name, text]) => [name, text.replace(/^# .*\n/gm, '').replace(/^\n/, '')])
  return { ...result, files: Object.fromEntries(jars) }
}

test.skipIf(!hasCurl).each(lines.filter((_, at) => at % stride === 0))(`property 23: %s${needsCurl}`, async (line) => {
  const { ours, theirs } = await besideCurl(folder(), wordsOf(line), files)
  expect(withoutComments(ours)).toEqual(withoutComments(theirs))
})
