import { once } from 'node:events'
import { createClient, type RetrievalEvent, type Session } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { silence, withoutWaiting } from '../../servers/src/contract/long-timers.ts'
import { failure } from '../../support/failure.ts'
import { resetAfterX, scriptedTelnet } from './support/scripted-telnet.ts'

const client = createClient()

const IAC = '\xff'
const [WILL, WONT, DO, DONT] = ['\xfb', '\xfc', '\xfd', '\xfe'].map((verb) => IAC + verb) as [
  string,
  string,
  string,
  string,
]
const [SB, SE] = [`${IAC}\xfa`, `${IAC}\xf0`]
const [BINARY, ECHO, SGA, TTYPE, NAWS, XDISPLOC, NEW_ENVIRON] = ['\0', '\x01', '\x03', '\x18', '\x1f', '\x23', '\x27']

async function textOf(session: Session): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of session) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

// The first messages of inetutils-telnetd, and what a client that wants nothing answers.
test.each(['whole', 'bytes'] as const)(
  'case 65, options that nobody wants are refused, cut into %s',
  async (chunking) => {
    await using server = await scriptedTelnet(
      async (peer) => {
        await peer.send(`${WILL}\x25${WILL}\x26${DO}${TTYPE}${DO}\x20${DO}${XDISPLOC}${DO}${NEW_ENVIRON}${DO}\x24`)
        await peer.until(
          `${DONT}\x25${DONT}\x26${WONT}${TTYPE}${WONT}\x20${WONT}${XDISPLOC}${WONT}${NEW_ENVIRON}${WONT}\x24`,
        )
        await peer.send(`${WILL}${SGA}${DO}${NAWS}${WILL}${ECHO}${DO}${BINARY}welcome \xff\xff a\r\0b\r\n`)
        await peer.until(`${DONT}${SGA}${WONT}${NAWS}${DONT}${ECHO}${WONT}${BINARY}`)
      },
      { faults: { chunking } },
    )
    const session = await client.connect(server.url)
    expect(await textOf(session)).toBe('welcome \xff a\rb\r\n')
    expect([session.echoes, session.options]).toEqual([false, []])
  },
)

test('case 65, at a terminal, the client lets the server echo; only a change of state is answered', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(`${WILL}${ECHO}${WILL}${ECHO}${WILL}${SGA}${DO}${SGA}${DO}${ECHO}`)
    await peer.until(`${DO}${ECHO}${DO}${SGA}${WILL}${SGA}${WONT}${ECHO}`)
    await peer.send(`${WONT}${ECHO}${WONT}${ECHO}${DONT}${ECHO}.`)
    await peer.until(`${DONT}${ECHO}x`)
  })
  const session = await client.connect(server.url, { echo: true })
  const modes: boolean[] = []
  session.on('mode', () => modes.push(session.echoes))
  session.once('data', () => session.write('x'))
  await once(session, 'close')
  expect(modes).toEqual([true, false])
  expect(session.options).toEqual(['server SUPPRESS-GO-AHEAD', 'client SUPPRESS-GO-AHEAD'])
})

test('the size of the window goes out when it is asked for, and when it changes', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(`${DO}${NAWS}`)
    await peer.until(`${WILL}${NAWS}${SB}${NAWS}\0\x50\0\x18${SE}`)
    await peer.send('resize')
    // 255 columns: the octet is doubled.
    await peer.until(`${SB}${NAWS}\0\xff\xff\x01\x2c${SE}`)
  })
  const session = await client.connect(server.url, { columns: 80, rows: 24 })
  session.once('data', () => session.resize(255, 300))
  expect(await textOf(session)).toBe('resize')
  for (const [columns, rows] of [
    [0, 24],
    [80, 65_536],
    [1.5, 2],
  ] as const) {
    expect(() => session.resize(columns, rows)).toThrow(/whole number from 1 to 65535/)
  }
})

