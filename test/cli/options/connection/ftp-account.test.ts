import { startFtpServer, type TestServer } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../../support/cli/run.ts'

useBundle()
let ftp: TestServer

beforeAll(async () => {
  ftp = await startFtpServer()
})
afterAll(() => ftp.close())

const motd = 'Welcome to the test server.\n'
const url = (): string => `${ftp.url.replace('//', '//bob:secret@')}etc/motd`

test.each([[], ['-v'], ['-v', '--json']])(
  '--ftp-account is what a server gets that wants one, and nobody else: %s',
  async (...flags) => {
    const before = ftp.received.length
    const { status, stdout, stderr } = await retrieve([...flags, '--ftp-account', 's4les', url()])
    expect({ status, stdout }).toEqual({ status: 0, stdout: motd })
    expect(stderr).not.toContain('s4les')
    expect(ftp.received.slice(before)).toContain('ACCT s4les')
  },
)

test('a server that wants none gets none', async () => {
  const before = ftp.received.length
  expect((await retrieve(['--ftp-account', 's4les', `${ftp.url}etc/motd`])).status).toBe(0)
  expect(ftp.received.slice(before).join()).not.toContain('s4les')
})

test('without it, and without a terminal, the login fails', async () => {
  const { status, stderr } = await retrieve([url()])
  expect(status).toBe(67)
  expect(stderr).toMatch(/^retrieve: [^\n]*account[^\n]*\n$/)
})
