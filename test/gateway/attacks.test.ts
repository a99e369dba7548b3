/** Attacks on a proxy by strangers, web pages and broken programs (RFC 9112 11, RFC 9110 17). */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScripted } from './support/origin.ts'
import { ask, collect, exchange, parse, startProxy } from './support/proxy.ts'

const servers = await startServers({ ftp: true, gopher: true, http: true })
let proxy: Awaited<ReturnType<typeof startProxy>>
beforeAll(async () => {
  proxy = await startProxy()
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await servers.close()
})

/** A request in octets, for a server that nothing may reach. */
async function smuggled(lines: string, rest = '') {
  await using victim = await startScripted('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  const target = `http://127.0.0.1:${victim.port}/`
  const octets = await exchange(proxy.port, `${lines.replace('TARGET', target)}\r\n\r\n${rest}`)
  return { status: parse(octets).status, received: victim.received.join('') }
}

describe('a request that two servers could read in two ways is refused, and nothing is passed on', () => {
  test.each([
    ['two lengths', 'POST TARGET HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2', 'ab'],
    ['a list of lengths', 'POST TARGET HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1', 'a'],
    ['a signed length', 'POST TARGET HTTP/1.1\r\nHost: h\r\nContent-Length: +1', 'a'],
    [
      'a length and chunks',
      'POST TARGET HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked',
      '0\r\n\r\n',
    ],
    [
      'chunks and a length',
      'POST TARGET HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3',
      '0\r\n\r\n',
    ],
    ['another coding last', 'POST TARGET HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity', '0\r\n\r\n'],
    ['an unknown coding', 'POST TARGET HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked', '0\r\n\r\n'],
    ['a blank before a colon', 'GET TARGET HTTP/1.1\r\nHost: h\r\nContent-Length : 1', 'a'],
    ['a folded line', 'GET TARGET HTTP/1.1\r\nHost: h\r\nX: a\r\n b: c', ''],
    ['a line end of LF', 'GET TARGET HTTP/1.1\r\nHost: h\r\nX: a\nTransfer-Encoding: chunked', ''],
    ['a line end of CR', 'GET TARGET HTTP/1.1\r\nHost: h\r\nX: a\rY: b', ''],
    ['a NUL', 'GET TARGET HTTP/1.1\r\nHost: h\r\nX: a\0b', ''],
    ['two hosts', 'GET TARGET HTTP/1.1\r\nHost: h\r\nHost: i', ''],
    ['no host', 'GET TARGET HTTP/1.1\r\nX: h', ''],
    ['a blank in the target', 'GET TARGET x HTTP/1.1\r\nHost: h', ''],
    ['another version', 'GET TARGET HTTP/2.7\r\nHost: h', ''],
  ])('%s', async (_, lines, rest) => {
    expect(await smuggled(`${lines}\r\nConnection: close`, rest)).toEqual({ status: 400, received: '' })
  })

  test.each([
    ['HTTP/1.1', 'gzip, chunked', 501],
    ['HTTP/1.0', 'chunked', 400],
    ['HTTP/1.1', 'Chunked', 200],
  ])('content in %s, coded %s, is answered by %i', async (version, coding, status) => {
    const lines = `POST TARGET ${version}\r\nHost: h\r\nTransfer-Encoding: ${coding}\r\nConnection: close`
    const { received, ...answer } = await smuggled(lines, '0\r\n\r\n')
    expect({ ...answer, isPassedOn: received !== '' }).toEqual({ status, isPassedOn: status === 200 })
  })

  test('a chunk with a wrong size ends the request', async () => {
    const lines = 'POST TARGET HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked'
    const { received } = await smuggled(lines, '1\r\nab\r\n0\r\n\r\nGET /second HTTP/1.1\r\n\r\n')
    expect(received).not.toContain('/second')
  })

  test('what follows the content is a request of its own, which the server does not see', async () => {
    const lines = 'POST TARGET HTTP/1.1\r\nHost: h\r\nContent-Length: 2'
    const { received } = await smuggled(lines, 'abGET /second HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    expect(received).toMatch(/^POST \/ HTTP\/1\.1\r\n/)
    expect(received).not.toContain('/second')
  })
})

describe('a target', () => {
  test.each([
    ['an encoded line end by Gopher', () => `${servers.gopher.url}1a%0d%0aQUIT%0d%0a`, 403],
    ['an encoded line end by FTP', () => `${servers.ftp.url}a%0d%0aDELE%20x`, 403],
    ['an encoded line end in a login', () => servers.ftp.url.replace('//', '//u:p%0d%0aDELE%20x@'), 403],
    ['a mail server by Gopher', () => 'gopher://127.0.0.1:25/1HELO%20x', 403],
    ['a cache by Gopher', () => 'gopher://127.0.0.1:6379/1FLUSHALL', 403],
    ['a file', () => 'file:///etc/passwd', 403],
    ['a file of a host', () => 'file://localhost/etc/passwd', 403],
    ['a socket', () => 'ldapi://%2fvar%2frun%2fslapd/', 403],
    ['two logins', () => 'ftp://a@b@127.0.0.1/', 400],
    ['a backslash', () => 'http://127.0.0.1\\@h/', 400],
  ])('%s is refused', async (_, url, status) => {
    const before = [servers.ftp.accepted, servers.gopher.accepted]
    expect((await ask(proxy.port, url())).status).toBe(status)
    expect([servers.ftp.accepted, servers.gopher.accepted]).toEqual(before)
  })

  test.each(['/', '/gopher/h/1/', '*', '//127.0.0.1/', '../x'])(
    'in another form than a whole URL is refused: %s',
    async (target) => {
      const { status } = await ask(proxy.port, target, { method: target === '*' ? 'OPTIONS' : 'GET' })
      expect(status).toBe(400)
    },
  )

  test('a password is in no answer', async () => {
    for (const url of [
      `ftp://u:pl4nted@127.0.0.1:1/`,
      servers.ftp.url.replace('//', '//u:pl4nted@'),
      'http://u:pl4nted@127.0.0.1:1/',
    ]) {
      const { body, fields } = await ask(proxy.port, `${url}no`)
      expect(`${body}${JSON.stringify(fields)}`).not.toContain('pl4nted')
    }
  })
})

describe('a web page', () => {
  const pages = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
  ]
  test.each(pages)('%j reads no URL of another scheme', async (fields) => {
    expect((await ask(proxy.port, `${servers.gopher.url}0/readme.txt`, { fields })).status).toBe(403)
  })

  test('that has given its name our address reads nothing', async () => {
    const { status, body, fields } = await ask(proxy.port, '/ftp://127.0.0.1/', { fields: { host: 'evil.example' } })
    expect(status).toBe(400)
    expect(String(body)).not.toContain('evil')
    expect(fields).not.toHaveProperty('access-control-allow-origin')
  })

  test('is asked for by a person through the address field', async () => {
    const fields = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }
    expect((await ask(proxy.port, `${servers.gopher.url}0/readme.txt`, { fields })).status).toBe(200)
  })
})

