import { createServer } from 'node:net'
import { findScheme, resolve, type Scheme } from '@retriever/core'
import type { FtpPlan } from '@retriever/core/internal'
import { type ClientOptions, createClient, type Representation, type RetrievalEvent } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { type FtpServerOptions, startFtpServer, type TestServer, testCa } from '@retriever/servers'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readExtendedPort, readPassivePort } from '../../../packages/fetchers/src/protocols/ftp/transfer/data.ts'
import { failure } from '../../support/failure.ts'
import { expectLinear } from '../../support/growth.ts'
import { ftpMetadata } from '../../support/metadata.ts'
import { type FtpPeer, type Script, scriptedFtp, sending } from './support/scripted-ftp.ts'

/** Retrieves a path of an embedded server, hands it on, and waits until nothing is open any more. */
async function withServer<T>(
  options: FtpServerOptions,
  path: string,
  use: (representation: Representation, server: TestServer) => Promise<T>,
  clientOptions: ClientOptions = {},
): Promise<T> {
  await using server = await startFtpServer(options)
  await using client = createClient({ fetchers: [ftpFetcher()], ...clientOptions })
  const representation = await client.retrieve(`${server.url}${path}`)
  const result = await use(representation, server)
  await representation.cancel()
  await client.close()
  await server.waitForConnections(0)
  return result
}

/** The error for a path of an embedded server, at any stage. All connections are closed after it. */
async function failureOf(options: FtpServerOptions, url: string, clientOptions: ClientOptions = {}) {
  await using server = await startFtpServer(options)
  await using client = createClient({ fetchers: [ftpFetcher()], ...clientOptions })
  const target = url.includes('://') ? url.replace('HOST', `127.0.0.1:${server.port}`) : `${server.url}${url}`
  const error = await failure(client.retrieve(target).then((representation) => representation.bytes()))
  await client.close()
  await server.waitForConnections(0)
  return error
}

async function scripted(script: Script, path = 'hello.txt', options: ClientOptions = {}) {
  await using server = await scriptedFtp(script)
  await using client = createClient({ fetchers: [ftpFetcher()], limits: { maxRetries: 0 }, ...options })
  const outcome = await client
    .retrieve(`${server.url}${path}`)
    .then((representation) => representation.text())
    .catch((error: unknown) => error)
  await client.close()
  await server.closed()
  return { outcome, received: server.received }
}

/** A step of the dialogue is what it is about. */
const oneByOne: ClientOptions = { fetchers: [ftpFetcher({ pipelining: false })] }

const lines = (wire: readonly string[], password = ''): readonly string[] =>
  withoutAsides(wire.map((message) => message.replace(/\r\n$/, '').replace('<password>', password)))

/** What is sent where it costs no round trip, or where an answer allows it, and QUIT. */
const asides = /^(?:FEAT|OPTS|SIZE|MDTM|QUIT)\b|^<utf8>$/
const withoutAsides = (received: readonly string[]): readonly string[] => received.filter((line) => !asides.test(line))

describe('what is sent is what the plan says (RFC 1738 3.2)', () => {
  test.each([
    'readme.txt',
    'pub/a.bin',
    '%2Fetc/motd',
    '%2Fetc/motd;type=i',
    'etc/motd;type=a',
    'pub/a%3Btype%3Dd',
    '/etc/motd',
    '//etc/motd',
    'pub/%FF.txt',
    'pub/gr%C3%BC%C3%9Fe.txt',
    'pub/sub/deep/file.txt',
    'pub%2Fsub/deep/file.txt',
    'pub/name%20with%20spaces.txt',
    'pub/',
    '',
    'pub;type=d',
    'pub/;type=d',
  ])('%s', async (path) => {
    await withServer({}, path, async (representation, server) => {
      const { plan } = resolve(`${server.url}${path}`)
      expect((await representation.bytes()).length).toBeGreaterThan(0)
      expect(withoutAsides(server.received)).toEqual(lines(plan.wire))
    })
  })

  test('the password of a user', async () => {
    await using server = await startFtpServer()
    await using client = createClient({ fetchers: [ftpFetcher()] })
    const url = server.url.replace('//', '//alice:secret@')
    await (await client.retrieve(`${url}pub/hello.txt`)).bytes()
    await client.close()
    await server.waitForConnections(0)
    expect(withoutAsides(server.received)).toEqual(lines(resolve(`${url}pub/hello.txt`).plan.wire, 'secret'))
    expect(server.received.at(-1)).toBe('QUIT')
  })

  test('an empty segment that the server refuses in the entry directory is passed over', async () => {
    await withServer({ nullCwd: 'refuse' }, '/etc/motd', async (representation, server) => {
      expect(await representation.text()).toBe('Welcome to the test server.\n')
      expect(server.received).toEqual(expect.arrayContaining(['CWD ', 'CWD etc']))
    })
  })

  test('`CWD` alone is tried after `CWD ` with a null argument; behind another directory its refusal is an error', async () => {
    const script: Script = { CWD: (peer, line) => peer.say(line.trim() === 'CWD' ? '500 what?\r\n' : '250 ok\r\n') }
    const entry = await scripted(script, '/hello.txt')
    expect(entry.outcome).toBe('Hello, world.\n')
    expect(entry.received.slice(2, 5)).toEqual(['CWD ', 'CWD', 'TYPE I'])
    const inner = await scripted(script, 'pub//hello.txt')
    expect(inner.outcome).toMatchObject({ code: 'not-found', reply: '500 what?' })
    expect(String(inner.outcome)).toContain('empty segment 2')
  })

  // pure-ftpd and pyftpdlib, inetutils, vsftpd, proftpd.
  test.each([
    ['250 back in the entry directory', ['250', '250']],
    ['250 to CWD alone', ['500', '250']],
    ['550', ['550', '550']],
    ['501', ['501', '501']],
  ])('a double slash too many is not-found on all servers: the null argument has %s', async (_, [blank, bare]) => {
    const CWD = (peer: FtpPeer, line: string): void => {
      const code = line === 'CWD ' ? blank : line === 'CWD' ? bare : line === 'CWD hello.txt' ? '550' : '250'
      peer.say(`${code} -\r\n`)
    }
    for (const path of ['pub//hello.txt', 'pub//sub//hello.txt']) {
      const { outcome } = await scripted({ CWD, RETR: '550 no such file\r\n' }, path)
      expect(outcome).toMatchObject({ code: 'not-found' })
      expect(String(outcome)).toContain('rite the path without the double slash.')
    }
  })
})

