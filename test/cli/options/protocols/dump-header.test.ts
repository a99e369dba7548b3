/** -D and -i where curl cannot be asked: logins, retries, FTP's replies, secrets. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers.close())

test('the replies of FTP, that after the body too', async () => {
  const { status, stdout } = await retrieve(['-s', '-D', 'replies', `${servers.ftp.url}readme.txt`], { cwd: folder() })
  const replies = readFileSync(join(folder(), 'replies'), 'latin1')
  expect(status).toBe(0)
  expect(replies.match(/^\d{3}(?= )/gm)).toEqual(expect.arrayContaining(['220', '331', '230', '150']))
  expect(replies).toMatch(/\r\n226 [^\r]*\r\n$/)
  expect(stdout).not.toContain('220 ')
})

test('-i of FTP and of a file has no replies before the body', async () => {
  const url = `${servers.ftp.url}readme.txt`
  expect((await retrieve(['-s', '-i', url])).stdout).toBe((await retrieve(['-s', url])).stdout)
  expect((await retrieve(['-s', '-i', `${servers.ftp.url}none`])).stdout).toBe('')
})

test('a 401 that asked for the login is left out, and a cookie is not in what -v shows', async () => {
  const server = createServer(({ headers }, response) => {
    const isIn = headers.authorization !== undefined
    if (isIn) response.writeHead(200, { 'Set-Cookie': 'session=s3cr3t' })
    else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' })
    response.end('ok')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const args = ['-v', '-i', '-D', 'head', '-u', 'alice:secret', `http://127.0.0.1:${port}/`]
  const { status, stdout, stderr } = await retrieve(args, { cwd: folder() })
  server.close()
  expect(status).toBe(0)
  expect(stdout.match(/^HTTP.*$/gm)).toEqual(['HTTP/1.1 200 OK'])
  expect(readFileSync(join(folder(), 'head'), 'latin1')).toContain('Set-Cookie: session=s3cr3t\r\n')
  expect(stderr).not.toContain('s3cr3t')
})
