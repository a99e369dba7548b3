/** --key for SSH: in which command lines it needs no certificate. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder } from '../../../support/cli/run.ts'
import { newKey, publicKey, startSftpServer } from '../../../support/sftp-server.ts'

const folder = temporaryFolder()
const key = newKey()
const fingerprint = createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')
let server: Awaited<ReturnType<typeof startSftpServer>>
beforeAll(async () => {
  const parsed = ssh2.utils.parseKey(key)
  if (parsed instanceof Error) throw parsed
  server = await startSftpServer({ clientKey: parsed.getPublicSSH(), methods: ['publickey'] })
  writeFileSync(join(folder(), 'key'), key)
  writeFileSync(join(folder(), 'list'), `${url()}\n`)
})
afterAll(() => server.close())

const url = (): string => `sftp://alice@${server.host}:${server.port}/pub/hello.txt`

test('a URL, and a list that has one', async () => {
  for (const from of [[url()], ['--from', 'list']]) {
    const outcome = await retrieve(['--key', 'key', '--hostpubsha256', fingerprint, ...from], { cwd: folder() })
    expect(outcome).toEqual({ status: 0, stdout: 'Hello.\n', stderr: expect.any(String) })
  }
})