describe('a file', () => {
  test('every octet, with the size that the server announces', async () => {
    await withServer({}, 'pub/a.bin', async (representation) => {
      expect(representation).toMatchObject({ kind: 'object', mediaType: null, size: 4096, completeness: 'verified' })
      expect(representation.modified).toEqual(new Date('2001-02-03T04:05:06Z'))
      const expected = Array.from({ length: 4096 }, (_, index) => index % 256)
      expect([...(await representation.bytes())]).toEqual(expected)
    })
  })

  test('an empty one', async () => {
    await withServer({}, 'pub/empty.txt', async (representation) => expect(await representation.text()).toBe(''))
  })

  test.each(['whole', 'bytes', 'split-crlf'] as const)(
    'type=a has the line ends of this machine, chunks %s',
    async (chunking) => {
      await withServer({ faults: { chunking } }, 'pub/dots.txt;type=a', async (representation) => {
        expect(representation).toMatchObject({ mediaType: 'text/plain', size: null })
        expect(await representation.text()).toBe('first line\n.\n..\n.leading dot\n...\nlast line\n')
      })
    },
  )

  test('type=a leaves a CR alone that is no line end, also the last one', async () => {
    const { outcome } = await scripted({ RETR: sending('a\rb\r\r\nc\r') }, 'x;type=a')
    expect(outcome).toBe('a\rb\r\nc\r')
  })

  test('the final reply may come before the data', async () => {
    await withServer({ faults: { earlyReply: true } }, 'pub/a.bin', async (representation) => {
      expect((await representation.bytes()).length).toBe(4096)
    })
  })

  test('a server that closes while the last octets are read has done its part', async () => {
    const { outcome } = await scripted({
      RETR: async (peer) => {
        const data = await peer.data()
        peer.say('150 -\r\n226 done\r\n421 too slow\r\n')
        peer.control.end()
        data.end('whole')
      },
    })
    expect(outcome).toBe('whole')
  })

  test('R41: one chunk is pulled when one is asked for', async () => {
    const progress: number[] = []
    const onEvent = (event: RetrievalEvent): unknown => event.type === 'progress' && progress.push(event.received)
    await using server = await startFtpServer({ bigSize: 64 * 1024 * 1024 })
    await using client = createClient({ onEvent })
    const representation = await client.retrieve(`${server.url}big`)
    const reader = representation.body.getReader()
    await reader.read()
    // The server has far more to send than the kernel holds, so no 226 can come, and the client must not read on.
    await new Promise((done) => setTimeout(done, 100))
    expect(progress).toHaveLength(1)
    await reader.cancel()
    await server.waitForConnections(0)
  })
})

