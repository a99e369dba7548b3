/** The command as one file, made from the bundle; it is run without Node's folder in PATH, and without a setting. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Outcome, retrieveApart, useBundle } from '../support/cli/run.ts'
import { publicKey, startSftpServer } from '../support/sftp-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const env = { HOME: '/nonexistent', PATH: '/nonexistent' }

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, { env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('the single file', () => {
  useBundle()
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'retriever-executable-'))
    execFileSync(process.execPath, [join(root, 'packages/cli/executable.mjs'), folder], { stdio: 'pipe' })
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  const retrieve = (...args: readonly string[]): Promise<Outcome> => run(join(folder, 'retrieve'), args, env)

  test('comes with the manual page and the licences', () => {
    expect(readdirSync(folder)).toEqual(['LICENSES.txt', 'retrieve', 'retrieve.1'])
    const page = readFileSync(join(folder, 'retrieve.1'), 'utf8')
    expect(page).toBe(readFileSync(join(root, 'packages/cli/dist/retrieve.1'), 'utf8'))
  })

  test.each([[['--version']], [['--help']], [['help', 'all']], [['explain', 'ftp://h/x']]])(
    '%j prints what the bundle prints, and no warning of Node',
    async (args) => {
      expect(await retrieve(...args)).toEqual({ ...(await retrieveApart(args)), stderr: '' })
    },
  )

  test('retrieves by HTTP, FTP and SFTP, whose library is in it', async () => {
    await using servers = await startServers({ http: true, ftp: true })
    await using sftp = await startSftpServer()
    const urls = [servers.http.url, servers.ftp.url].map((url) => `${url}pub/hello.txt`)
    expect(await retrieve(...urls)).toEqual({ status: 0, stdout: 'Hello, world.\n'.repeat(2), stderr: '' })
    const login = ['-u', 'alice:secret', '--hostpubsha256', createHash('sha256').update(publicKey).digest('base64')]
    expect(await retrieve(...login, `${sftp.url}pub/hello.txt`)).toEqual({ status: 0, stdout: 'Hello.\n', stderr: '' })
  })

  test('ends with the exit status of the error', async () => {
    await using servers = await startServers({ http: true })
    const { status, stdout, stderr } = await retrieve(`${servers.http.url}nothing`)
    expect({ status, stdout }).toEqual({ status: 22, stdout: '' })
    expect(stderr).toContain('(404 Not Found)')
  })

  test('shows no password in the list of processes', async () => {
    await using servers = await startServers({ http: { faults: { stall: 'response' } } })
    const { http } = servers
    const child = spawn(join(folder, 'retrieve'), ['-u', 'alice:secret', http.url], { env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect.poll(() => http.requests.length).toBe(1)
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'latin1')).toMatch(/^retrieve\0*$/)
  })

  /** No Docker is needed for its one step that runs. */
  test.runIf(process.getuid?.() === 0)('runs on the files of the Dockerfile alone', async () => {
    const image = join(folder, 'image')
    onTestFinished(() => rmSync(image, { recursive: true }))
    mkdirSync(join(image, 'usr/bin'), { recursive: true })
    copyFileSync(join(folder, 'retrieve'), join(image, 'usr/bin/retrieve'))
    const text = readFileSync(join(root, 'packages/cli/Dockerfile'), 'utf8')
    const [, step = ''] = /^RUN ((?:.*\\\n)*.*)/m.exec(text) ?? []
    execFileSync('sh', ['-c', step.replaceAll('/image', image)], { stdio: 'pipe' })
    await using servers = await startServers({ ftp: true })
    const args = ['--userspec=1000:1000', image, '/usr/bin/retrieve', `${servers.ftp.url}pub/hello.txt`]
    expect(await run('chroot', args, { PATH: process.env.PATH })).toMatchObject({
      stdout: 'Hello, world.\n',
      stderr: '',
    })
  })
})
