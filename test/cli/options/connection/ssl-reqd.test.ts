import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFtpServer, testCa } from '@retriever/servers'
import { beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let ca: string

beforeAll(() => {
  ca = join(folder(), 'ca.pem')
  writeFileSync(ca, testCa)
})

test('explain shows what would be sent, and no warning of a password in the clear', async () => {
  const { status, stdout } = await retrieve(['explain', '--ssl-reqd', 'ftp://alice@h/x'])
  expect(status).toBe(0)
  expect(stdout).toContain('  goes to  h, TCP port 21, TLS by command\n  sends    AUTH TLS\\r\\n\n')
  expect(stdout).not.toContain('cleartext-secret')
  expect((await retrieve(['explain', 'ftp://alice@h/x'])).stdout).toContain('cleartext-secret')
})

test.each([['ftp:', ['--ssl-reqd']] as const, ['ftpes:', []] as const])(
  'a file by %s comes over TLS, and so does a listing, whose entries lead on by the same scheme',
  async (scheme, options) => {
    await using ftp = await startFtpServer({ tls: 'explicit' })
    const url = ftp.url.replace('ftp:', scheme)
    const args = [...options, '--cacert', ca]
    const file = await retrieve([...args, `${url}etc/motd`])
    expect(file).toEqual({ status: 0, stdout: 'Welcome to the test server.\n', stderr: '' })
    expect(ftp.received.slice(0, 4)).toEqual(['AUTH TLS', 'PBSZ 0', 'PROT P', 'USER anonymous'])
    const { status, stdout } = await retrieve(['ls', '--json', ...args, `${url}etc/`])
    expect(status).toBe(0)
    expect(stdout).toContain(`"url":"${url}etc/motd"`)
  },
)

test('a server without it is told no user, and the exit status is that of TLS', async () => {
  await using ftp = await startFtpServer()
  const { status, stdout, stderr } = await retrieve(['--ssl-reqd', '-u', 'alice:secret', `${ftp.url}etc/motd`])
  expect({ status, stdout }).toEqual({ status: 35, stdout: '' })
  expect(stderr).toMatch(/^retrieve: .*AUTH TLS.*\n$/)
  expect(ftp.received[0]).toBe('AUTH TLS')
  expect(ftp.received.join()).not.toMatch(/USER|PASS|alice/)
})