describe('replies are the same whatever the segments are', () => {
  const dialogue = async (chunking: 'whole' | 'bytes' | 'split-crlf') => {
    const events: string[] = []
    const onEvent = (event: RetrievalEvent): void => {
      if (event.type === 'sent' || event.type === 'received') events.push(event.octets)
    }
    const text = await withServer(
      { faults: { chunking } },
      'pub/hello.txt',
      (representation) => representation.text(),
      {
        onEvent,
      },
    )
    return { text, events: events.map((octets) => octets.replace(/\d+(?=\|\))/, 'PORT')) }
  }

  test('whole, octet by octet, and cut between CR and LF', async () => {
    // No reply is late: a client that waits too long for one sends commands one by one.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const whole = await dialogue('whole')
    expect(whole.text).toBe('Hello, world.\n')
    expect(whole.events).toContain('229 Entering Extended Passive Mode (|||PORT|)\r\n')
    expect(await dialogue('bytes')).toEqual(whole)
    expect(await dialogue('split-crlf')).toEqual(whole)
  })

  test('a PASV reply whose last octets come later (basic-ftp would dial another port)', async () => {
    const { outcome } = await scripted({
      EPSV: '502 no\r\n',
      PASV: async (peer) => {
        const reply = `227 Entering Passive Mode (127,0,0,1,${peer.dataPort >> 8},${peer.dataPort & 255}).\r\n`
        peer.say(reply.slice(0, -6))
        // Long enough for a segment of its own.
        await new Promise((done) => setTimeout(done, 30))
        peer.say(reply.slice(-6))
      },
    })
    expect(outcome).toBe('Hello, world.\n')
  })

  test('lines within a reply may begin with anything', async () => {
    const PASS = '230-Welcome\r\n220 not the end\r\n \r\n230\r\n331-\r\n230 in\r\n'
    const { outcome } = await scripted({ PASS }, 'hello.txt', oneByOne)
    // `230` alone ends the reply; what follows is a reply too many.
    expect(outcome).toMatchObject({ code: 'protocol-violation' })
    const good = await scripted({ PASS: '230-Welcome\r\n220 not the end\r\n\r\n230-\r\n 230 x\r\n230 in\r\n' })
    expect(good.outcome).toBe('Hello, world.\n')
  })

  test('lines that end with LF alone', async () => {
    const { outcome } = await scripted({ greeting: '220-a\n220 b\n', TYPE: '200 ok\n' })
    expect(outcome).toBe('Hello, world.\n')
  })
})

describe('login', () => {
  test.each([
    ['ftp://alice:wrong@HOST/readme.txt', 'auth-failed', '530 Login incorrect.'],
    ['ftp://bob:secret@HOST/readme.txt', 'auth-required', '332 Need account for login.'],
    ['ftp://alice@HOST/readme.txt', 'auth-required', '331 Please specify the password.'],
  ])('%s: %s', async (url, code, reply) => {
    const error = await failureOf({}, url)
    expect(error).toMatchObject({ code, reply, phase: 'login' })
    expect(JSON.stringify(error) + error.message + error.stack).not.toMatch(/wrong|secret/)
  })

  test('a password that the URL does not give is asked for, once the server wants it', async () => {
    const asked: unknown[] = []
    await using server = await startFtpServer()
    const credentials = (challenge: unknown) => {
      asked.push(challenge, [...server.received])
      return { user: 'alice', password: 'secret' }
    }
    await using client = createClient({ credentials })
    await (await client.retrieve(`ftp://alice@127.0.0.1:${server.port}/readme.txt`)).bytes()
    const { port } = server
    expect(asked).toEqual([{ realm: 'alice@127.0.0.1', host: '127.0.0.1', port, user: 'alice' }, ['USER alice']])
    expect(server.received.slice(0, 3)).toEqual(['USER alice', 'PASS secret', 'TYPE I'])
  })

  test('another user than the URL has may be given', async () => {
    await using server = await startFtpServer()
    await using client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }) })
    await (await client.retrieve(`ftp://root@127.0.0.1:${server.port}/readme.txt`)).bytes()
    expect(server.received.slice(0, 3)).toEqual(['USER root', 'USER alice', 'PASS secret'])
  })

  test('a server that lets the user in at once gets no PASS', async () => {
    const { outcome, received } = await scripted({ USER: '230 in\r\n' }, 'hello.txt', oneByOne)
    expect(outcome).toBe('Hello, world.\n')
    expect(received.slice(0, 2)).toEqual(['USER anonymous', 'TYPE I'])
  })

  test('where PASS is under way already, it does not matter what the server makes of it', async () => {
    const { outcome } = await scripted({ USER: '230 in\r\n', PASS: '503 what for?\r\n' })
    expect(outcome).toBe('Hello, world.\n')
  })

  test('anonymous users are told that they are not wanted', async () => {
    const { outcome } = await scripted({ USER: '530 no guests\r\n' })
    expect(outcome).toMatchObject({ code: 'auth-failed', reply: '530 no guests' })
    expect(String(outcome)).toContain('ftp://USER@HOST/')
  })

  test('the password stands in no event and no error, even where the server repeats it', async () => {
    const events: RetrievalEvent[] = []
    await using server = await scriptedFtp({ PASS: (peer, line) => peer.say(`500 '${line}': not understood\r\n`) })
    await using client = createClient({ onEvent: (event) => events.push(event) })
    const error = await failure(client.retrieve(server.url.replace('//', '//alice:s3cr%FFt@')))
    expect(server.received).toContain('PASS s3cr\xFF\xFFt')
    expect(error.reply).toBe("500 'PASS <password>': not understood")
    const reported = events.filter((event) => event.type !== 'resolved')
    expect(JSON.stringify(reported) + error.message + error.stack).not.toContain('s3cr')
    expect(events).toContainEqual(expect.objectContaining({ type: 'sent', octets: 'PASS <password>\r\n' }))
  })
})

