import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()
let servers: TestServers<'http' | 'ftp'>
let redirecting: ScriptedHttp
let location = ''

beforeAll(async () => {
  servers = await startServers({ http: true, ftp: true })
  redirecting = await scriptedHttp(() => reply(302, { Location: location }))
  return () => redirecting[Symbol.asyncDispose]()
})
afterAll(() => servers.close())

const hello = { status: 0, stdout: 'Hello, world.\n', stderr: '' }

describe('--proto', () => {
  test.each([
    ['=http', 0, 1],
    ['=https,http', 0, 1],
    ['-all,ftp', 1, 0],
    ['-http', 1, 0],
    ['-ftp', 0, 1],
    ['+http', 0, 0],
    ['=FTP', 1, 0],
    ['-all', 1, 1],
    ['=scp', 1, 1],
    ['=https,scp,+all', 0, 0],
    ['', 0, 0],
  ])('%j: http gives %i, ftp gives %i, as in curl', async (list, http, ftp) => {
    const before = [servers.http.accepted, servers.ftp.accepted]
    for (const [status, url] of [
      [http, servers.http.url],
      [ftp, servers.ftp.url],
    ] as const) {
      const outcome = await retrieve(['--proto', list, `${url}pub/hello.txt`])
      if (status === 0) expect(outcome).toEqual(hello)
      else expect(outcome).toMatchObject({ status, stdout: '', stderr: expect.stringContaining('--proto +') })
    }
    const contacted = [servers.http.accepted, servers.ftp.accepted].map((count, index) => count > (before[index] ?? 0))
    expect(contacted).toEqual([http === 0, ftp === 0])
  })

  test('holds for redirects, too', async () => {
    location = 'https://127.0.0.1:1/'
    expect(await retrieve(['--proto', '=http', redirecting.url])).toMatchObject({ status: 1 })
  })

  test('a name that is no scheme is refused', async () => {
    const outcome = await retrieve(['--proto', '=htpps', servers.http.url])
    expect(outcome).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/"htpps" is none\. Did you mean https\?/),
    })
  })

  test('does not open files to --public-only', async () => {
    const outcome = await retrieve(['--public-only', '--proto', '-ftp', 'file:///etc/hostname'])
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
  })
})

describe('--proto-redir', () => {
  test.each([
    ['=https', 1],
    ['-http', 1],
    ['-all', 1],
    ['-all,http', 0],
    ['+ftp', 0],
  ])('%s: a redirect to http gives %i', async (list, status) => {
    location = `${servers.http.url}pub/hello.txt`
    const outcome = await retrieve(['--proto-redir', list, redirecting.url])
    expect(outcome.status).toBe(status)
    if (status === 1) expect(outcome.stderr).toMatch(/was not followed: --proto-redir \+http would follow it/)
    else expect(outcome).toEqual(hello)
  })

  test('does not hold for URLs that are typed, and follows nothing that is never followed', async () => {
    expect(await retrieve(['--proto-redir', '=https', `${servers.http.url}pub/hello.txt`])).toEqual(hello)
    location = `${servers.ftp.url}pub/hello.txt`
    expect((await retrieve(['--proto-redir', 'all', redirecting.url])).status).toBe(9)
  })
})
