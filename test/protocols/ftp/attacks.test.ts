/** Cases of docs/internals/threats.md, section 1, by number: what URLs and hostile servers try, and must not get. */
import { type AddressInfo, createServer } from 'node:net'
import { hostname, userInfo } from 'node:os'
import { encodeOctets, resolve } from '@retriever/core'
import type { FtpPlan } from '@retriever/core/internal'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { startFtpServer, testCa } from '@retriever/servers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { dialled } from '../../support/events.ts'
import { failure as failureOf } from '../../support/failure.ts'
import { runs } from '../../support/runs.ts'
import { explicitTls, scriptedTrial, trial } from './support/ftp-trial.ts'
import { type FtpPeer, type Script, sending } from './support/scripted-ftp.ts'

const hello = 'Hello, world.\n'

describe('case 3, listing traversal: a name leads nowhere but into its directory', () => {
  const evil = [
    ...['../../.bashrc', '/etc/x', 'a/../../b', '..', '.', '', './', '../', 'a/b', '/', '//x', 'x\0y', '\0'],
    ...['..\\x', 'C:x', 'CON', 'nul.txt', 'a. ', '~', '-rf', '%2e%2e', '%2F', '\x1b]52;c;x\x07', 'gnp\xe2\x80\xae.exe'],
    'x'.repeat(300),
  ]
  const dated = (name: string) => `-rw-r--r--   1 ann      ann            27 Feb  3  2001 ${name}`
  const styles: Readonly<Record<string, (name: string) => string>> = {
    MLSD: (name) => `type=file;size=27; ${name}`,
    'MLSD, directories': (name) => `type=dir; ${name}`,
    'MLSD, links': (name) => `type=OS.unix=slink:/home/ann; ${name}`,
    Unix: dated,
    'Unix, directories': (name) => dated(name).replace('-', 'd'),
    'Unix, links': (name) => `${dated(name).replace('-', 'l')} -> /home/ann`,
    DOS: (name) => `02-03-01  04:05AM                   27 ${name}`,
    EPLF: (name) => `+r,s27,\t${name}`,
    NLST: (name) => name,
  }

  test.each(Object.entries(styles))('%s', (style, line) => {
    const lines = [...evil, 'good.txt'].map((name) => `${line(name)}\r\n`).join('')
    const script: Script = style.startsWith('MLSD')
      ? { MLSD: sending(lines) }
      : {
          MLSD: '500 what?\r\n',
          ...(style === 'NLST' ? { LIST: '502 no\r\n' } : {}),
          [style === 'NLST' ? style : 'LIST']: sending(lines),
        }
    return scriptedTrial({ ...script, RETR: sending(hello) }, async ({ server, retrieve, get, url }) => {
      const entries = await entriesOf(await retrieve('pub/'))
      expect(entries.at(-1)).toMatchObject({ name: 'good.txt' })
      const urls = entries.flatMap((entry) => entry.url ?? [])
      for (const each of urls) {
        const { cwd, name } = resolve(each).plan as FtpPlan
        const inner = cwd.slice(1).concat(name === '' ? [] : [name])
        expect(each.startsWith(url('pub/')), each).toBe(true)
        expect(cwd[0]).toBe('pub')
        expect(inner).toHaveLength(1)
        expect(inner[0]).not.toMatch(/^(\.\.?)?$|[/\0]/)
      }
      // Each is retrieved by its very name, and nothing else is said.
      const files = urls.filter((each) => !each.endsWith('/'))
      const before = server.received.length
      for (const each of files) expect((await get(each)).toString()).toBe(hello)
      const asked = server.received.slice(before).filter((command) => command.startsWith('RETR '))
      expect(asked).toEqual(files.map((each) => `RETR ${(resolve(each).plan as FtpPlan).name}`))
    })
  })
})