test.each([
  ['base64', 'czNjciB0IQ=='],
  ['base64 without padding', 'czNjciB0IQ'],
  ['escapes', 's3cr%20t%21'],
])('nor where the server repeats it in %s', async (_, repeated) => {
  const events: RetrievalEvent[] = []
  await using server = await scriptedFtp({ CWD: `530 alice, ${repeated}, may not\r\n` })
  await using client = createClient({ onEvent: (event) => events.push(event) })
  const error = await failure(client.retrieve(`${server.url.replace('//', '//alice:s3cr%20t!@')}pub/x`))
  expect(error.reply).toBe('530 alice, <password>, may not')
  expect(JSON.stringify(events) + error.message + error.stack).not.toContain(repeated)
})

test('nor later, when the server remembers it', async () => {
  const events: RetrievalEvent[] = []
  await using server = await scriptedFtp({ CWD: '530 alice, s3cr3t, may not\r\n' })
  await using client = createClient({ onEvent: (event) => events.push(event) })
  const error = await failure(client.retrieve(`${server.url.replace('//', '//alice:s3cr3t@')}pub/x`))
  expect(error.reply).toBe('530 alice, <password>, may not')
  expect(JSON.stringify(events) + error.message + error.stack).not.toContain('s3cr3t')
})

test('a password of one digit spoils no port', async () => {
  await using server = await scriptedFtp({})
  await using client = createClient()
  const url = `${server.url.replace('//', `//alice:${String(server.dataPort)[0]}@`)}pub/x`
  expect(await (await client.retrieve(url)).bytes()).toBeInstanceOf(Uint8Array)
})

describe('refusals', () => {
  test.each([
    ['pub/none.txt', 'not-found', '550 Failed to open file.', 'request'],
    ['none/hello.txt', 'not-found', '550 Failed to change directory.', 'request'],
    ['none/', 'not-found', '550 Failed to change directory.', 'request'],
    ['none;type=d', 'not-found', '550 Failed to change directory.', 'request'],
  ])('%s', async (path, code, reply, phase) => {
    const error = await failureOf({}, path)
    expect(error).toMatchObject({ code, reply, phase })
    expect(error.message).toContain(reply)
  })

  test.each([
    [{ RETR: '553 name not allowed\r\n' }, 'access-denied', '553 name not allowed'],
    [{ RETR: '532 need account\r\n' }, 'access-denied', '532 need account'],
    [{ RETR: '450 busy\r\n' }, 'server-refused', '450 busy'],
    [{ RETR: '425 no data connection\r\n' }, 'server-refused', '425 no data connection'],
    [{ RETR: '421 going down\r\n' }, 'server-refused', '421 going down'],
    [{ greeting: '421 too many users\r\n' }, 'server-refused', '421 too many users'],
    [{ greeting: '530 not from there\r\n' }, 'auth-failed', '530 not from there'],
    [{ USER: '421 bye\r\n' }, 'server-refused', '421 bye'],
    [{ CWD: '421 bye\r\n' }, 'server-refused', '421 bye'],
    [{ TYPE: '504 no such type\r\n' }, 'server-refused', '504 no such type'],
    [{ RETR: '550-many\r\n550 lines\r\n' }, 'not-found', '550 many lines'],
  ] satisfies [Script, string, string][])('%j', async (script, code, reply) => {
    const noDirectory: Script = { CWD: (peer, line) => peer.say(line === 'CWD b' ? '550 no\r\n' : '250 there\r\n') }
    expect((await scripted({ ...noDirectory, ...script }, 'a/b')).outcome).toMatchObject({ code, reply })
  })

  test('421 that comes while nothing was asked is the answer to the next command', async () => {
    const { outcome, received } = await scripted({ TYPE: '200 ok\r\n421 idle too long\r\n' }, 'x', oneByOne)
    expect(outcome).toMatchObject({ code: 'server-refused', reply: '421 idle too long' })
    expect(received).not.toContain('EPSV')
  })

  test('control characters of the server are shown harmless', async () => {
    const { outcome } = await scripted({ RETR: '550 \x1b[2J\x9b\r\n', CWD: '550 no\r\n' })
    expect(outcome).toMatchObject({ reply: '550 \\e[2J\\x9b' })
  })
})

