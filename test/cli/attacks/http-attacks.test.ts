/**
 * Cases of docs/internals/threats.md, section 1, by number, through the command: what is left on the disk and on the
 * terminal.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { ok, redirectTo } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { victim } from '../../support/wire/victim.ts'

useBundle()
const folder = temporaryFolder()

/** A folder in a folder, so that what climbs out of it is seen. */
function jail(name: string): { readonly dir: string; tree(): string[] } {
  const root = join(folder(), name)
  const dir = join(root, 'inner')
  mkdirSync(dir, { recursive: true })
  return { dir, tree: () => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort() }
}

test('case 10, a redirect to a file of this machine: it is not opened, whatever is allowed', async () => {
  const { dir, tree } = jail('local')
  writeFileSync(join(dir, 'secret.txt'), 'pl4nted')
  for (const location of [`file://${dir}/secret.txt`, `file:${dir}/secret.txt`, `FILE://localhost${dir}/secret.txt`]) {
    await using server = await scriptedHttp(() => redirectTo(location))
    for (const flags of [[], ['--allow-inward', '--allow-downgrade'], ['-O'], ['-o', 'copy']]) {
      const { status, stdout, stderr } = await retrieve([...flags, `${server.url}x`], { cwd: dir })
      expect({ status, stdout }).toEqual({ status: 9, stdout: '' })
      expect(stderr).toMatch(/^retrieve: [^\n]*only http and https[^\n]*\n$/)
      expect(stderr).not.toContain('pl4nted')
    }
  }
  expect(tree()).toEqual(['inner', 'inner/secret.txt'])
})

test('case 11, a redirect to another scheme', async () => {
  await using bystander = await victim()
  await using server = await scriptedHttp(() => redirectTo(`gopher://127.0.0.1:${bystander.port}/1x`))
  const { status, stderr } = await retrieve([server.url])
  expect(status).toBe(9)
  expect(stderr).toContain('gopher:')
  expect(bystander.connections).toBe(0)
})

describe('case 29, property 19: a name that is encoded (CVE-2025-11563)', () => {
  test.each([
    '..%2f..%2f.bashrc',
    '%2e%2e%2f.bashrc',
    'a%5c..%5c..%5cx',
    '%2fetc%2fx',
    '..%252fx',
    '-rf',
    '~',
    '%7cid',
    'a%0ab',
    '%1b]52;c;x',
    'CON',
    'a%3Ab',
    '%e2%80%aegnp.exe',
  ])('-O of %s stays in its folder, under a harmless name', async (name) => {
    const { dir, tree } = jail(`name-${Buffer.from(name).toString('hex')}`)
    await using server = await scriptedHttp(() => ok('x'))
    const { status, stdout, stderr } = await retrieve(['-O', server.url + name], { cwd: dir })
    const files = tree().filter((each) => each !== 'inner')
    expect(stdout).toBe('')
    expect(stderr).not.toMatch(/[\0-\x09\x0B-\x1F\x7F]/)
    if (status === 0) {
      expect(files).toHaveLength(1)
      expect(files[0]).toMatch(/^inner[/][^-~.\\/\p{C}][^\\/\p{C}]*$/u)
      expect(readFileSync(join(dir, '..', files[0] ?? ''), 'utf8')).toBe('x')
    } else expect(files).toEqual([])
  })
})

test('case 30, a redirect does not choose the name, however often (CVE-2016-4971)', async () => {
  const { dir, tree } = jail('redirected')
  await using second = await scriptedHttp(() => ok('x', ['Content-Disposition: attachment; filename=".profile"']))
  await using first = await scriptedHttp(({ index }) =>
    redirectTo(index === 0 ? '/.bashrc' : `${second.url}.bash_profile`),
  )
  expect((await retrieve(['-O', `${first.url}a.tgz`], { cwd: dir })).status).toBe(0)
  expect(tree()).toEqual(['inner', 'inner/a.tgz'])
})

test('case 35, NODE_TLS_REJECT_UNAUTHORIZED=0 is not obeyed; case 49, nor does https lead to http', async () => {
  await using clear = await scriptedHttp(() => ok('x'))
  await using secure = await scriptedHttp(() => redirectTo(clear.url), { tls: true })
  const untrusted = await retrieve([secure.url], { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
  expect(untrusted).toMatchObject({ status: 60, stdout: '' })
  expect(secure.heads).toEqual([])
  const ca = join(folder(), 'ca.pem')
  writeFileSync(ca, testCa)
  const { status, stderr } = await retrieve(['--cacert', ca, secure.url])
  expect(status).toBe(9)
  expect(stderr).toContain('--allow-downgrade')
  expect(clear.sockets).toEqual([])
  expect((await retrieve(['--cacert', ca, '--allow-downgrade', secure.url])).stdout).toBe('x')
})

test('case 47, a token in a query and a login are shown nowhere, whatever the server says', async () => {
  const secret = 's3cr3t-pl4nted'
  const replies = [
    ok('x'),
    'HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n',
    redirectTo(`ftp://u:${secret}@h/?token=${secret}`),
    redirectTo(`http://u:${secret}@[/?sig=${secret}`),
    '220 mail\r\n',
  ]
  for (const reply of replies) {
    await using server = await scriptedHttp(() => ({ octets: reply, end: 'fin' }))
    const url = `${server.url.replace('//', `//u:${secret}@`)}?token=${secret}`
    for (const flags of [['-v'], ['-v', '--json'], ['--json']]) {
      const { stdout, stderr } = await retrieve([...flags, url])
      for (const form of [secret, Buffer.from(`u:${secret}`).toString('base64')]) {
        expect(stdout + stderr).not.toContain(form)
      }
    }
    expect(server.lines[0]).toContain(secret)
  }
})