// threats.md 26: CR, LF and IAC of the app are text, and no command.
test.each([
  ['a\nb\n', 'a\r\nb\r\n'],
  ['a\r\nb\r\n', 'a\r\nb\r\n'],
  ['a\rb\r', 'a\r\nb\r\n'],
  ['\xff\xf4\xff\xfd\x06', '\xff\xff\xf4\xff\xff\xfd\x06'],
  ['\n\n\r\r\n\n', '\r\n\r\n\r\n\r\n\r\n'],
])('case 26, %j is written as %j, however it is cut', async (text, sent) => {
  for (const pieces of [[text], [...text]]) {
    await using server = await scriptedTelnet(async (peer) => {
      await peer.send('ready, ')
      expect(await peer.rest()).toBe(sent)
      await peer.send('over')
    })
    const session = await client.connect(server.url)
    for (const piece of pieces) session.write(Buffer.from(piece, 'latin1'))
    session.end()
    expect(await textOf(session)).toBe('ready, over')
  }
})

// threats.md 46: nothing of the environment is told, whatever is asked for.
test('case 46, environment, terminal and display are told only if they are given', async () => {
  const asks = `${DO}${NEW_ENVIRON}${DO}${TTYPE}${DO}${XDISPLOC}${SB}${NEW_ENVIRON}\x01\x03LD_PRELOAD\x00USER${SE}${SB}${TTYPE}\x01${SE}${SB}${XDISPLOC}\x01${SE}`
  const refused = `${WONT}${NEW_ENVIRON}${WONT}${TTYPE}${WONT}${XDISPLOC}`
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(`${asks}.`)
    expect(await peer.rest()).toBe(refused)
  })
  process.env.RETRIEVE_TEST_USERVAR = 'pl4nted'
  const session = await client.connect(server.url)
  session.once('data', () => session.end())
  await textOf(session)
  delete process.env.RETRIEVE_TEST_USERVAR
})

test('case 46, of what is given, what is asked for is told', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(`${DO}${NEW_ENVIRON}${DO}${TTYPE}${DO}${XDISPLOC}`)
    await peer.until(`${WILL}${NEW_ENVIRON}${WILL}${TTYPE}${WILL}${XDISPLOC}`)
    await peer.send(`${SB}${TTYPE}\x01${SE}`)
    await peer.until(`${SB}${TTYPE}\0vt100${SE}`)
    await peer.send(`${SB}${XDISPLOC}\x01${SE}`)
    await peer.until(`${SB}${XDISPLOC}\0h:0${SE}`)
    // A variable without a value is not defined (RFC 1572 2).
    await peer.send(`${SB}${NEW_ENVIRON}\x01\x03LD_PRELOAD\x00USER\x03LANG${SE}`)
    await peer.until(`${SB}${NEW_ENVIRON}\0\x03LD_PRELOAD\x00USER\x01bob\x03LANG\x01C${SE}`)
    await peer.send(`${SB}${NEW_ENVIRON}\x01${SE}`)
    await peer.until(`${SB}${NEW_ENVIRON}\0\x00USER\x01bob\x03LANG\x01C${SE}`)
    // A name that is asked for again and again is told once.
    await peer.send(`${SB}${NEW_ENVIRON}\x01${'\x03'.repeat(1000)}\x00USER\x00USER${SE}`)
    await peer.until(`${SB}${NEW_ENVIRON}\0\x03LANG\x01C\x00USER\x01bob${SE}`)
  })
  const told = { terminalType: 'vt100', displayLocation: 'h:0', environment: { USER: 'bob', LANG: 'C' } }
  expect(await textOf(await client.connect(server.url, told))).toBe('')
})

test.each([
  { environment: { USER: '-froot' } },
  { environment: { '-x': 'y' } },
  { environment: { USER: 'a\r\nb' } },
  { environment: { USER: 'a\x01b' } },
  { environment: 'USER=bob' },
  { terminalType: '-froot' },
  { terminalType: '' },
  { displayLocation: 'caf\u00e9' },
  { columns: 80 },
  { columns: 0, rows: 24 },
  { echo: 'yes' },
  { binary: 1 },
  { range: [0, 1] },
])('%j is no option', async (options) => {
  const error = await failure(client.connect('telnet://h/', options as object))
  expect(error).toMatchObject({ code: 'invalid-option' })
})