describe('the data connection', () => {
  test.each([
    ['refused', { EPSV: '500 no\r\n' }],
    ['malformed', { EPSV: '229 Entering Extended Passive Mode\r\n' }],
    ['its port is dead', { EPSV: (peer) => deadPort(peer) }],
  ] satisfies [string, Script][])('EPSV %s: PASV', async (_, script) => {
    const { outcome, received } = await scripted(script, 'hello.txt', oneByOne)
    expect(outcome).toBe('Hello, world.\n')
    expect(received.slice(3)).toEqual(['EPSV', 'PASV', 'RETR hello.txt', 'QUIT'])
    const flight = await scripted(script)
    expect(flight.outcome).toBe('Hello, world.\n')
    expect(flight.received).toContain('PASV')
  })

  test('epsv: false asks for PASV at once', async () => {
    const { received } = await scripted({}, 'hello.txt', { fetchers: [ftpFetcher({ epsv: false })] })
    expect(withoutAsides(received).slice(3)).toEqual(['PASV', 'RETR hello.txt'])
    expect(() => ftpFetcher({ pasv: true } as never)).toThrow(/`ftpFetcher.pasv`/)
  })

  test('PASV that names a third host does not lead there', async () => {
    let visits = 0
    const victim = createServer((socket) => {
      visits++
      socket.destroy()
    })
    await new Promise<void>((done) => victim.listen(0, '127.0.0.2', done))
    const { outcome } = await scripted({
      EPSV: '500 no\r\n',
      PASV: (peer) => peer.say(`227 ok (127,0,0,2,${peer.dataPort >> 8},${peer.dataPort & 255})\r\n`),
    })
    await new Promise((done) => victim.close(done))
    expect(outcome).toBe('Hello, world.\n')
    expect(visits).toBe(0)
  })

  test.each([
    ['229 ok (|||25|)', undefined],
    ['229 ok (|||70000|)', undefined],
    ['229 ok (|||0|)', undefined],
    ['500 no', '227 ok (127,0,0,1,0,25)'],
    ['500 no', '227 ok (127,0,0,1,300,1)'],
    ['500 no', '227 ok (127,0,0,1,40,12'],
    ['500 no', '227 ok (127,0,0,1,40)'],
    ['500 no', '227 ok (1,127,0,0,1,40,12)'],
    ['500 no', '227 ok'],
  ])('%s, %s: nothing is dialled', async (epsv, pasv) => {
    const script = { EPSV: `${epsv}\r\n`, ...(pasv === undefined ? {} : { PASV: `${pasv}\r\n` }) }
    const { outcome, received } = await scripted(script)
    expect(outcome).toMatchObject({ code: 'protocol-violation', reply: pasv ?? epsv })
    expect(received.at(-1)).toBe('QUIT')
  })

  test('ports are read out of any text', () => {
    expect(readExtendedPort('Entering Extended Passive Mode (!!!6446!)')).toBe(6446)
    expect(readExtendedPort('(|||6446!)')).toBeUndefined()
    expect(readPassivePort('=127,0,0,1,25,33')).toBe(6433)
    expect(readPassivePort(`${'1,'.repeat(100_000)}1`)).toBeUndefined()
  })

  test('both ways refused: one clear error', async () => {
    const { outcome } = await scripted({ EPSV: '500 no\r\n', PASV: '502 neither\r\n' })
    expect(outcome).toMatchObject({ code: 'server-refused', reply: '502 neither' })
  })

  test('both ways dead: connect-failed, and why', async () => {
    const dead = (peer: { say(octets: string): void }) =>
      deadPort(peer, (port) => `227 ok (127,0,0,1,${port >> 8},${port & 255})`)
    const { outcome } = await scripted({ EPSV: '500 no\r\n', PASV: dead })
    expect(outcome).toMatchObject({ code: 'connect-failed', phase: 'connect' })
    expect(String(outcome)).toMatch(/No data connection to port \d+/)
  })
})

/** Names a port on which nobody listens. */
async function deadPort(
  peer: { say(octets: string): void },
  words: (port: number) => string = (port) => `229 ok (|||${port}|)`,
): Promise<void> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  peer.say(`${words(port)}\r\n`)
}

