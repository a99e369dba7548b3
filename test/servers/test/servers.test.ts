import { describe, expect, expectTypeOf, test } from 'vitest'
import { type FileServer, startFtpServer, startHttpServer, startServers, type TestServer } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'
import { fetchData, login, passive } from './ftp-client.ts'

describe('startServers', () => {
  test('starts all five, on loopback, on free ports', async () => {
    await using servers = await startServers()
    for (const name of ['http', 'ftp', 'gopher', 'nntp', 'telnet'] as const) {
      const server = servers[name]
      expect(server.url).toBe(`${name}://127.0.0.1:${server.port}/`)
      expect(server.port).toBeGreaterThan(0)
      const dialogue = await Dialogue.to(server)
      dialogue.close()
    }
  })

  test('starts only those that are named', async () => {
    await using servers = await startServers({ ftp: { faults: {} }, http: true })
    expect(Object.keys(servers).sort()).toEqual(['close', 'ftp', 'http', 'reset', 'setFiles'])
    expectTypeOf(servers.ftp).toEqualTypeOf<FileServer>()
    // @ts-expect-error the gopher server was not started
    expect(servers.gopher).toBeUndefined()
  })

  test('the compiler knows which options there are', async () => {
    // @ts-expect-error faults are those of one server
    await expect(startServers({ http: true, faults: {} })).rejects.toThrow(
      /startServers: expected one of .*, got faults/,
    )
  })

  test('shares the files', async () => {
    const files = { '/pub/x': 'text', '/ä': Uint8Array.of(1, 0, 255), '/readme.txt': 'mine', '/void/': '' }
    await using servers = await startServers({ ftp: true, http: true, gopher: true, files, bigSize: 3 })
    const control = await login(servers.ftp)
    await control.ask('TYPE I')
    expect((await fetchData(control, servers.ftp, 'RETR pub/x')).data).toBe('text')
    expect((await fetchData(control, servers.ftp, 'RETR \xc3\xa4')).data).toBe('\x01\x00\xff')
    expect((await fetchData(control, servers.ftp, 'RETR readme.txt')).data).toBe('mine')
    expect((await fetchData(control, servers.ftp, 'RETR big')).data).toBe('\0\x01\x02')
    expect((await fetchData(control, servers.ftp, 'LIST void')).data).toBe('')
    expect(await exchange(servers.gopher, '/pub/x\r\n')).toBe('text\r\n.\r\n')
    control.close()
  })

  test('leaves none running when one cannot start', async () => {
    await using other = await startHttpServer()
    const failure = startServers({ http: { port: other.port }, ftp: true })
    await expect(failure).rejects.toThrow(/EADDRINUSE/)
  })
})

describe('what is refused', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'example.net', '', '127.0.0.1.example.net', '127.1', '::ffff:10.0.0.1'])(
    'host %j',
    async (host) => {
      await expect(startFtpServer({ host })).rejects.toThrow(/expected a loopback address/)
      await expect(startServers({ host })).rejects.toThrow(TypeError)
    },
  )

  test('wrong options', async () => {
    await expect(startServers({ gofer: true } as object)).rejects.toThrow(/expected one of http, ftp/)
    await expect(startServers({ files: { x: '' } })).rejects.toThrow(/absolute paths/)
    await expect(startServers({ bigSize: -1 })).rejects.toThrow(/bigSize: expected/)
    await expect(startFtpServer({ port: 70000 })).rejects.toThrow(/port: expected an integer/)
    await expect(startFtpServer({ faults: { stall: 'never' as 'body' } })).rejects.toThrow(
      /faults\.stall: expected one of/,
    )
    await expect(startFtpServer({ faults: { dealy: 1 } as object })).rejects.toThrow(
      /expected one of delay, .*, got dealy/,
    )
    await expect(startFtpServer({ faults: { delay: -1 } })).rejects.toThrow(/faults\.delay: expected a number/)
  })

  test('the caller keeps its own objects', async () => {
    const faults = { replies: { RETR: ['550 gone\r\n'] } }
    await using server = await startFtpServer({ faults: Object.freeze(faults) })
    const control = await login(server)
    expect(await control.ask('RETR readme.txt')).toBe('550 gone\r\n')
    expect(await control.ask('RETR readme.txt')).toMatch(/^425 /)
    expect(faults).toEqual({ replies: { RETR: ['550 gone\r\n'] } })
    control.close()
  })
})

describe('addresses', () => {
  test.each([
    ['::1', '[::1]'],
    ['[::1]', '[::1]'],
    ['localhost', 'localhost'],
    ['127.0.0.2', '127.0.0.2'],
  ])('host %s: %s in the URL, FTP data included', async (host, inUrl) => {
    await using server = await startFtpServer({ host })
    expect(server.url).toBe(`ftp://${inUrl}:${server.port}/`)
    const address = host.includes(':') ? '::1' : host === 'localhost' ? '127.0.0.1' : host
    const at = { host: address, port: server.port }
    const control = await login({ ...server, ...at } as TestServer)
    const reply = await control.ask(host.includes(':') ? 'EPSV 2' : 'EPSV')
    const port = Number(/\|(\d+)\|\)/.exec(reply)?.[1])
    const data = await Dialogue.to({ host: address, port })
    expect(await control.ask('RETR readme.txt')).toMatch(/^150 /)
    expect(await data.rest()).toMatch(/^Retriever/)
    data.close()
    control.close()
  })
})

describe('sockets', () => {
  test('are counted, and waitForConnections tells when they are gone', async () => {
    await using server = await startFtpServer()
    expect([server.connections, server.accepted]).toEqual([0, 0])
    const control = await login(server)
    expect([server.connections, server.accepted]).toEqual([1, 1])
    const second = await login(server)
    expect([server.connections, server.accepted]).toEqual([2, 2])
    const gone = server.waitForConnections(0)
    control.close()
    await server.waitForConnections(1)
    second.close()
    await gone
    expect([server.connections, server.accepted]).toEqual([0, 2])
  })

  test('are closed when a client leaves in the middle of /big', async () => {
    await using servers = await startServers({ ftp: true, http: true, gopher: true })
    const http = await Dialogue.to(servers.http)
    http.send('GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const gopher = await Dialogue.to(servers.gopher)
    gopher.send('/big\r\n')
    const control = await login(servers.ftp)
    const data = await passive(control, servers.ftp)
    await control.ask('RETR /big')
    for (const client of [http, gopher, data]) {
      client.socket.pause()
      client.close()
    }
    control.close()
    await Promise.all([servers.http, servers.gopher, servers.ftp].map((server) => server.waitForConnections(0)))
  })

  test('a long delay does not outlive the server', async () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const server = await startFtpServer({ faults: { delay: 100_000 } })
    const client = await Dialogue.to(server)
    await server.waitForConnections(1)
    await server.close()
    await client.rest()
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(before)
  })

  test('close() destroys what is open and may be called twice', async () => {
    const server = await startHttpServer()
    const dialogue = await Dialogue.to(server)
    dialogue.send('GET /pub/hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await dialogue.until('world.\n')
    const never = server.waitForConnections(7)
    await Promise.all([server.close(), server.close(), expect(never).rejects.toThrow(/closed/)])
    await dialogue.rest()
    expect(server.connections).toBe(0)
  })
})