describe('case 4, commands in the path: refused before anything is opened', () => {
  test.each([
    'a%0d%0aDELE%20x',
    'a%0aDELE%20x',
    'a%0d',
    'a%00',
    'a%00/x',
    'a%0d%0a/x',
    '%0a/',
    'x;type=a%0d',
    'x;type=a%0d%0aDELE%20y',
    'x%0d%0a;type=d',
  ])('%s', (path) =>
    trial({}, async ({ server, client, url, events, failure }) => {
      const error = await failure(path)
      expect(error.code).toMatch(/^(refused|malformed-url)$/)
      await expect(client.open(url(path))).rejects.toMatchObject({ code: error.code })
      await expect(client.fetch(url(path))).rejects.toThrow()
      for await (const outcome of client.retrieveAll([url(path)]))
        expect(outcome.error).toMatchObject({ code: error.code })
      expect(server.accepted).toBe(0)
      expect(dialled(events)).toEqual([])
    }),
  )

  test('nor by a policy that allows everything else', async () => {
    await using server = await startFtpServer()
    await using client = createClient({ policy: { allow: ['foreign-port', 'option-injection'] } })
    expect(await failureOf(client.retrieve(`${server.url}a%0d%0aDELE%20x`))).toMatchObject({ code: 'refused' })
    expect(server.accepted).toBe(0)
  })

  test('property 16: whatever octets a path holds, each line is one command, and the commands are the plan', async () => {
    const segment = fc
      .array(
        fc.integer({ min: 1, max: 255 }).filter((octet) => octet !== 10 && octet !== 13),
        { maxLength: 8 },
      )
      .map((list) => String.fromCharCode(...list))
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).filter((list) => list.at(-1) !== '')
    await fc.assert(
      fc.asyncProperty(path, (segments) =>
        scriptedTrial({}, async ({ server, url, get }) => {
          const target = url(segments.map((octets) => encodeOctets(octets)).join('/'))
          expect((await get(target)).toString()).toBe(hello)
          for (const line of server.received) expect(line).toMatch(/^[A-Z]{3,4}( [^\r\n\0]*)?$/s)
          const said = server.received.filter((line) => /^(CWD|RETR)/.test(line))
          const planned = resolve(target).plan.wire.filter((line) => /^(CWD|RETR)/.test(line))
          expect(said).toEqual(planned.map((line) => line.slice(0, -2)))
        }),
      ),
      { numRuns: runs(40) },
    )
  })
})

describe('case 5, commands in the login: refused before anything is opened, and the password is nowhere', () => {
  test.each(['u:s3cr3t%0d%0aDELE%20x', 'u:s3cr3t%0a', 'u:s3cr3t%00', 'u%0d%0aDELE%20x:s3cr3t', 'u%00:s3cr3t'])(
    '%s',
    (user) =>
      trial({}, async ({ server, url, events, failure }) => {
        const error = await failure(url('pub/hello.txt', user))
        expect(error.code).toMatch(/^(refused|malformed-url)$/)
        const told = JSON.stringify([error, error.message, error.stack, error.cause ?? null, events])
        expect(told).not.toContain('s3cr3t')
        expect(server.accepted).toBe(0)
      }),
  )

  test.each([
    { user: 'alice', password: 's3cr3t\r\nDELE x' },
    { user: 'alice', password: 's3cr3t\0' },
    { user: 'alice\r\nDELE x', password: 's3cr3t' },
  ])('asked for: $user $password', (known) =>
    trial(
      {},
      async ({ server, url, events, failure }) => {
        const error = await failure(url('pub/hello.txt', 'alice'))
        expect(error.code).toMatch(/^(refused|invalid-option)$/)
        expect(server.received.join('\n')).not.toMatch(/DELE|\0/)
        expect(JSON.stringify([error, error.message, error.stack, events])).not.toContain('s3cr3t')
      },
      { credentials: () => known },
    ),
  )
})

describe('case 12, STARTTLS injection: what came in the clear is no answer to what is said in TLS', () => {
  const limits = { connectTimeout: 1000, idleTimeout: 1000 }
  const secured: ClientOptions = { schemes: [explicitTls], tls: { ca: testCa }, limits }

  test.each([
    ['234 and a reply in one segment', (peer) => peer.say('234 ok\r\n230 in\r\n')],
    ['234 and a greeting in one segment', (peer) => peer.say('234 go\r\n220 x\r\n')],
    ['234 and half a reply in one segment', (peer) => peer.say('234 ok\r\n23')],
    ['234 and an octet', (peer) => peer.say('234 ok\r\n ')],
    [
      '234, and a reply a moment later',
      async (peer) => {
        peer.say('234 go\r\n')
        await new Promise((done) => setTimeout(done, 5))
        peer.say('230 in\r\n')
      },
    ],
    [
      '234, and a reply to the handshake',
      (peer) => {
        peer.say('234 go\r\n')
        peer.control.once('data', () => peer.say('230 in\r\n331 x\r\n'))
      },
    ],
  ] satisfies [string, Script[string]][])('%s: over, and no USER in the clear', (_, AUTH) =>
    scriptedTrial(
      { AUTH },
      async ({ server, url, failure }) => {
        const error = await failure(url('hello.txt', 'alice:s3cr3t').replace('ftp:', 'ftpes:'))
        expect(error.code).toMatch(/^(protocol-violation|tls-failed)$/)
        expect(server.segments.join('')).not.toMatch(/USER|PASS|alice|s3cr3t/)
        expect(server.received.filter((line) => line === 'AUTH TLS')).toHaveLength(server.peers.length)
      },
      secured,
    ),
  )

  // needs: explicit TLS (the scheme ftpes)
  test('by the scheme that is built in, too', () =>
    scriptedTrial(
      { AUTH: '234 ok\r\n230 in\r\n' },
      async ({ server, url, failure }) => {
        expect(await failure(url('x').replace('ftp:', 'ftpes:'))).toMatchObject({ code: 'protocol-violation' })
        expect(server.segments.join('')).not.toContain('USER')
      },
      { tls: { ca: testCa } },
    ))
})