describe('a transfer that does not end well is partial', () => {
  test('fewer octets than announced, with 226', async () => {
    const error = await failureOf({ faults: { shortBody: 96 } }, 'pub/a.bin')
    expect(error).toMatchObject({ code: 'partial', phase: 'body', reply: '226 Transfer complete.' })
    expect(error.message).toContain('4096')
    expect(error.message).toContain('4000')
  })

  test('a reset', async () => {
    expect(await failureOf({ faults: { resetAfter: 1000 } }, 'pub/a.bin')).toMatchObject({
      code: 'partial',
      phase: 'body',
    })
  })

  test.each(['426 aborted', '451 disk error', '552 too much', '421 shutdown'])('%s after the data', async (last) => {
    const { outcome } = await scripted({ RETR: sending('half', '150 -\r\n', `${last}\r\n`) })
    expect(outcome).toMatchObject({ code: 'partial', phase: 'body', reply: last })
  })

  test('451 while the data connection stays open', async () => {
    const { outcome } = await scripted({
      RETR: async (peer) => {
        const data = await peer.data()
        peer.say('150 -\r\n')
        data.write('half', () => peer.say('451 read error\r\n'))
      },
    })
    expect(outcome).toMatchObject({ code: 'partial', reply: '451 read error' })
  })

  test.each(['end', 'resetAndDestroy'] as const)('the control connection is lost (%s)', async (how) => {
    const { outcome } = await scripted({
      RETR: async (peer) => {
        const data = await peer.data()
        peer.say('150 -\r\n')
        data.end('all of it', () => peer.control[how]())
      },
    })
    expect(outcome).toMatchObject({ code: 'partial', phase: 'body' })
  })

  test('no final reply in time: timeout in the body', async () => {
    const faults = { stall: 'final', replies: { SIZE: '502 no\r\n' } } as const
    const error = await failureOf({ faults }, 'pub/hello.txt', { limits: { idleTimeout: 1000, maxRetries: 0 } })
    expect(error).toMatchObject({ code: 'timeout', phase: 'body' })
  })
})

describe('a server that stands still', () => {
  test.each([
    ['greeting', 'greeting'],
    ['login', 'login'],
    ['response', 'request'],
    ['body', 'body'],
  ] as const)('R33: at its %s: timeout, phase %s', async (stall, phase) => {
    const error = await failureOf({ faults: { stall } }, 'pub/a.bin', { limits: { idleTimeout: 1000, maxRetries: 0 } })
    expect(error).toMatchObject({ code: 'timeout', phase })
  })

  test.each(['greeting', 'login', 'response', 'body'] as const)(
    'at its %s: an abort closes all sockets',
    async (stall) => {
      await using server = await startFtpServer({ faults: { stall } })
      const controller = new AbortController()
      // The moment when the server has stopped and we wait.
      const last = { greeting: 'connected', login: 'PASS', response: 'RETR', body: 'progress' }[stall]
      const onEvent = (event: RetrievalEvent): void => {
        const what = event.type === 'sent' ? event.octets.slice(0, 4) : event.type
        if (what === last) setImmediate(() => controller.abort())
      }
      await using client = createClient({ onEvent })
      const retrieval = client
        .retrieve(`${server.url}pub/a.bin`, { signal: controller.signal })
        .then((rep) => rep.bytes())
      expect(await failure(retrieval)).toMatchObject({ code: 'aborted' })
      await server.waitForConnections(0)
    },
  )
})

describe('a consumer that stops early closes both connections', () => {
  test.each([
    ['cancel', (representation: Representation) => representation.cancel()],
    ['cancel before the first octet', (representation: Representation) => representation.body.cancel()],
    [
      'break',
      async (representation: Representation) => {
        for await (const _ of representation) break
      },
    ],
  ] as const)('%s', async (_, stop) => {
    await withServer({ bigSize: 2 ** 30 }, 'big', (representation) => stop(representation))
  })

  test('a body that is returned before it was begun', async () => {
    await withServer({}, 'pub/', async (representation) => representation.cancel())
  })

  test('maxSize passed', async () => {
    const error = await failureOf({}, 'pub/a.bin', { limits: { maxSize: 100 } })
    expect(error).toMatchObject({ code: 'limit-exceeded', phase: 'body' })
  })
})