test('octets without conversion, if the server agrees', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.until(`${WILL}${BINARY}${DO}${BINARY}`)
    await peer.send(`${DO}${BINARY}${WILL}${BINARY}a\r\0\xff\xff`)
    await peer.until('\r\0\n\xff\xff')
  })
  const session = await client.connect(server.url, { binary: true })
  session.once('data', () => session.write(Buffer.from('\r\0\n\xff', 'latin1')))
  expect(await textOf(session)).toBe('a\r\0\xff')
  expect(session.options).toEqual(['server BINARY', 'client BINARY'])
})

test('signals are commands, and not data', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('ready')
    expect(await peer.rest()).toBe('\xff\xf6\xff\xf3\xff\xf4\xff\xf5\xff\xf1')
  })
  const session = await client.connect(server.url)
  for (const name of ['are-you-there', 'break', 'interrupt', 'abort-output', 'nop'] as const) session.signal(name)
  session.end()
  expect(await textOf(session)).toBe('ready')
  session.signal('nop')
})

test('the end of the input closes one direction, where the server has no terminal', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('ready\r\n')
    await peer.send(`${(await peer.rest()).length} octets`)
  })
  const session = await client.connect(server.url)
  session.end('one\ntwo\n')
  expect(await textOf(session)).toBe('ready\r\n10 octets')
})

test.each([
  ['two\n', 'two\r\n\x04'],
  ['two', 'two\x04\x04'],
  ['', '\x04'],
])('where it has a terminal, it is Ctrl-D: %j', async (input, sent) => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(`${DO}${TTYPE}`)
    await peer.until(`${WONT}${TTYPE}`)
    await peer.send(`${WILL}${ECHO}$ `)
    await peer.until(`\x04`)
    if (sent.endsWith('\x04\x04')) await peer.until('\x04')
    expect(peer.received.replaceAll(/\xff[\xfb-\xfe]./g, '')).toBe(sent)
    await peer.send('bye')
  })
  const session = await client.connect(server.url)
  session.end(input)
  expect(await textOf(session)).toBe('$ bye')
})

test('a service that waits for the user to speak gets what is written, and its end', async () => {
  await using server = await scriptedTelnet(async (peer) => peer.send(`${(await peer.rest()).length} octets`))
  const session = await client.connect(server.url)
  session.end('one\n')
  expect(await textOf(session)).toBe('5 octets')
})

test('input waits until the service has begun, however long it negotiates', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(`${DO}${TTYPE}`)
    await peer.until(`${WONT}${TTYPE}`)
    await peer.send(`${WILL}${ECHO}`)
    await peer.until(`${DONT}${ECHO}`)
    expect(peer.received).not.toContain('early')
    await peer.send('$ ')
    await peer.until('early\r\n')
  })
  const session = await client.connect(server.url)
  session.write('early\n')
  expect(await textOf(session)).toBe('$ ')
})

test('R33: once the input has ended, a silent server is given up after limits.idleTimeout', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('ready')
    await peer.rest()
    await peer.connection.stall()
    await new Promise((resolve) => peer.connection.stream.once('close', resolve))
  })
  const session = await client.connect(server.url, { limits: { idleTimeout: silence } })
  const given = withoutWaiting(() => {
    session.end()
    return failure(textOf(session))
  })
  expect(await given).toMatchObject({ code: 'timeout' })
})

test('R40: limits.totalTimeout, a signal and close() end a session', async () => {
  await using server = await scriptedTelnet((peer) => peer.rest())
  const timed = withoutWaiting(async () => {
    const session = await client.connect(server.url, { limits: { totalTimeout: silence } })
    return failure(textOf(session))
  })
  expect(await timed).toMatchObject({ code: 'timeout' })

  const stop = new AbortController()
  const stopped = await client.connect(server.url, { signal: stop.signal })
  stop.abort()
  expect(await failure(textOf(stopped))).toMatchObject({ code: 'aborted' })

  const own = createClient()
  const closed = await own.connect(server.url)
  void own.close()
  expect(await failure(textOf(closed))).toMatchObject({ code: 'aborted' })
  await server.waitForConnections(0)
})

