/** -b and -c: what a server may put into the jar. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reply } from '../../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

/** The rows of a jar after answers that set these cookies, for which it was empty before. */
async function rowsOf(setCookies: readonly string[], before = ''): Promise<string[]> {
  await using server = await scriptedHttp(() => {
    return `HTTP/1.1 200 OK\r\n${setCookies.map((text) => `Set-Cookie: ${text}\r\n`).join('')}Content-Length: 0\r\n\r\n`
  })
  writeFileSync(join(folder(), 'new'), before)
  expect((await retrieve(['-b', 'new', '-c', 'new', server.url], { cwd: folder() })).status).toBe(0)
  const lines = readFileSync(join(folder(), 'new'), 'latin1').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('# '))
}

/** The rows of the jar after an answer over http that sets a cookie. */
async function rowsAfter(setCookie: string, host: string): Promise<string[]> {
  await using server = await scriptedHttp(() => reply(200, { 'Set-Cookie': setCookie }, ''))
  const { port } = new URL(server.url)
  writeFileSync(join(folder(), 'jar'), `${host}\tFALSE\t/\tTRUE\t0\tsid\tgood\n`)
  const resolved = ['--resolve', `www.example.org:${port}:127.0.0.1`]
  const args = ['-b', 'jar', '-c', 'jar', ...resolved, `http://${host}:${port}/`]
  expect((await retrieve(args, { cwd: folder() })).status).toBe(0)
  const lines = readFileSync(join(folder(), 'jar'), 'latin1').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('# '))
}

test('without TLS, no cookie takes the place of a secure one', async () => {
  const secure = 'www.example.org\tFALSE\t/\tTRUE\t0\tsid\tgood'
  expect(await rowsAfter('sid=forged', 'www.example.org')).toEqual([secure])
  expect(await rowsAfter('sid=forged; Path=/deeper', 'www.example.org')).toEqual([secure])
  const others = await rowsAfter('other=1', 'www.example.org')
  expect(others).toEqual(['www.example.org\tFALSE\t/\tFALSE\t0\tother\t1', secure])
  // This machine itself counts as secure, as in curl.
  expect(await rowsAfter('sid=new', '127.0.0.1')).toEqual(['127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tnew'])
})

test('a path with a TAB makes no columns in the jar', async () => {
  const rows = await rowsAfter('a=1; path=/x\tTRUE\t99\tforged\tv', '127.0.0.1')
  expect(rows).toEqual(['127.0.0.1\tFALSE\t/\tTRUE\t0\tsid\tgood'])
})

test.each(['', '.', '#HttpOnly_', 'a b', '[', '%'])(
  'a row of a file with the domain %j is passed over',
  async (domain) => {
    const rest = 'FALSE\t/\tFALSE\t0\ta\t1\n'
    expect(await rowsOf([], `${domain}\t${rest}good.example\t${rest}`)).toEqual([`good.example\t${rest.trim()}`])
  },
)

test('`true` in any case marks a row for subdomains, and one for TLS alone', async () => {
  const rows = await rowsOf([], '.a.example\ttrue\t/\tFALSE\t0\ta\t1\nb.example\tfalse\t/\tTrue\t0\tb\t2\n')
  expect(rows).toEqual(['b.example\tFALSE\t/\tTRUE\t0\tb\t2', '.a.example\tTRUE\t/\tFALSE\t0\ta\t1'])
})

test('a cookie with neither name nor value is none', async () => {
  expect(await rowsOf(['=', ' = ; Path=/', '=v'], '::1\tFALSE\t/\tFALSE\t0\t\t\n')).toEqual([
    '127.0.0.1\tFALSE\t/\tFALSE\t0\t\tv',
  ])
})

test.each(['::1', '[::1]'])('cookies of %s are read again', async (domain) => {
  expect(await rowsOf([], `${domain}\tFALSE\t/\tFALSE\t0\ta\t1\n`)).toEqual(['::1\tFALSE\t/\tFALSE\t0\ta\t1'])
})

test.each(['Max-Age=0', 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
  'a cookie that a server ends by %s is not in the file, where it would begin anew',
  async (end) => {
    const rest = 'FALSE\t/\tFALSE\t0'
    const rows = await rowsOf([`a=gone; Path=/; ${end}`, 'b=new'], `127.0.0.1\t${rest}\ta\told\n`)
    expect(rows).toEqual([`127.0.0.1\t${rest}\tb\tnew`])
  },
)

test('-j reads no cookies of a session, but those with Max-Age', async () => {
  await using server = await scriptedHttp(() => reply(200, {}, ''))
  writeFileSync(join(folder(), 'head'), 'Set-Cookie: a=1\nSet-Cookie: b=2; Max-Age=100\n')
  expect((await retrieve(['-j', '-b', 'head', server.url], { cwd: folder() })).status).toBe(0)
  expect(server.asked.at(-1)?.fields.cookie).toBe('b=2')
})

describe('the limits of RFC 6265bis', () => {
  const last = (row: string): string => row.split('\t')[5] ?? ''

  test('name and value have 4,096 octets at most', async () => {
    const rows = await rowsOf([`a=${'x'.repeat(4095)}`, `b=${'x'.repeat(4096)}`])
    expect(rows.map(last)).toEqual(['a'])
  })

  test('an attribute of more than 1,024 octets is ignored', async () => {
    const [row = ''] = await rowsOf([`a=1; Path=/${'x'.repeat(1024)}; Max-Age=${'9'.repeat(1025)}`])
    expect(row.split('\t').slice(2)).toEqual(['/', 'FALSE', '0', 'a', '1'])
  })

  test('a domain keeps 50 cookies, the newest', async () => {
    const rows = await rowsOf(Array.from({ length: 60 }, (_, index) => `c${index}=1`))
    expect(rows.map(last)).toEqual(Array.from({ length: 50 }, (_, index) => `c${59 - index}`))
  })

  test('of a file, too, and 3,000 of all domains', async () => {
    const rowsFor = (host: string, count: number): string =>
      Array.from({ length: count }, (_, index) => `${host}\tFALSE\t/\tFALSE\t0\tc${index}\t1\n`).join('')
    const long = `long.example\tFALSE\t/\tFALSE\t0\tlong\t${'x'.repeat(4094)}\n`
    const many = Array.from({ length: 62 }, (_, index) => rowsFor(`h${index}.example`, 60)).join('')
    const rows = await rowsOf(['new=1'], long + many)
    expect(rows).toHaveLength(3000)
    expect(last(rows[0] ?? '')).toBe('new')
    expect(rows.filter((row) => row.startsWith('h61.example\t'))).toHaveLength(50)
    expect(rows.some((row) => row.startsWith('long.'))).toBe(false)
  })
})