describe('a server that breaks the protocol', () => {
  test.each([
    ['a greeting of another protocol', { greeting: 'SSH-2.0-OpenSSH_9.2\r\n' }],
    ['a greeting that is none', { greeting: '250 in\r\n' }],
    ['two replies for one command', { TYPE: '200 ok\r\n200 ok\r\n' }],
    ['a reply before our command', { greeting: '220 ready\r\n331 password\r\n' }],
    ['226 before 150', { RETR: '226 done\r\n150 now\r\n' }],
    ['a reply of the wrong kind', { USER: '150 here\r\n' }],
    ['a positive reply that is no 229', { EPSV: '200 ok\r\n' }],
    ['a line that is no reply', { TYPE: 'what?\r\n' }],
    ['a code that does not exist', { TYPE: '600 protected\r\n' }],
    ['150 twice', { RETR: sending('x', '150 -\r\n150 -\r\n') }],
  ] satisfies [string, Script][])('%s', async (_, script) => {
    expect((await scripted(script)).outcome).toMatchObject({ code: 'protocol-violation' })
  })

  test('nothing is sent before a valid greeting', async () => {
    for (const greeting of ['SSH-2.0-x\r\n', '500 no\r\n', '250 x\r\n']) {
      const { received } = await scripted({ greeting })
      expect(received.filter((line) => line !== 'QUIT')).toEqual([])
    }
  })

  test('120 is waited out', async () => {
    expect((await scripted({ greeting: '120 in a minute\r\n220 now\r\n' })).outcome).toBe('Hello, world.\n')
  })

  test.each([
    ['before a greeting', { greeting: (peer) => void peer.control.end() }, 'greeting'],
    ['within a reply', { PASS: (peer) => void peer.control.end('230-wel') }, 'login'],
    ['instead of a reply', { RETR: (peer) => void peer.control.end() }, 'request'],
    ['by a reset', { TYPE: (peer) => void peer.control.resetAndDestroy() }, 'request'],
  ] satisfies [string, Script, string][])('the connection ends %s', async (_, script, phase) => {
    expect((await scripted(script)).outcome).toMatchObject({ code: 'receive-failed', phase })
  })

  test.each([
    ['a line without end', (octets: number) => '2'.repeat(octets), { maxLine: 1000 }, 1001],
    ['a line too long', (octets: number) => `220 ${'x'.repeat(octets)}\r\n`, { maxLine: 1000 }, 1001],
    ['a reply without end', (octets: number) => '220-x\r\n'.repeat(octets / 7), { maxReply: 7000 }, 7007],
    ['empty lines without end', (octets: number) => '\r\n'.repeat(octets / 2), { maxReply: 7000 }, 7002],
  ] as const)('%s: limit-exceeded, and the connection is closed', async (_, make, limits, octets) => {
    const { outcome } = await scripted({ greeting: make(octets) }, 'x', { limits })
    expect(outcome).toMatchObject({ code: 'limit-exceeded', phase: 'greeting' })
  })

  test('a reply of just the size allowed is taken, in linear time', () =>
    expectLinear(65_530, async (length) => {
      const greeting = `${'220-\r\n'.repeat(length / 6 - 2)}220 ok\r\n`
      expect((await scripted({ greeting })).outcome).toBe('Hello, world.\n')
    }))
})

describe('the one door for commands', () => {
  test.each(['a\r\nDELE b', 'a\nDELE b', 'a\0b', 'a\u010Ab'])(
    'refuses %j, whatever resolution let through',
    async (name) => {
      const builtin = findScheme('ftp') as Scheme
      const careless: Scheme = {
        ...builtin,
        lineParts: [],
        resolve: (locator, place) => ({ ...(builtin.resolve(locator, place) as FtpPlan), name }),
      }
      const { outcome, received } = await scripted({}, 'x', { schemes: [careless] })
      expect(outcome).toMatchObject({ code: 'refused', phase: 'policy' })
      expect(received.join()).not.toContain('DELE')
      expect(received).not.toContain('RETR a')
    },
  )
})

describe('ranges', () => {
  const ranged = (range: [number, number | null], options: FtpServerOptions = {}) => {
    return (async () => {
      await using server = await startFtpServer(options)
      await using client = createClient()
      const representation = await client.retrieve(`${server.url}pub/a.bin`, { range })
      const octets = await representation.bytes()
      await client.close()
      await server.waitForConnections(0)
      return { octets: [...octets], representation, received: server.received.slice(3) }
    })()
  }

  test('a SIZE of more digits than a number has is none', async () => {
    const script: Script = { SIZE: '213 99999999999999999999\r\n', REST: '350 go on\r\n' }
    await using server = await scriptedFtp(script)
    await using client = createClient({ fetchers: [ftpFetcher()] })
    const representation = await client.retrieve(`${server.url}a.bin`, { range: [4, null] })
    expect(representation.size).toBe(null)
    expect(await representation.text()).toBe('Hello, world.\n')
  })

  test('from an octet to the end: SIZE, REST, and the length is checked', async () => {
    const { octets, representation, received } = await ranged([4090, null])
    expect(octets).toEqual([250, 251, 252, 253, 254, 255])
    expect(representation).toMatchObject({ size: 6, completeness: 'verified' })
    expect(withoutAsides(received)).toEqual(['TYPE I', 'EPSV', 'REST 4090', 'RETR a.bin'])
  })

  test('from the first octet there is no REST', async () => {
    const { octets, received } = await ranged([0, 1])
    expect(octets).toEqual([0, 1])
    expect(received).not.toContain('REST 0')
  })

  test('the last octet is the last, and beyond the end there is nothing', async () => {
    expect((await ranged([10, 12])).octets).toEqual([10, 11, 12])
    expect((await ranged([4094, 9999])).octets).toEqual([254, 255])
  })

  test('of a file whose SIZE is 0, there are no last octets, and the whole is not given for them', async () => {
    const error = await failure(ranged([-10, null], { faults: { replies: { SIZE: '213 0\r\n' } } }))
    expect(error).toMatchObject({ code: 'range-refused' })
  })

  test('REST that is ignored is found out, not delivered', async () => {
    for (const range of [
      [4090, null],
      [4090, 4095],
      [4000, 4009],
      [1, 10],
    ] as const) {
      expect(await failure(ranged([...range], { faults: { ignoreRestart: true } }))).toMatchObject({
        code: 'range-refused',
      })
    }
  })

  test.each([
    ['pub/a.bin', [4096, null], 'request'],
    ['pub/a.bin;type=a', [1, null], 'resolve'],
    ['pub/', [1, null], 'resolve'],
  ] as const)('%s %j: range-refused', async (path, range, phase) => {
    await using server = await startFtpServer()
    await using client = createClient()
    expect(await failure(client.retrieve(`${server.url}${path}`, { range }))).toMatchObject({
      code: 'range-refused',
      phase,
    })
    await client.close()
    await server.waitForConnections(0)
  })

  test('a server without REST', async () => {
    await using server = await scriptedFtp({ REST: '502 no\r\n' })
    await using client = createClient()
    const error = await failure(client.retrieve(`${server.url}x`, { range: [1, null] }))
    expect(error).toMatchObject({ code: 'range-refused', reply: '502 no' })
  })
})

