import { createServer } from 'node:http'
import { join } from 'node:path'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let servers: TestServers<'http'>

beforeAll(async () => {
  servers = await startServers({ http: { hosts: ['*'] } })
})
afterAll(() => servers.close())

const hello = { status: 0, stdout: 'Hello, world.\n', stderr: '' }
const url = (host: string): string => `http://${host}:${servers.http.port}/pub/hello.txt`

describe('-4 and -6', () => {
  test.each([['-4'], ['--ipv4'], ['-64']])('%s: the last one counts', async (option) => {
    const resolve = ['--resolve', `both.example:${servers.http.port}:[::1],127.0.0.1`]
    expect(await retrieve([option, ...resolve, url('both.example')])).toEqual(hello)
  })

  test('an address of the other family is 7, a name without one 6', async () => {
    expect(await retrieve(['-6', url('127.0.0.1')])).toMatchObject({ status: 7, stderr: expect.stringContaining('-6') })
    const resolve = ['--resolve', `four.example:${servers.http.port}:127.0.0.1`]
    expect(await retrieve(['-6', ...resolve, url('four.example')])).toMatchObject({ status: 6 })
  })
})

describe('--interface and --local-port', () => {
  test.each(['lo', 'if!lo', '127.0.0.5', 'localhost', 'host!localhost'])('--interface %s', async (name) => {
    expect(await retrieve(['--interface', name, url('127.0.0.1')])).toEqual(hello)
  })

  test.each([
    ['--interface', 'host!192.0.2.1'],
    ['--interface', 'if!nosuch'],
    ['--interface', '192.0.2.1'],
  ])('%s %s cannot be used: 45', async (option, value) => {
    const outcome = await retrieve([option, value, url('127.0.0.1')])
    expect(outcome).toMatchObject({ status: 45, stdout: '', stderr: expect.stringMatching(/--interface/) })
  })

  test('--local-port takes a range, and a port that is taken is 45', async () => {
    expect(await retrieve(['--local-port', '40000-40100', url('127.0.0.1')])).toEqual(hello)
    const taken = ['--interface', '127.0.0.1', '--local-port', String(servers.http.port)]
    expect(await retrieve([...taken, url('127.0.0.1')])).toMatchObject({
      status: 45,
      stderr: expect.stringContaining('--local-port'),
    })
  })

  test.each(['x', '0', '9-2', '1-70000'])('--local-port %s is no port', async (ports) => {
    expect(await retrieve(['--local-port', ports, url('127.0.0.1')])).toMatchObject({ status: 2 })
  })
})

describe('--connect-to', () => {
  test.each([
    (port: number) => `::127.0.0.1:${port}`,
    (port: number) => `www.example:80:127.0.0.1:${port}`,
    (port: number) => `:80:127.0.0.1:${port}`,
  ])('leads elsewhere', async (pair) => {
    const args = ['--connect-to', 'other.example:::1', '--connect-to', pair(servers.http.port)]
    expect(await retrieve([...args, '--connect-to', '::127.0.0.1:1', 'http://www.example/pub/hello.txt'])).toEqual(
      hello,
    )
  })

  test('an empty port is that of the URL', async () => {
    expect(await retrieve(['--connect-to', '::127.0.0.1:', url('www.example')])).toEqual(hello)
    expect(await retrieve(['--connect-to', '::127.0.0.1', url('www.example')])).toEqual(hello)
  })

  test.each(['x', 'a:b:c:d', 'a:1:b:70000'])('%s is refused', async (pair) => {
    expect(await retrieve(['--connect-to', pair, url('www.example')])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--connect-to needs HOST1:PORT1:HOST2:PORT2'),
    })
  })
})

describe('--unix-socket', () => {
  test('leads to the socket; -v names it', async () => {
    const path = join(folder(), 'x.sock')
    const server = createServer(({ headers }, response) => response.end(headers.host))
    await new Promise<void>((resolve) => server.listen(path, resolve))
    try {
      const outcome = await retrieve([
        '-v',
        '--unix-socket',
        path,
        '-x',
        'http://127.0.0.1:1',
        'http://www.example:8081/',
      ])
      expect(outcome).toMatchObject({ status: 0, stdout: 'www.example:8081', stderr: expect.stringContaining(path) })
      expect(await retrieve(['--public-only', '--unix-socket', path, 'http://www.example/'])).toMatchObject({
        status: 9,
        stderr: expect.stringMatching(
          /a Unix domain socket leads to this machine itself, and --public-only refuses it/,
        ),
      })
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  test('no socket is 7', async () => {
    expect(await retrieve(['--unix-socket', join(folder(), 'none'), 'http://x/'])).toMatchObject({ status: 7 })
  })
})
