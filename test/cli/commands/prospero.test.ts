import { join } from 'node:path'
import { startFtpServer, startGopherServer, startProsperoServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { retrieve, retrieveApart, temporaryFolder, useBundle } from '../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()

interface Line {
  readonly name: string
  readonly url: string | null
}

test('the walk from a directory to the file that it points at', async () => {
  await using ftp = await startFtpServer()
  await using gopher = await startGopherServer()
  await using server = await startProsperoServer({ ftpPort: ftp.port, gopherPort: gopher.port })
  const list = async (url: string): Promise<Line[]> => {
    const { status, stdout } = await retrieve(['ls', '--json', url])
    expect(status).toBe(0)
    return stdout
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line))
  }
  const links = await list(`${server.url}/links`)
  // A link of another protocol has the URL of the data itself.
  const external = links.find(({ name }) => name === 'ext.txt')?.url ?? ''
  expect(await retrieve([external])).toMatchObject({ status: 0, stdout: 'Hello, world.\n' })
  // A file of the server.
  const plain = links.find(({ name }) => name === 'plain')?.url ?? ''
  expect(await retrieve([plain])).toMatchObject({ status: 0, stdout: 'hello from prospero\n' })
  // An object that others have: its access methods, each with its URL.
  const virtual = links.find(({ name }) => name === 'virtual')?.url ?? ''
  const methods = await list(virtual)
  expect(methods.map(({ name }) => name)).toEqual(['GOPHER', 'AFTP'])
  for (const { url } of methods) {
    const { status, stdout } = await retrieve([url ?? ''])
    // The lines of a Gopher text end with CR LF.
    expect([status, stdout.replace('\r', '')]).toEqual([0, 'Hello, world.\n'])
  }
  // One option goes there at once, by FTP.
  const before = ftp.received.length
  expect(await retrieve(['--follow-access', virtual])).toEqual({ status: 0, stdout: 'Hello, world.\n', stderr: '' })
  expect(ftp.received.slice(before)).toContain('RETR hello.txt')
})

test('--follow-access goes nowhere local, and nowhere that --proto-redir leaves out', async () => {
  await using server = await startProsperoServer()
  const local = await retrieve(['--follow-access', `${server.url}/objects/local`])
  expect(local.status).not.toBe(0)
  expect(local.stdout).toBe('')
  expect(local.stderr).toContain("no URL leads to the data by the server's access methods (LOCAL)")
  const limited = await retrieve(['--proto-redir', '=https', '--follow-access', `${server.url}/objects/virtual`])
  expect(limited.stderr).toContain('was not followed: --proto-redir')
  const service = await retrieve(['--follow-access', `${server.url}/objects/telnet`])
  expect(service.status).not.toBe(0)
  expect(service.stderr).toContain('telnet')
})

test('an entry of a listing is opened by its number', async () => {
  await using server = await startProsperoServer()
  const state = { cwd: folder(), env: { XDG_STATE_HOME: join(folder(), 'state') } }
  const { stdout } = await retrieve(['ls', `${server.url}/links`], state)
  expect(stdout).toMatch(/^ +2 {2}file +20 B +- +plain +prospero:/m)
  expect(await retrieve(['open', '2'], state)).toMatchObject({ status: 0, stdout: 'hello from prospero\n', stderr: '' })
})

test('serve starts the server, and explain reads the packet', async () => {
  const served = await retrieveApart(['serve', 'prospero', '--', 'printenv', 'RETRIEVE_PROSPERO_URL'])
  expect(served).toMatchObject({ status: 0, stdout: expect.stringMatching(/^prospero:\/\/127\.0\.0\.1:\d+\/\n$/) })
  const { stdout } = await retrieve(['explain', 'prospero://h//pros/name'])
  expect(stdout).toContain('GET-OBJECT-INFO ACCESS-METHOD+BASE-TYPE+SIZE+LAST-MODIFIED ASCII /pros/name 0\\n\n')
  expect(stdout).toMatch(/^ {2}reads {4}09 \(octets of the header\), <id>/m)
})