describe('TLS', () => {
  test('implicit: PBSZ, PROT, and data in TLS too', async () => {
    const secure: boolean[] = []
    const onEvent = (event: RetrievalEvent): unknown => event.type === 'connected' && secure.push(event.tls)
    const use = async (representation: Representation, server: TestServer): Promise<void> => {
      expect((await representation.bytes()).length).toBe(4096)
      expect(withoutAsides(server.received)).toEqual(lines(resolve(`${server.url}pub/a.bin`).plan.wire))
    }
    await withServer({ tls: true }, 'pub/a.bin', use, { tls: { ca: testCa }, onEvent })
    expect(secure).toEqual([true, true])
  })

  test.each(['bytes', 'split-crlf'] as const)('implicit, chunks %s', async (chunking) => {
    const use = (representation: Representation) => representation.text()
    const options = { tls: { ca: testCa } }
    expect(await withServer({ tls: true, faults: { chunking } }, 'pub/hello.txt', use, options)).toBe('Hello, world.\n')
  })

  test('a listing whose MLSD is unknown needs two data connections', async () => {
    const options: FtpServerOptions = { tls: true, faults: { replies: { MLSD: '500 what?\r\n' } } }
    await withServer(
      options,
      'pub/',
      async (representation) => expect(ftpMetadata(representation).format).toBe('list'),
      {
        tls: { ca: testCa },
      },
    )
  })

  test('case 35, the certificate is checked', async () => {
    expect(await failureOf({ tls: true }, 'pub/a.bin')).toMatchObject({ code: 'certificate' })
  })

  test.each(['cancel', 'abort'] as const)('%s closes all', async (how) => {
    const controller = new AbortController()
    await using server = await startFtpServer({ tls: true, bigSize: 2 ** 30 })
    await using client = createClient({ tls: { ca: testCa } })
    const representation = await client.retrieve(`${server.url}big`, { signal: controller.signal })
    const reader = representation.body.getReader()
    await reader.read()
    if (how === 'cancel') await reader.cancel()
    else controller.abort()
    await server.waitForConnections(0)
  })

  /** No built-in scheme has explicit TLS, but a plan may. */
  const explicit = (): Scheme => {
    const builtin = findScheme('ftp') as Scheme
    return {
      ...builtin,
      resolve: (locator, place) => ({ ...(builtin.resolve(locator, place) as FtpPlan), tls: 'explicit' }),
    }
  }
  const secured = (): ClientOptions => ({ schemes: [explicit()], tls: { ca: testCa } })

  test('explicit: AUTH TLS before anything else', async () => {
    const use = async (representation: Representation, server: TestServer): Promise<void> => {
      expect(await representation.text()).toBe('Hello, world.\n')
      expect(server.received.slice(0, 4)).toEqual(['AUTH TLS', 'PBSZ 0', 'PROT P', 'USER anonymous'])
    }
    await withServer({ tls: 'explicit' }, 'pub/hello.txt', use, secured())
  })

  test('explicit, refused: nothing goes in the clear', async () => {
    const { outcome, received } = await scripted({ AUTH: '502 no TLS\r\n' }, 'x', secured())
    expect(outcome).toMatchObject({ code: 'tls-failed', reply: '502 no TLS' })
    expect(received).toEqual(['AUTH TLS', 'QUIT'])
  })

  test.each(['234 ok\r\n230 in\r\n', '234 ok\r\n230 '])(
    'explicit, with more than 234 in the clear: %j',
    async (AUTH) => {
      const { outcome, received } = await scripted({ AUTH }, 'x', secured())
      expect(outcome).toMatchObject({ code: 'protocol-violation' })
      expect(received).not.toContain('USER anonymous')
    },
  )
})
