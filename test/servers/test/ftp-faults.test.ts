import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { type Faults, type FtpServerOptions, startFtpServer, startHttpServer, testCa } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'
import { fetchData, login, passive } from './ftp-client.ts'

/** A connection in TYPE I, past the login, to a server with these faults. */
async function session(faults: Faults, options: FtpServerOptions = {}) {
  const server = await startFtpServer({ faults, ...options })
  const control = await login(server)
  await control.ask('TYPE I')
  return {
    server,
    control,
    async [Symbol.asyncDispose]() {
      control.close()
      await server.waitForConnections(0)
      await server.close()
    },
  }
}

describe('chunking', () => {
  test("'glued': replies to pipelined commands come in one segment", async () => {
    await using server = await startFtpServer({ faults: { chunking: 'glued' } })
    const control = await Dialogue.to(server)
    await control.reply()
    control.pieces.length = 0
    control.send('USER anonymous\r\nPASS x@\r\nCWD pub\r\nTYPE I\r\nEPSV\r\n')
    for (const code of ['331', '230', '250', '200', '229']) expect((await control.reply()).slice(0, 3)).toBe(code)
    expect(control.pieces).toHaveLength(1)
    control.close()
  })

  test('a list of lengths cuts what is glued', async () => {
    await using server = await startFtpServer({ faults: { chunking: [3, 40] } })
    const control = await Dialogue.to(server)
    await control.reply()
    control.pieces.length = 0
    control.send('USER anonymous\r\nPASS x@\r\n')
    await control.reply()
    await control.reply()
    expect(control.pieces.slice(0, 2).map((piece) => piece.length)).toEqual([3, 40])
    // 331 and 230 meet in the second piece.
    expect(control.pieces[1]).toContain('\r\n230')
    control.close()
  })

  test.each(['glued', [1, 7, 1000]] as const)('%j: a large body arrives whole, and in TLS', async (chunking) => {
    await using ftp = await session({ chunking }, { bigSize: 300_000 })
    expect((await fetchData(ftp.control, ftp.server, 'RETR big')).data).toHaveLength(300_000)
    await using secure = await startHttpServer({ tls: true, faults: { chunking } })
    const http = await Dialogue.tls(secure)
    http.send('GET /pub/a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect((await http.rest()).split('\r\n\r\n')[1]).toHaveLength(4096)
    http.close()
  })

  test('a reset comes after what was glued', async () => {
    await using ftp = await session({ chunking: 'glued', resetAfter: 1000 })
    const data = await passive(ftp.control, ftp.server)
    await ftp.control.ask('RETR pub/a.bin')
    expect(await data.rest()).toHaveLength(1000)
    expect(data.error?.code).toBe('ECONNRESET')
    data.close()
  })

  test.each([[[]], [[0]], [[1.5]], ['sliced']])('%j is refused', async (chunking) => {
    await expect(startFtpServer({ faults: { chunking: chunking as never } })).rejects.toThrow(/faults\.chunking/)
  })
})

describe('cutAfter', () => {
  test('ftp: a clean end of the data, and 426', async () => {
    await using ftp = await session({ cutAfter: 1000 })
    const data = await passive(ftp.control, ftp.server)
    await ftp.control.ask('RETR pub/a.bin')
    expect(await data.rest()).toHaveLength(1000)
    expect(data.error).toBeUndefined()
    expect(await ftp.control.reply()).toMatch(/^426 /)
    expect(await ftp.control.ask('NOOP')).toMatch(/^200 /)
    data.close()
  })

  test('a body that is no longer than that is whole', async () => {
    await using ftp = await session({ cutAfter: 4097 })
    const { data, last } = await fetchData(ftp.control, ftp.server, 'RETR pub/a.bin')
    expect(data).toHaveLength(4096)
    expect(last).toMatch(/^226 /)
  })

  test('http: the connection ends', async () => {
    await using http = await startHttpServer({ faults: { cutAfter: 1000 } })
    const response = await exchange(http, 'GET /pub/a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(response.split('\r\n\r\n')[1]).toHaveLength(1000)
  })
})

test('crashAfter: data and control connection end together', async () => {
  await using ftp = await session({ crashAfter: 1000 })
  const data = await passive(ftp.control, ftp.server)
  await ftp.control.ask('RETR pub/a.bin')
  expect(await data.rest()).toHaveLength(1000)
  expect(await ftp.control.rest()).toBe('')
  expect(ftp.control.error?.code).toBe('ECONNRESET')
  data.close()
})

describe('bodies', () => {
  test.each([
    [{ cutAfter: 10 }, 10],
    [{ shortBody: 4000 }, 96],
  ] as const)('%j strikes the first two alone', async (fault, length) => {
    await using ftp = await session({ ...fault, bodies: 2 })
    for (const expected of [length, length, 4096, 4096]) {
      expect((await fetchData(ftp.control, ftp.server, 'RETR pub/a.bin')).data).toHaveLength(expected)
    }
    ftp.server.setFaults({ ...fault, bodies: 1 })
    expect((await fetchData(ftp.control, ftp.server, 'RETR pub/a.bin')).data).toHaveLength(length)
  })

  test('other faults stay', async () => {
    await using ftp = await session({ bodies: 0, stall: 'final', earlyReply: true })
    const { data, last } = await fetchData(ftp.control, ftp.server, 'RETR pub/a.bin')
    expect(data).toHaveLength(4096)
    expect(last).toMatch(/^226 /)
    expect(await ftp.control.ask('NOOP')).toMatch(/^200 /)
    ftp.server.setFaults({ bodies: 0, stall: 'response' })
    ftp.control.send('RETR pub/a.bin\r\n')
    expect(await ftp.control.within(30)).toBe('')
  })
})

describe('oneAtATime', () => {
  test('discard: what comes while a command is being answered is lost', async () => {
    await using ftp = await session({ oneAtATime: 'discard' })
    ftp.control.send('PWD\r\nNOOP\r\nCWD pub\r\n')
    expect(await ftp.control.reply()).toMatch(/^257 "\/"/)
    expect(await ftp.control.ask('PWD')).toMatch(/^257 "\/"/)
    expect(ftp.server.received.slice(-4)).toEqual(['PWD', 'NOOP', 'CWD pub', 'PWD'])
  })

  test('discard: a whole dialogue, step by step, is as ever', async () => {
    await using ftp = await session({ oneAtATime: 'discard', chunking: 'bytes' })
    for (let time = 0; time < 3; time++) {
      expect((await fetchData(ftp.control, ftp.server, 'RETR pub/a.bin')).data).toHaveLength(4096)
    }
  })

  test('close', async () => {
    await using ftp = await session({ oneAtATime: 'close' })
    expect(await ftp.control.ask('NOOP')).toMatch(/^200 /)
    ftp.control.send('PWD\r\nNOOP\r\n')
    expect(await ftp.control.rest()).not.toMatch(/^200/m)
  })
})

describe('dropOnEpsv', () => {
  test('EPSV in the middle of a transfer: 229, and never a 226', async () => {
    await using ftp = await session({ dropOnEpsv: true })
    const data = await passive(ftp.control, ftp.server)
    data.socket.pause()
    ftp.control.send('RETR /big\r\nEPSV\r\n')
    expect(await ftp.control.reply()).toMatch(/^150 /)
    expect(await ftp.control.reply()).toMatch(/^229 /)
    data.socket.resume()
    expect((await data.rest()).length).toBeLessThan(2 ** 31)
    expect(await ftp.control.ask('NOOP')).toMatch(/^200 /)
    expect((await fetchData(ftp.control, ftp.server, 'RETR pub/a.bin')).data).toHaveLength(4096)
    data.close()
  })

  test('also where the data connection has not come yet', async () => {
    await using ftp = await session({ dropOnEpsv: true })
    await ftp.control.ask('EPSV')
    ftp.control.send('RETR /pub/a.bin\r\nEPSV\r\n')
    expect(await ftp.control.reply()).toMatch(/^150 /)
    expect(await ftp.control.reply()).toMatch(/^229 /)
  })

  test('without the fault EPSV waits for its turn', async () => {
    await using ftp = await session({})
    const data = await passive(ftp.control, ftp.server)
    ftp.control.send('RETR /pub/a.bin\r\nEPSV\r\n')
    for (const code of ['150', '226', '229']) expect((await ftp.control.reply()).slice(0, 3)).toBe(code)
    expect(await data.rest()).toHaveLength(4096)
    data.close()
  })
})

describe('sessionReuse', () => {
  const protect = async (tls: true | 'explicit') => {
    const server = await startFtpServer({ tls, sessionReuse: true })
    const plain = tls === true ? await Dialogue.tls(server) : await Dialogue.to(server)
    await plain.reply()
    const control = tls === true ? plain : await upgrade(plain)
    for (const command of ['PBSZ 0', 'PROT P', 'USER anonymous', 'PASS x@', 'TYPE I']) await control.ask(command)
    return { server, control }
  }

  const upgrade = async (plain: Dialogue): Promise<Dialogue> => {
    expect(await plain.ask('AUTH TLS')).toMatch(/^234 /)
    plain.socket.removeAllListeners('data')
    const socket = connect({ socket: plain.socket, ca: testCa, servername: 'localhost' })
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    return new Dialogue(socket)
  }

  const retrieve = async (control: Dialogue, session?: Buffer) => {
    const port = Number(/\|(\d+)\|\)/.exec(await control.ask('EPSV'))?.[1])
    const options = { host: '127.0.0.1', port, ca: testCa, servername: 'localhost' }
    const data = new Dialogue(connect({ ...options, ...(session && { session }) }))
    const first = await control.ask('RETR pub/a.bin')
    const octets = await data.rest()
    data.close()
    return { first, length: octets.length, last: await control.reply() }
  }

  test.each([true, 'explicit'] as const)('tls %s: 522 for data that resumes no session', async (tls) => {
    const { server, control } = await protect(tls)
    expect(await retrieve(control)).toMatchObject({ length: 0, last: expect.stringMatching(/^522 /) })
    const session = (control.socket as TLSSocket).getSession()
    expect(await retrieve(control, session)).toMatchObject({ length: 4096, last: expect.stringMatching(/^226 /) })
    control.close()
    await server.close()
  })

  test("another control connection's session does not serve", async () => {
    const { server, control } = await protect(true)
    const other = await Dialogue.tls(server)
    await other.reply()
    const stranger = (other.socket as TLSSocket).getSession()
    expect(await retrieve(control, stranger)).toMatchObject({ length: 0, last: expect.stringMatching(/^522 /) })
    other.close()
    control.close()
    await server.close()
  })
})

test('home: the directory after the login, and of CWD alone', async () => {
  await using server = await startFtpServer({
    home: '/pub/grüße dir',
    files: { '/pub/grüße dir/x': 'x' },
    nullCwd: 'refuse',
  })
  const control = await login(server)
  expect(await control.ask('PWD')).toMatch(/^257 "\/pub\/gr\xc3\xbc\xc3\x9fe dir"/)
  await control.ask('CWD /')
  expect(await control.ask('CWD')).toMatch(/^250 /)
  await control.ask('TYPE I')
  expect(await control.ask('SIZE x')).toBe('213 1\r\n')
  control.close()
  await expect(startFtpServer({ home: '/readme.txt' })).rejects.toThrow(/home/)
})

test('a word or number that no fault has is refused', async () => {
  for (const faults of [{ oneAtATime: 'ignore' }, { cutAfter: -1 }, { bodies: Number.NaN }, { crashAfter: '1' }]) {
    await expect(startFtpServer({ faults: faults as never })).rejects.toThrow(/faults\./)
  }
})