describe('a circle', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', '127.0.0.2', '0.0.0.0', '[::ffff:127.0.0.1]'])(
    'to %s is 508',
    async (host) => {
      for (const scheme of ['http', 'ftp', 'gopher']) {
        expect((await ask(proxy.port, `${scheme}://${host}:${proxy.port}/`)).status).toBe(508)
      }
    },
  )

  test('over another proxy ends where it comes back', async () => {
    const { fields } = await ask(proxy.port, `${servers.http.url}readme.txt`)
    const again = await ask(proxy.port, `${servers.http.url}readme.txt`, {
      fields: { via: `1.1 other, ${fields.via}` },
    })
    expect(again.status).toBe(508)
  })
})

describe('CONNECT', () => {
  const answer = async (port: number, target: string, fields = '') =>
    parse(await exchange(port, `CONNECT ${target} HTTP/1.1\r\nHost: h\r\n${fields}\r\n`))

  test('is refused by default, and elsewhere than to 443', async () => {
    expect((await answer(proxy.port, '127.0.0.1:443')).status).toBe(405)
    await using tunnels = await startProxy({ policy: { tunnels: true } })
    for (const target of [
      `127.0.0.1:${servers.http.port}`,
      '127.0.0.1:25',
      '127.0.0.1',
      'h:443:443',
      'a@127.0.0.1:443',
    ]) {
      expect((await answer(tunnels.port, target)).status).toBe(403)
    }
  })

  test('makes a tunnel to 443, by the rules of the client', async () => {
    const to = { connectTo: { '127.0.0.1:443': `127.0.0.1:${servers.http.port}` } }
    await using tunnels = await startProxy({ policy: { tunnels: true } }, { network: to })
    const octets = await exchange(
      tunnels.port,
      'CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: h\r\n\r\nGET /pub/hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    )
    expect(octets.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*Hello, world\.\n$/)
    await using strict = await startProxy({ policy: { tunnels: true } }, { policy: { publicOnly: true } })
    expect((await answer(strict.port, '127.0.0.1:443')).status).toBe(403)
  })

  test('wants the token', async () => {
    await using guarded = await startProxy({ policy: { tunnels: true, token: 'a'.repeat(20) } })
    expect((await answer(guarded.port, '127.0.0.1:443')).status).toBe(407)
  })
})

describe('a token', () => {
  const token = 'pl4nted-pl4nted-pl4nted'
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  test.each([
    [`any ${basic(`any:${token}`)}`, 200],
    [`none ${basic(`:${token}`)}`, 200],
    [`bearer Bearer ${token}`, 200],
    [`wrong ${basic('any:wrong')}`, 407],
    [`user ${basic(`${token}:`)}`, 407],
    ['empty Basic', 407],
    [`other Digest ${token}`, 407],
  ])('%s is %i', async (given, status) => {
    await using guarded = await startProxy({ policy: { token } })
    const fields = { 'proxy-authorization': given.replace(/^\w+ /, '') }
    const answer = await ask(guarded.port, `${servers.gopher.url}0/readme.txt`, { fields })
    expect(answer.status).toBe(status)
    expect(`${answer.body}${JSON.stringify(answer.fields)}`).not.toContain('pl4nted')
  })

  test.each(['short', 'has a blank in it, sadly', 7])('%j is no token', async (bad) => {
    await expect(startProxy({ policy: { token: bad as string } })).rejects.toMatchObject({ code: 'invalid-option' })
  })
})

describe('too much', () => {
  test('a head of more than 64 KiB is 431', async () => {
    const { status } = await ask(proxy.port, servers.gopher.url, { fields: { x: 'a'.repeat(70_000) } })
    expect(status).toBe(431)
  })

  test('more requests at a time than allowed are 503', async () => {
    await using small = await startProxy({ limits: { requests: 1 } })
    await using silent = await startScripted('', 'wait')
    const waiting = connect(small.port, '127.0.0.1')
    waiting.write(`GET http://127.0.0.1:${silent.port}/ HTTP/1.1\r\nHost: h\r\n\r\n`)
    await expect.poll(() => silent.received.length).toBe(1)
    const busy = await ask(small.port, `${servers.gopher.url}0/readme.txt`)
    expect(busy).toMatchObject({ status: 503, fields: { 'retry-after': '1' } })
    waiting.destroy()
    await expect.poll(() => silent.sockets.size).toBe(0)
    expect((await ask(small.port, `${servers.gopher.url}0/readme.txt`)).status).toBe(200)
  })

  test('1,000 clients that never end their heads hold up nobody, and are sent away', async () => {
    await using patient = await startProxy({ limits: { headTimeout: 1000 } })
    const slow: Socket[] = []
    const ends: Promise<Buffer>[] = []
    for (let count = 0; count < 1000; count++) {
      const socket = connect(patient.port, '127.0.0.1')
      socket.write('GET http://127.0.0.1/ HTTP/1.1\r\nHost: h\r\nX: ')
      slow.push(socket)
      ends.push(collect(socket))
    }
    await Promise.all(slow.map((socket) => socket.connecting && once(socket, 'connect')))
    expect((await ask(patient.port, `${servers.gopher.url}0/readme.txt`)).status).toBe(200)
    const answers = await Promise.all(ends)
    expect(new Set(answers.map((octets) => parse(octets).status))).toEqual(new Set([408]))
  })
})

describe('a client that leaves', () => {
  test.each([
    ['FTP', () => `${servers.ftp.url}big`, () => servers.ftp],
    ['Gopher', () => `${servers.gopher.url}9/big`, () => servers.gopher],
    ['HTTP', () => `${servers.http.url}big`, () => servers.http],
  ])('in the middle of a body ends the transfer by %s', async (_, url, server) => {
    await using own = await startProxy()
    const socket = connect(own.port, '127.0.0.1')
    socket.write(`GET ${url()} HTTP/1.1\r\nHost: h\r\n\r\n`)
    await once(socket, 'data')
    expect(server().connections).toBeGreaterThan(0)
    socket.destroy()
    // A session of FTP may stay open for the next retrieval; its data connection does not.
    await expect.poll(() => server().connections).toBeLessThanOrEqual(server() === servers.ftp ? 1 : 0)
  })

  test('before the answer ends the retrieval', async () => {
    await using own = await startProxy()
    await using silent = await startScripted('', 'wait')
    for (const scheme of ['http', 'gopher']) {
      const socket = connect(own.port, '127.0.0.1')
      socket.write(`GET ${scheme}://127.0.0.1:${silent.port}/0x HTTP/1.1\r\nHost: h\r\n\r\n`)
      await expect.poll(() => silent.sockets.size).toBe(1)
      socket.destroy()
      await expect.poll(() => silent.sockets.size).toBe(0)
    }
  })

  test('and one that reads nothing stops the server, until it is sent away', async () => {
    await using own = await startProxy({ limits: { idleTimeout: 500 } })
    const socket = connect(own.port, '127.0.0.1')
    socket.write(`GET ${servers.gopher.url}9/big HTTP/1.1\r\nHost: h\r\n\r\n`)
    await once(socket, 'readable')
    await expect.poll(() => servers.gopher.connections).toBe(0)
    const octets = await collect(socket)
    // The buffers of the system hold some megabytes; the file has gigabytes.
    expect(octets.length).toBeLessThan(2 ** 26)
  })
})

test('closing the gateway ends what is under way', async () => {
  const own = await startProxy()
  const socket = connect(own.port, '127.0.0.1')
  socket.write(`GET ${servers.gopher.url}9/big HTTP/1.1\r\nHost: h\r\n\r\n`)
  await once(socket, 'data')
  const over = collect(socket)
  await own[Symbol.asyncDispose]()
  await over
  await expect.poll(() => servers.gopher.connections).toBe(0)
})
