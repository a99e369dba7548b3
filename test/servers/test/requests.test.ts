import { describe, expect, test } from 'vitest'
import {
  startFtpServer,
  startGopherServer,
  startHttpServer,
  startNntpServer,
  startServers,
  startTelnetServer,
} from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'
import { fetchData, login } from './ftp-client.ts'

describe('requests are recorded with their parts', () => {
  test('HTTP: method, target, header fields, content, time, connection', async () => {
    await using server = await startHttpServer()
    const before = Date.now()
    const response = await fetch(`${server.url}echo?q=1`, {
      method: 'POST',
      body: 'ping',
      headers: { 'X-Test': 'yes' },
    })
    await response.text()
    expect(server.requests).toHaveLength(1)
    const [request] = server.requests
    expect(request).toMatchObject({
      method: 'POST',
      target: '/echo?q=1',
      line: 'POST /echo?q=1 HTTP/1.1',
      headers: { host: `127.0.0.1:${server.port}`, 'x-test': 'yes', 'content-length': '4' },
      connection: 1,
    })
    expect(Buffer.from(request?.body ?? '').toString()).toBe('ping')
    expect(request?.time.getTime()).toBeGreaterThanOrEqual(before)
  })

  test('fields of one name are joined; connections are told apart', async () => {
    await using server = await startHttpServer()
    const get = 'GET / HTTP/1.1\r\nHost: localhost\r\nAccept: a\r\naccept: b\r\nConnection: close\r\n\r\n'
    await exchange(server, get)
    await exchange(server, get)
    expect(server.requests.map(({ headers, connection }) => [headers.accept, connection])).toEqual([
      ['a, b', 1],
      ['a, b', 2],
    ])
  })

  test('FTP and NNTP: the command in capitals, and its argument', async () => {
    await using ftp = await startFtpServer()
    const control = await login(ftp)
    await control.ask('cwd pub/sub deep')
    expect(ftp.requests.at(-1)).toMatchObject({ method: 'CWD', target: 'pub/sub deep', line: 'cwd pub/sub deep' })
    control.close()
    await using nntp = await startNntpServer()
    const news = await Dialogue.to(nntp)
    await news.reply()
    await news.ask('GROUP retriever.test')
    expect(nntp.requests).toMatchObject([{ method: 'GROUP', target: 'retriever.test', headers: {} }])
    news.close()
  })

  test('Gopher: the selector; Telnet: the line', async () => {
    await using gopher = await startGopherServer()
    await exchange(gopher, '/search\tfirst line\r\n')
    expect(gopher.requests).toMatchObject([{ method: '', target: '/search', line: '/search\tfirst line' }])
    await using telnet = await startTelnetServer()
    await exchange(telnet, 'quit\r\n')
    expect(telnet.requests.at(-1)).toMatchObject({ target: 'quit', line: 'quit' })
  })

  test('record: false keeps none', async () => {
    await using servers = await startServers({ http: true, gopher: { record: true }, record: false })
    await (await fetch(servers.http.url)).text()
    await exchange(servers.gopher, '\r\n')
    expect([servers.http.requests, servers.http.received]).toEqual([[], []])
    expect(servers.gopher.received).toEqual([''])
  })
})

describe('setFiles and reset', () => {
  const text = async (url: string): Promise<string> => (await fetch(url)).text()

  test('files change while the server runs, with their validators', async () => {
    await using server = await startHttpServer({ files: { '/a': 'one' } })
    const first = await fetch(`${server.url}a`)
    const modified = new Date('2020-01-02T03:04:05Z')
    server.setFiles({ '/a': { content: 'two', modified }, '/b/': '' })
    const second = await fetch(`${server.url}a`)
    expect([await first.text(), await second.text()]).toEqual(['one', 'two'])
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
    expect(second.headers.get('last-modified')).toBe(modified.toUTCString())
    expect((await fetch(`${server.url}b/`)).status).toBe(200)
    expect(await text(`${server.url}pub/hello.txt`)).toBe('Hello, world.\n')
    server.setFiles({})
    expect((await fetch(`${server.url}a`)).status).toBe(404)
  })

  test('those of startServers change for HTTP, FTP and Gopher', async () => {
    await using servers = await startServers({ seed: false, files: { '/old': 'x' } })
    servers.setFiles({ '/new': 'text\n' })
    expect(await text(`${servers.http.url}new`)).toBe('text\n')
    expect(await exchange(servers.gopher, '\r\n')).toBe(`0new\t/new\t127.0.0.1\t${servers.gopher.port}\t+\r\n.\r\n`)
    const control = await login(servers.ftp)
    expect((await fetchData(control, servers.ftp, 'NLST')).data).toBe('new\r\n')
    control.close()
    expect((await fetch(`${servers.http.url}redirect/301`)).status).toBe(404)
  })

  test('reset goes back to the faults, files and routes of the start, and forgets the records', async () => {
    const faults = { replies: { '/once': ['HTTP/1.1 599 Odd\r\nContent-Length: 0\r\n\r\n'] } }
    await using server = await startHttpServer({ faults, files: { '/a': 'one', '/once': 'file' } })
    for (let time = 0; time < 2; time++) {
      expect((await fetch(`${server.url}once`)).status).toBe(599)
      expect(await text(`${server.url}once`)).toBe('file')
      server.setFiles({})
      server.setFaults({})
      server.route('/r', 'routed')
      expect(await text(`${server.url}r`)).toBe('routed')
      expect([server.requests.length, server.received.length]).toEqual([3, 3])
      server.reset()
      expect([server.requests, server.received, server.accepted, server.faults]).toEqual([[], [], 0, faults])
      expect((await fetch(`${server.url}r`)).status).toBe(404)
      expect(await text(`${server.url}a`)).toBe('one')
      server.reset()
    }
  })

  test('startServers resets all', async () => {
    await using servers = await startServers({ http: true, telnet: true })
    servers.telnet.setFaults({ stall: 'greeting' })
    await text(servers.http.url)
    servers.reset()
    expect([servers.http.requests, servers.telnet.faults]).toEqual([[], {}])
  })
})