test('case 42, text without end stops at limits.maxSize', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('x'.repeat(5000))
    await peer.rest()
  })
  const session = await client.connect(server.url, { limits: { maxSize: 4096 } })
  expect(await failure(textOf(session))).toMatchObject({ code: 'limit-exceeded' })
})

test('case 65, a subnegotiation without end stops at limits.maxReply', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send(SB + 'x'.repeat(70_000))
    await peer.rest()
  })
  const session = await client.connect(server.url)
  expect(await failure(textOf(session))).toMatchObject({ code: 'limit-exceeded' })
})

test('property 14: a server that resets the connection is an error', async () => {
  await using server = await scriptedTelnet(resetAfterX, { faults: { resetAfter: 0 } })
  const session = await client.connect(server.url)
  session.write('x\n')
  expect(await failure(textOf(session))).toMatchObject({ code: 'receive-failed' })
})

test('case 47, the user of the URL is advice, and the password is nowhere', async () => {
  const events: RetrievalEvent[] = []
  const own = createClient({ onEvent: (event) => void events.push(event) })
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('login: ')
    expect(await peer.rest()).toBe('')
  })
  const url = `telnet://bob:pl4nted@127.0.0.1:${server.port}/`
  const session = await own.connect(url)
  const closed = once(session, 'close')
  session.end()
  await textOf(session)
  expect(session).toMatchObject({ user: 'bob', host: '127.0.0.1', port: server.port, tls: false })
  expect(session.url).not.toContain('pl4nted')
  await closed
  expect(JSON.stringify(events)).not.toContain('pl4nted')
  expect(events.map(({ type }) => type)).toEqual(['resolved', 'connected', 'done'])
})

// threats.md 26: refused before any connection.
test.each([
  'telnet://u%ff%f4%0d%0a@127.0.0.1:PORT/',
  'telnet://127.0.0.1:PORT/%0D%0Arm',
  'telnet://-lroot@127.0.0.1:PORT/',
])('%s connects to nothing', async (url) => {
  await using server = await scriptedTelnet((peer) => peer.rest())
  const error = await failure(client.connect(url.replace('PORT', String(server.port))))
  expect(['refused', 'malformed-url']).toContain((error as { code: string }).code)
  expect(server.accepted).toBe(0)
})

test('what names no service has no session', async () => {
  expect(await failure(client.connect('data:,x'))).toMatchObject({ code: 'no-fetcher' })
  expect(await failure(client.connect('tn3270://h/'))).toMatchObject({ code: 'handoff' })
  await using own = createClient({ builtins: [] })
  expect(await failure(own.connect('telnet://h/'))).toMatchObject({ code: 'no-fetcher' })
})

test('a Gopher item of type 8 is the service that it names', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('welcome')
    expect(await peer.rest()).toBe('')
  })
  const session = await client.connect(`gopher://127.0.0.1:${server.port}/8guest`)
  expect(session.user).toBe('guest')
  session.end()
  expect(await textOf(session)).toBe('welcome')
})

test('DM whose IAC was urgent is no letter, behind an interrupt', async () => {
  await using server = await scriptedTelnet(async (peer) => {
    await peer.send('$ ')
    await peer.until('\x03')
    await peer.send('\xf2^C')
  })
  const session = await client.connect(server.url)
  session.once('data', () => session.write('\x03'))
  expect(await textOf(session)).toBe('$ ^C')
})

test('case 35, telnets: the session is within TLS, and the certificate is checked', async () => {
  await using server = await scriptedTelnet((peer) => peer.send('secret'), { tls: true })
  expect(await failure(client.connect(server.url))).toMatchObject({ code: 'certificate' })
  await using trusting = createClient({ tls: { ca: testCa } })
  const session = await trusting.connect(server.url)
  expect(session.tls).toBe(true)
  expect(await textOf(session)).toBe('secret')
})