describe('case 13, TLS stripping: whatever the server says, nothing goes in the clear', () => {
  const secured: ClientOptions = { schemes: [explicitTls], tls: { ca: testCa }, limits: { idleTimeout: 400 } }

  test.each(['500', '502', '504', '530', '534', '421', '120', '200', '220', '230', '331', '334', '235'])(
    'AUTH TLS is answered %s',
    (code) =>
      scriptedTrial(
        { AUTH: `${code} as you like\r\n` },
        async ({ server, url, failure }) => {
          const error = await failure(url('hello.txt', 'alice:s3cr3t').replace('ftp:', 'ftpes:'))
          expect(error.code).toMatch(/^(tls-failed|protocol-violation|server-refused|timeout)$/)
          if (/^5/.test(code)) expect(error.code).toBe('tls-failed')
          expect(server.received.filter((line) => !/^(AUTH TLS|QUIT)$/.test(line))).toEqual([])
        },
        secured,
      ),
  )

  test('AUTH TLS ends the connection: not tried again in the clear', () =>
    scriptedTrial(
      { AUTH: (peer) => void peer.control.destroy() },
      async ({ server, url, failure }) => {
        await failure(url('hello.txt', 'alice:s3cr3t').replace('ftp:', 'ftpes:'))
        expect(server.segments.join('')).not.toMatch(/USER|PASS/)
      },
      secured,
    ))

  test.each([true, 'explicit'] as const)('case 37, tls %s: PROT P is refused, so no data are asked for', (tls) =>
    trial({ tls, faults: { replies: { PROT: '534 not here\r\n' } } }, async ({ server, failure }) => {
      expect(await failure('pub/hello.txt')).toMatchObject({ code: 'tls-failed', reply: '534 not here' })
      expect(server.received.filter((line) => /^(RETR|MLSD|LIST|NLST)/.test(line))).toEqual([])
    }),
  )

  test('a data connection that does not begin TLS', () =>
    trial({ tls: 'explicit', faults: { replies: { PROT: '200 P\r\n' } } }, async ({ server, failure }) => {
      // The server believes that data go in the clear: what comes is no handshake.
      expect((await failure('pub/hello.txt')).code).toMatch(/^(tls-failed|partial|receive-failed)$/)
      expect(server.received).toContain('PROT P')
    }))

  test('a data connection that is reset before TLS begins on it', async () => {
    // After the client has seen it open, and long before the 150.
    const resetting = createServer((socket) => void setTimeout(() => socket.resetAndDestroy(), 20))
    await new Promise<void>((done) => resetting.listen(0, '127.0.0.1', done))
    const { port } = resetting.address() as AddressInfo
    const replies = {
      EPSV: `229 passive (|||${port}|)\r\n`,
      PASV: `227 passive (127,0,0,1,${port >> 8},${port & 255})\r\n`,
      RETR: '150 here it comes\r\n',
    }
    await trial(
      { tls: 'explicit', faults: { delay: 100, replies } },
      async ({ failure }) => {
        expect(await failure('pub/hello.txt')).toMatchObject({ code: 'connect-failed', transient: true })
      },
      { limits: { maxRetries: 0 } },
    )
    await new Promise((done) => resetting.close(done))
  })
})

