/** The scripts of docs/cookbook, each run as it stands. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bin, type Outcome, temporaryFolder, useBundle } from '../support/cli/run.ts'
import { cookbook } from './cookbook-page.ts'

useBundle()
const folder = temporaryFolder()
const servers = await startServers()
afterAll(() => servers.close())
const hasJq = spawnSync('jq', ['--version']).status === 0
let work = ''

beforeAll(() => {
  mkdirSync(join(folder(), 'bin'))
  symlinkSync(bin, join(folder(), 'bin/retrieve'))
})
beforeEach(({ task }) => {
  servers.reset()
  work = join(folder(), task.id)
  mkdirSync(work)
})

/** Runs a script in an empty folder, with `retrieve` in the path. */
async function run(script: string, ...args: string[]): Promise<Outcome> {
  const env = { ...process.env, PATH: `${folder()}/bin:${process.env.PATH}`, WAIT: '0' }
  const child = spawn('sh', [join(cookbook, script), ...args], { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: Number(status), stdout, stderr }
}

const read = (name: string): string => readFileSync(join(work, name), 'utf8')
const write = (name: string, content: string): void => writeFileSync(join(work, name), content)
const hello = 'Hello, world.\n'

test('verified.sh', async () => {
  const sum = createHash('sha256').update(hello).digest('hex')
  const url = `${servers.http.url}pub/hello.txt`
  expect(await run('verified.sh', url, sum, 'good.txt')).toMatchObject({ status: 0, stderr: '' })
  expect(read('good.txt')).toBe(hello)
  const wrong = await run('verified.sh', url, '0'.repeat(64), 'bad.txt')
  expect(wrong.status).toBeGreaterThan(0)
  expect(wrong.stderr).toContain(sum)
  expect(readdirSync(work)).toEqual(['good.txt'])
})

test('list.sh', async () => {
  const missing = `${servers.http.url}missing.txt`
  write('urls.txt', `${servers.http.url}pub/hello.txt\n${missing}\n${servers.ftp.url}pub/dots.txt\n`)
  expect((await run('list.sh', 'urls.txt', 'here')).status).toBe(22)
  expect(readdirSync(join(work, 'here'))).toEqual(['dots.txt', 'hello.txt'])
  expect(read('failed.txt')).toMatch(new RegExp(`^${missing}$`, 'm'))
  servers.setFiles({ '/missing.txt': 'It has come.' })
  write('again.txt', read('failed.txt'))
  expect(await run('list.sh', 'again.txt', 'here')).toMatchObject({ status: 0 })
  expect(read('here/missing.txt')).toBe('It has come.')
})

test('resume.sh', async () => {
  const content = 'x'.repeat(50_000)
  servers.setFiles({ '/long.txt': content })
  const { ftp } = servers
  ftp.setFaults({ cutAfter: 9000, bodies: 5 })
  expect(await run('resume.sh', `${ftp.url}long.txt`, 'long.txt')).toMatchObject({ status: 0 })
  expect(read('long.txt')).toBe(content)
  const given = await run('resume.sh', `${ftp.url}missing.txt`, 'missing.txt')
  expect(given).toMatchObject({ status: 1, stderr: expect.stringContaining('550') })
})

test('changed.sh', async () => {
  const file = (content: string, day: string): void =>
    servers.setFiles({ '/data.txt': { content, modified: new Date(`2020-01-0${day}`) } })
  const changed = (): Promise<Outcome> => run('changed.sh', `${servers.http.url}data.txt`, 'data.txt', 'cat')
  file('first', '1')
  expect(await changed()).toEqual({ status: 0, stdout: 'first', stderr: '' })
  expect(await changed()).toMatchObject({ status: 0, stdout: '' })
  file('second', '2')
  expect(await changed()).toEqual({ status: 0, stdout: 'second', stderr: '' })
})

test('mirror.sh', async () => {
  const url = `${servers.ftp.url}copy/`
  servers.setFiles({ '/copy/a.txt': 'a', '/copy/sub/b.txt': 'b' })
  expect(await run('mirror.sh', url, 'here')).toEqual({ status: 0, stdout: '', stderr: '' })
  write('here/old.txt', 'old')
  expect(await run('mirror.sh', url, 'here')).toMatchObject({ status: 0, stderr: '' })
  expect(readdirSync(join(work, 'here'))).toEqual(['a.txt', 'sub'])
  expect(read('here/sub/b.txt')).toBe('b')
})

test.runIf(hasJq)('newest.sh', async () => {
  servers.setFiles({
    '/backup/old 1.tar': { content: 'old', modified: new Date('2020-01-01') },
    '/backup/new 2.tar': { content: 'new', modified: new Date('2021-01-01') },
    '/backup/folder/': '',
  })
  expect(await run('newest.sh', `${servers.ftp.url}backup/`)).toMatchObject({ status: 0 })
  expect(readdirSync(work)).toEqual(['new 2.tar'])
})

test('wait.sh', async () => {
  const { http } = servers
  http.route('/health', new Response(null, { status: 503 }))
  http.route('/late', 'ready')
  for (let tries = 0; tries < 2; tries++) http.route('/late', new Response(null, { status: 503 }), { once: true })
  expect(await run('wait.sh', `${http.url}late`, '15')).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(await run('wait.sh', `${http.url}health`, '0')).toMatchObject({
    status: 1,
    stderr: `${http.url}health did not answer within 0 seconds\n`,
  })
})

test('links.sh', async () => {
  const { http, ftp } = servers
  write('page.txt', `See ${http.url}readme.txt, <URL:${ftp.url}pub/missing.txt> and ${http.url}status/503.`)
  const { status, stdout, stderr } = await run('links.sh', 'page.txt')
  expect({ status, stderr }).toEqual({ status: 78, stderr: 'retrieve: 1 of 3 links alive, 2 dead\n' })
  expect(stdout.split('\n').sort()).toEqual([
    '',
    `alive 200 ${http.url}readme.txt`,
    expect.stringMatching(/^dead {2}503 .*status\/503: /),
    expect.stringMatching(/^dead {2}550 .*missing\.txt: /),
  ])
  write('fine.txt', `${ftp.url}readme.txt`)
  expect(await run('links.sh', 'fine.txt')).toMatchObject({ status: 0 })
})

test('report.sh', async () => {
  const { http } = servers
  const { status, stdout } = await run(
    'report.sh',
    `${http.url}pub/hello.txt`,
    `${http.url}missing`,
    'http://127.0.0.1:1/',
  )
  expect(status).toBe(0)
  expect(stdout.replace(/[\d.]+$/gm, 'N').split('\n')).toEqual([
    'url,status,octets,seconds',
    `${http.url}pub/hello.txt,200,14,N`,
    expect.stringMatching(/missing,404,\d+,N$/),
    'http://127.0.0.1:1/,000,0,N',
    '',
  ])
})

test.runIf(hasJq)('news.sh', async () => {
  const { status } = await run('news.sh', `${servers.nntp.url}retriever.test`, '2', 'mailbox')
  expect(status).toBe(0)
  const mailbox = read('mailbox')
  expect(mailbox.match(/^From .*$/gm)).toHaveLength(2)
  expect(mailbox.match(/^Message-ID: .*$/gim)).toHaveLength(2)
  expect(mailbox).not.toContain('\r')
})

test.runIf(hasJq)('untrusted.sh', async () => {
  const fetched = await run('untrusted.sh', `${servers.http.url}readme.txt`, 'file')
  expect(fetched).toMatchObject({ status: 9, stderr: expect.stringContaining('public') })
  expect(await run('untrusted.sh', 'file:///etc/passwd', 'file')).toMatchObject({
    status: 1,
    stderr: 'the scheme file is not allowed\n',
  })
  expect(servers.http.accepted).toBe(0)
  expect(readdirSync(work)).toEqual([])
})

test('servers.sh', async () => {
  write('client', '#!/bin/sh\nexec retrieve -s --retry 0 "$1"\n')
  write('careless', '#!/bin/sh\nretrieve -s --retry 0 "$1" || true\n')
  for (const name of ['client', 'careless']) chmodSync(join(work, name), 0o755)
  expect(await run('servers.sh', './client')).toEqual({
    status: 0,
    stdout: 'both are read\na short body is noticed\n',
    stderr: '',
  })
  expect(await run('servers.sh', './careless')).toMatchObject({
    status: 1,
    stderr: 'a body that ended early went unnoticed\n',
  })
})

test('each script has a test here', () => {
  const own = readFileSync(new URL(import.meta.url), 'utf8')
  expect(readdirSync(cookbook).filter((name) => !own.includes(`('${name}', async`))).toEqual([])
})