describe('accounts of your own', () => {
  const accounts = { zoë: 'pä:ss' }
  const basic = (user: string, password: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })

  test('HTTP: in /auth/, or everywhere', async () => {
    await using server = await startHttpServer({ accounts, auth: 'required' })
    const status = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(server.url + path, { headers })).status
    expect(await status('readme.txt', basic('zoë', 'pä:ss'))).toBe(200)
    expect(await status('auth/readme.txt', basic('zoë', 'pä:ss'))).toBe(200)
    expect(await status('readme.txt', basic('alice', 'secret'))).toBe(401)
    expect(await status('readme.txt', {})).toBe(401)
    server.route('/mine', 'x')
    expect(await status('mine', {})).toBe(401)
  })

  test.each([
    ['none', '230', '530'],
    ['required', '530', '530'],
  ] as const)('FTP: with auth %s', async (auth, anonymous, alice) => {
    await using server = await startFtpServer({ accounts, auth })
    const codes: string[] = []
    for (const [user, password] of [
      ['zo\xc3\xab', 'p\xc3\xa4:ss'],
      ['anonymous', 'x'],
      ['alice', 'secret'],
      ['bob', 'secret'],
    ]) {
      const control = await Dialogue.to(server)
      await control.reply()
      await control.ask(`USER ${user}`)
      codes.push((await control.ask(`PASS ${password}`)).slice(0, 3))
      control.close()
    }
    expect(codes).toEqual(['230', anonymous, alice, '530'])
  })

  test('News, and all of them at once', async () => {
    await using servers = await startServers({ accounts, nntp: { auth: 'required' }, http: true })
    const news = await Dialogue.to(servers.nntp)
    await news.reply()
    await news.ask('AUTHINFO USER zo\xc3\xab')
    expect(await news.ask('AUTHINFO PASS p\xc3\xa4:ss')).toMatch(/^281/)
    news.close()
    expect((await fetch(`${servers.http.url}auth/`, { headers: basic('zoë', 'pä:ss') })).status).toBe(200)
  })
})

test.each([
  [
    () => startHttpServer({ file: {} } as object),
    /startHttpServer: expected one of host, port, .*folder, privateFiles, got file/,
  ],
  [() => startFtpServer({ gopherPlus: true } as object), /startFtpServer: expected one of .*nullCwd.*, got gopherPlus/],
  [() => startGopherServer({ auth: 'none' } as object), /startGopherServer: expected one of .*, got auth/],
  [() => startNntpServer({ article: 1 } as object), /startNntpServer: expected one of .*articles.*, got article/],
  [() => startTelnetServer({ banner: '' } as object), /startTelnetServer: expected one of .*, got banner/],
  [() => startServers({ http: { files: {} } } as object), /startServers: http: expected one of .*, got files/],
  [() => startServers({ ftp: { faults: { stal: '' } } } as object), /ftp\.faults: expected one of .*stall.*, got stal/],
  [() => startServers({ http: false } as object), /http: expected true or an object, got false \(boolean\)/],
  [() => startHttpServer({ faults: { latency: { upp: 1 } } } as object), /faults\.latency: .* up, down, got upp/],
  [() => startHttpServer({ faults: { replies: { a: 1 } } } as object), /faults\.replies\["a"\]: .*got 1 \(number\)/],
  [() => startHttpServer({ files: { '/a': 1 } } as object), /files\["\/a"\]: expected text, octets, or/],
  [() => startHttpServer({ files: { '/a': { content: '', mtime: 1 } } } as object), /expected text, octets, or/],
  [() => startHttpServer({ http2: 'yes' } as object), /http2: expected true or false, got yes \(string\)/],
  [
    () => startHttpServer({ accounts: { a: 1 } } as object),
    /accounts\.a: expected a string, got a value of type number/,
  ],
  [() => startHttpServer({ files: new Map([['/a', 'a']]) } as object), /files: expected an object .*, got a Map/],
  [() => startHttpServer({ accounts: new Map([['a', 'a']]) } as object), /accounts: expected an object .*, got a Map/],
  [() => startHttpServer({ faults: { replies: ['a'] } } as object), /replies: expected an object .*, got \["a"\]/],
  [() => startFtpServer({ tls: 'implicit' } as object), /tls: expected one of true, false, explicit, got implicit/],
  [() => startNntpServer({ logins: [] }), /logins: expected a list of user, sasl/],
  [() => startHttpServer([] as object), /startHttpServer: expected an object, got \[\]/],
])('a wrong option is an error that says what is right: %s', async (start, message) => {
  await expect(start()).rejects.toThrow(message)
})