describe('case 17, PASV to a third host: the control connection has the host', () => {
  /** Somebody else, on the same port as the server's data. */
  async function victim(port: number) {
    let visits = 0
    const server = createServer((socket) => {
      visits++
      socket.destroy()
    })
    await new Promise<void>((done) => server.listen(port, '127.0.0.2', done))
    return {
      visits: () => visits,
      [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
    }
  }

  const high = ({ dataPort }: FtpPeer) => `${dataPort >> 8},${dataPort & 255}`
  const refusing: Script = { EPSV: '500 what?\r\n' }

  test.each([
    ['227 with another address', { ...refusing, PASV: (peer) => peer.say(`227 (127,0,0,2,${high(peer)})\r\n`) }],
    ['227 with a private address', { ...refusing, PASV: (peer) => peer.say(`227 (10,0,0,5,${high(peer)})\r\n`) }],
    ['227 with no address', { ...refusing, PASV: (peer) => peer.say(`227 (0,0,0,0,${high(peer)})\r\n`) }],
    ['229 with another address', { EPSV: (peer) => peer.say(`229 (|1|127.0.0.2|${peer.dataPort}|)\r\n`) }],
    ['229 with a name', { EPSV: (peer) => peer.say(`229 (|1|evil.example|${peer.dataPort}|)\r\n`) }],
  ] satisfies [string, Script][])('%s', (_, script) =>
    scriptedTrial(script, async ({ server, events, get }) => {
      await using third = await victim(server.dataPort)
      expect((await get('hello.txt')).toString()).toBe(hello)
      expect((await get('hello.txt')).toString()).toBe(hello)
      const addresses = events.flatMap((event) => (event.type === 'connected' ? [event.address] : []))
      expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']))
      expect(third.visits()).toBe(0)
    }),
  )

  // needs: PASV after 425
  test('227 with another address, after 425', () => {
    let tries = 0
    const RETR = (peer: FtpPeer) => (tries++ === 0 ? peer.say('425 no\r\n') : sending(hello)(peer))
    const PASV = (peer: FtpPeer) => peer.say(`227 (127,0,0,2,${high(peer)})\r\n`)
    return scriptedTrial({ RETR, PASV }, async ({ server, get }) => {
      await using third = await victim(server.dataPort)
      expect((await get('hello.txt')).toString()).toBe(hello)
      expect(server.received).toContain('PASV')
      expect(third.visits()).toBe(0)
    })
  })
})

describe('case 18, a low or bad port: nothing is dialled', () => {
  const bad = ['25', '0', '80', '1023', '65536', '70000', '99999', '-1', '0x1388', '00000000022', '1e4', '٣٠٠٠', '']

  test.each(bad)('EPSV says %j', (port) =>
    scriptedTrial(
      { EPSV: `229 (|||${Buffer.from(port).toString('latin1')}|)\r\n` },
      async ({ server, events, get }) => {
        // Where it is no port at all, PASV may be asked, which here is honest.
        const error = await get('hello.txt').then(
          () => null,
          (reason: unknown) => reason,
        )
        if (error !== null) expect(error).toMatchObject({ code: 'protocol-violation' })
        expect(dialled(events).filter((each) => each !== server.port && each !== server.dataPort)).toEqual([])
        if (/^\d{1,5}$/.test(port)) expect(error).not.toBe(null)
      },
    ),
  )

  test.each(['0,25', '0,0', '3,255', '300,1', '40,12', '40', '-1,5', '256,256', '40,12,13', '0x40,1', ' 40, 12 x'])(
    'PASV says 127,0,0,1,%s',
    (octetsOfPort) =>
      scriptedTrial(
        {
          EPSV: '500 what?\r\n',
          PASV: `227 Entering (127,0,0,1,${octetsOfPort}${octetsOfPort === '40,12' ? '' : ')'}\r\n`,
        },
        async ({ server, events, failure }) => {
          expect(await failure('hello.txt')).toMatchObject({ code: 'protocol-violation' })
          expect(dialled(events)).toEqual(dialled(events).map(() => server.port))
        },
      ),
  )

  // needs: pooling (the second port may have been asked for behind the first RETR)
  test.each(['229 (|||25|)', '229 (|||0|)', '227 (127,0,0,1,0,25)'])(
    'in a session that has served before: %s',
    (reply) => {
      let asked = 0
      const EPSV = (peer: FtpPeer) => peer.say(asked++ < 1 ? `229 (|||${peer.dataPort}|)\r\n` : `${reply}\r\n`)
      const PASV = '227 (127,0,0,1,0,25)\r\n'
      return scriptedTrial({ EPSV, PASV }, async ({ server, events, get }) => {
        expect((await get('hello.txt')).toString()).toBe(hello)
        for (let time = 0; time < 3; time++) await get('hello.txt').catch((error) => expect(error.code).toMatch(/-/))
        expect(dialled(events).filter((each) => each !== server.port && each !== server.dataPort)).toEqual([])
      })
    },
  )
})

test('case 83, anonymous FTP tells neither the name of the user nor that of this machine', () =>
  trial({}, async ({ server, retrieve }) => {
    await (await retrieve('pub/hello.txt')).bytes()
    const said = server.received.join('\n')
    expect(said).toMatch(/^USER anonymous\nPASS anonymous@\n/)
    const { username } = userInfo()
    // In a container, they may be words of the protocol.
    for (const name of [username, hostname()]) if (name.length > 3) expect(said).not.toContain(name)
  }))
