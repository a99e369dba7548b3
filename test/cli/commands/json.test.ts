/** `retrieve --json URL...`: one object a URL, as docs/json.md describes it. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Schema } from '../../../packages/cli/src/results/schema.ts'
import { part, redirectTo, reply } from '../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { breaches } from '../../support/cli/check-schema.ts'
import { messages, results } from '../../support/cli/json-lines.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const content = 'Hello, world.\n'
const sumOf = (text: string, name = 'sha256'): string => createHash(name).update(text).digest('hex')
let servers: TestServers<'http' | 'ftp' | 'gopher'>
let server: ScriptedHttp
let schema: Schema

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true, gopher: true })
  server = await scriptedHttp((asked) => {
    if (asked.target === '/moved') return redirectTo('/x')
    if (asked.target === '/gone') return reply(404, {}, 'no')
    if (asked.target === '/busy') return reply(503, {}, 'no')
    const fields = { ETag: '"a"', 'Content-Type': 'text/plain' }
    return asked.fields.range === undefined ? reply(200, fields, content) : part(asked, content, fields)
  })
  schema = JSON.parse(await readFile(new URL('../../../docs/json-schema/result.json', import.meta.url), 'utf8'))
})
afterAll(async () => {
  await servers.close()
  await server[Symbol.asyncDispose]()
})
afterEach(() => {
  for (const name of readdirSync(folder())) rmSync(join(folder(), name))
})

const run = (...args: string[]) => retrieve(['--retry', '0', ...args], { cwd: folder() })
const left = (): string[] => readdirSync(folder()).sort()
const read = (name: string): string => readFileSync(join(folder(), name), 'utf8')

describe('one object a URL', () => {
  test('has what is known of a file, on standard output', async () => {
    const url = `${servers.http.url}pub/hello.txt`
    const { status, stdout, stderr } = await run('--json', '--sha256', '-O', url)
    expect([status, stderr, stdout.split('\n').length]).toEqual([0, '', 2])
    const [result] = results(stdout)
    expect(result).toMatchObject({
      url,
      finalUrl: url,
      outcome: 'retrieved',
      exit: 0,
      status: 200,
      mediaType: 'text/plain',
      size: 14,
      modified: '2001-02-03T04:05:06.000Z',
      sha256: sumOf(content),
      seconds: expect.any(Number),
      file: 'hello.txt',
      redirects: [],
      tls: null,
      findings: [{ code: 'non-default-port', severity: 'notice' }],
      error: null,
    })
  })

  test('goes to standard error where the body goes to standard output', async () => {
    const { stdout, stderr } = await run('--json', server.url)
    expect(stdout).toBe(content)
    expect(results(stderr)).toMatchObject([{ url: server.url, file: null, sha256: null, size: content.length }])
    const two = await run('--json', '-o', 'x', server.url, '-o', '-', `${server.url}other`)
    expect(two.stdout.endsWith(content)).toBe(true)
    expect(results(two.stderr)).toMatchObject([{ url: `${server.url}other` }])
  })

  test('tells 404 and 503 apart, and the others come all the same', async () => {
    const names = ['gone', 'busy', 'x', 'moved']
    const urls = names.flatMap((name) => ['-o', '/dev/null', `${server.url}${name}`])
    const { status, stdout, stderr } = await run('--json', ...urls)
    expect(status).toBe(22)
    expect(results(stdout)).toMatchObject([
      { outcome: 'failed', exit: 22, status: 404, size: null, error: { code: 'not-found', exit: 22, status: 404 } },
      { outcome: 'failed', exit: 22, status: 503, error: { code: 'http-error', exit: 22 } },
      { outcome: 'retrieved', exit: 0, status: 200, finalUrl: `${server.url}x`, redirects: [] },
      { finalUrl: `${server.url}x`, redirects: [{ url: `${server.url}moved`, location: '/x' }] },
    ])
    expect(messages(stderr)).toMatchObject([{ error: { status: 404 } }, { error: { status: 503 } }])
  })

  test('shows no secret', async () => {
    const { stdout } = await run('--json', '-o', 'x', server.url.replace('://', '://me:s3cr3t@'))
    expect(results(stdout)).toHaveLength(1)
    expect(stdout).not.toContain('s3cr3t')
  })

  test('fits the schema, whatever comes of the URL', async () => {
    const urls = [
      ...['pub/hello.txt', 'missing', 'pub/'].flatMap((path) => [servers.http.url + path, servers.ftp.url + path]),
      `${servers.gopher.url}0/about.txt`,
      `${server.url}moved`,
      'foo:bar',
      'http://',
      'http://127.0.0.1:1/',
      'telnet://127.0.0.1/',
      'data:,hello',
    ]
    const args = urls.flatMap((url) => ['-o', 'x', url])
    const all = [
      ...results((await run('--json', '--sha256', ...args)).stdout),
      ...results((await run('--json', '-z', '2030-01-01', '-o', 'x', `${servers.http.url}pub/hello.txt`)).stdout),
      ...results((await run('--json', '-I', server.url)).stderr),
    ]
    expect(all).toHaveLength(urls.length + 2)
    expect(all.flatMap((each) => breaches(schema, each).map((breach) => `${each.url}: ${breach}`))).toEqual([])
    // The check itself can fail.
    expect(breaches(schema, { ...all[0], size: '14', more: 1 })).toEqual([
      'result.size is of type string',
      'result.more is not in the schema',
    ])
  })
})

describe('--sha256 without --json', () => {
  test('gives the line of sha256sum, beside the body on standard error', async () => {
    expect(await run('--sha256', '-o', 'a b', server.url)).toMatchObject({ stdout: `${sumOf(content)}  a b\n` })
    const shown = await run('--sha256', server.url)
    expect(shown).toMatchObject({ stdout: content, stderr: `${sumOf(content)}  -\n` })
  })

  test('counts what -C - finds on disk', async () => {
    writeFileSync(join(folder(), 'x'), content.slice(0, 5))
    const { status, stdout } = await run('--sha256', '-C', '-', '-o', 'x', server.url)
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${sumOf(content)}  x\n` })
    expect(read('x')).toBe(content)
  })
})

describe('--checksum', () => {
  const good = `sha256:${sumOf(content)}`
  const bad = `sha256:${sumOf('other')}`

  test('lets the right file pass', async () => {
    expect(await run('--checksum', good, '-o', 'x', server.url)).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(left()).toEqual(['x'])
    expect((await run('--checksum', `SHA-512=${sumOf(content, 'sha512')}`, '-o', 'x', server.url)).status).toBe(0)
  })

  test.each(['sha1', 'md5'])('warns of %s', async (name) => {
    const { status, stderr } = await run('--checksum', `${name}:${sumOf(content, name)}`, '-o', 'x', server.url)
    expect(status).toBe(0)
    expect(stderr).toMatch(new RegExp(`^retrieve: warning: --checksum by ${name} finds damage, but no forgery`))
  })

  test('leaves nothing of a wrong one, and names both sums', async () => {
    writeFileSync(join(folder(), 'x'), 'old')
    const { status, stderr } = await run('--checksum', bad, '-o', 'x', server.url)
    expect(status).toBe(32)
    expect(stderr).toContain(`its sha256 is ${sumOf(content)}, but should be ${sumOf('other')}.`)
    expect(stderr).not.toContain('keeps')
    expect([left(), read('x')]).toEqual([['x'], 'old'])
    const { stdout } = await run('--json', '--checksum', bad, '-o', 'y', server.url)
    expect(results(stdout)).toMatchObject([
      { outcome: 'failed', exit: 32, file: null, error: { code: 'checksum-failed' } },
    ])
    expect(left()).toEqual(['x'])
  })

  test('takes back what -C - appended', async () => {
    writeFileSync(join(folder(), 'x'), content.slice(0, 5))
    expect((await run('--checksum', bad, '-C', '-', '-o', 'x', server.url)).status).toBe(32)
    expect(read('x')).toBe(content.slice(0, 5))
    expect((await run('--checksum', good, '-C', '-', '-o', 'x', server.url)).status).toBe(0)
    expect(read('x')).toBe(content)
  })

  test('of a body on standard output is known at its end', async () => {
    const { status, stdout, stderr } = await run('--checksum', bad, server.url)
    expect({ status, stdout }).toEqual({ status: 32, stdout: content })
    expect(stderr).toContain('do not use it')
    expect((await run('--checksum', good, server.url)).status).toBe(0)
  })

  test('comes from a list, by the name of the file or of the URL', async () => {
    const list = `${sumOf('other')}  other\n${sumOf(content)} *dir/x\nSHA256 (y) = ${sumOf(content)}\n\\${sumOf(content)}  a\\\\b\n`
    writeFileSync(join(folder(), 'SUMS'), list)
    expect((await run('--checksum', '@SUMS', '-o', 'x', server.url)).status).toBe(0)
    expect((await run('--checksum', '@SUMS', '-o', 'z', `${server.url}y`)).status).toBe(0)
    expect((await run('--checksum', '@SUMS', '-o', 'a\\b', server.url)).status).toBe(0)
    expect((await run('--checksum', '@SUMS', '-o', 'other', server.url)).status).toBe(32)
    expect((await run('--checksum', '@SUMS', '-O', `${server.url}a`, '-O', `${server.url}b`)).status).toBe(2)
    expect(left()).toEqual(['SUMS', 'a\\b', 'x', 'z'])
  })

  test.each([
    [['--checksum', 'abc'], 2, 'needs sha256:HEX'],
    [['--checksum', `md5:${sumOf('')}`], 2, 'needs sha256:HEX'],
    [['--checksum', good, '--checksum', good], 2, '1 URL and 2 of --checksum'],
    [['--checksum', good, '-r', '0-3'], 2, 'leave --range out'],
    [['--sha256', '-I'], 2, 'leave --head out'],
    [['--sha256', '-C', '3'], 2, 'leave -C out'],
    [['--checksum', '@none'], 37, 'cannot be read: there is no such file'],
  ])('%j is refused', async (args, status, why) => {
    server.asked.splice(0)
    const outcome = await run(...args, server.url)
    expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(why) })
    expect(server.asked).toEqual([])
  })
})
