/** Connections that are kept: what they serve, and whom they do not. */
import type { Socket } from 'node:net'
import { createClient } from '@retriever/fetchers'
import { type FtpServerOptions, startFtpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { remarks, retries } from '../../../support/events.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { dialogues, type ScriptedTrial, scriptedTrial, type Trial, trial } from '../support/ftp-trial.ts'
import type { FtpPeer, Script } from '../support/scripted-ftp.ts'

/** The same names with other contents in several directories, below an entry directory that is not the root. */
const home: FtpServerOptions = {
  home: '/home/ann',
  files: {
    '/home/ann/x.txt': 'entry',
    '/home/ann/one/x.txt': 'one',
    '/home/ann/one/y.txt': 'one y',
    '/home/ann/one/deep/x.txt': 'one deep',
    '/home/ann/two/x.txt': 'two',
    '/x.txt': 'root',
  },
}

/** Retrieves paths one after the other and returns their texts. */
async function texts({ get }: Pick<Trial, 'get'>, ...paths: string[]): Promise<string[]> {
  const all: string[] = []
  for (const path of paths) all.push((await get(path)).toString())
  return all
}

/** A Trial's server keeps one connection while the client keeps a session. */
const kept = ({ server }: Trial): Promise<void> => server.waitForConnections(1)

describe('a session is kept after a good end', () => {
  // needs: pooling
  test('the same directory: no login, no CWD, nothing but the transfer', () =>
    trial(home, async (all) => {
      const { server } = all
      await all.get('one/x.txt')
      await kept(all)
      const before = server.received.length
      expect(await texts(all, 'one/y.txt', 'one/x.txt')).toEqual(['one y', 'one'])
      expect(server.accepted).toBe(1)
      const verbs = new Set(server.received.slice(before).map((line) => line.split(' ')[0]))
      expect([...verbs].filter((verb) => !['TYPE', 'SIZE', 'MDTM', 'EPSV', 'RETR'].includes(verb ?? ''))).toEqual([])
    }))

  // needs: pooling
  test('another directory: by the entry directory that PWD names, and the right files', () =>
    trial(home, async (all) => {
      const paths = ['one/x.txt', 'two/x.txt', 'x.txt', 'one/deep/x.txt', 'one/x.txt', '%2Fx.txt', 'two/x.txt']
      expect(await texts(all, ...paths)).toEqual(['one', 'two', 'entry', 'one deep', 'one', 'root', 'two'])
      // The first change may be one of connections: who is never asked to go back need not know where to.
      expect(all.server.accepted).toBeLessThanOrEqual(2)
      expect(all.server.received).toEqual(expect.arrayContaining(['PWD', 'CWD /home/ann']))
    }))

  // needs: pooling
  test('folders below a folder that is no entry directory: one login', () =>
    trial(home, async (all) => {
      await all.get('one/x.txt')
      await all.get('one/deep/x.txt')
      expect(await texts(all, 'one/x.txt', 'one/deep/x.txt')).toEqual(['one', 'one deep'])
      expect(all.server.accepted).toBe(1)
      expect(all.server.received).toEqual(expect.arrayContaining(['PWD', 'CWD /home/ann/one']))
    }))

  // needs: pooling
  test('a tree: no session is given up for another one', () => {
    const folders = ['one', 'two', 'one/deep', 'three', 'four', 'five', 'six']
    const files = Object.fromEntries(folders.flatMap((name) => ['x', 'y'].map((file) => [`/t/${name}/${file}`, name])))
    return trial({ files: { ...files, '/t/z': 'z' } }, async ({ client, server, url }) => {
      const found = []
      for await (const { path } of client.walk(url('%2Ft/'))) found.push(path)
      expect(found).toHaveLength(Object.keys(files).length + folders.length + 1)
      expect(server.accepted).toBeLessThanOrEqual(4)
    })
  })

  // needs: pooling
  test('a file, a listing, a text, a name list, a file: each in its own TYPE', () =>
    trial(
      { ...home, files: { ...home.files, '/home/ann/one/data.bin': octets, '/home/ann/one/t': 'a\nb\n' } },
      async (all) => {
        expectSame(await all.get('one/data.bin'), octets)
        expect((await all.get('one/')).toString()).toContain('data.bin\n')
        expectSame(await all.get('one/data.bin'), octets)
        expect((await all.get('one/t;type=a')).toString()).toBe('a\nb\n')
        expect((await all.get('one;type=d')).toString()).toContain('one/x.txt\n')
        expectSame(await all.get('one/data.bin'), octets)
        expect(all.server.accepted).toBeLessThanOrEqual(2)
      },
    ))

  // needs: pooling
  test('after a refusal: the next retrieval is none the worse', () =>
    trial(home, async (all) => {
      await all.get('one/x.txt')
      expect(await all.failure('one/none.txt')).toMatchObject({ code: 'not-found' })
      expect(await all.failure('none/x.txt')).toMatchObject({ code: 'not-found' })
      expect(await texts(all, 'one/x.txt', 'two/x.txt')).toEqual(['one', 'two'])
    }))

  test.each([
    ['given up at once', (all: Trial) => all.retrieve('big').then((body) => body.cancel())],
    [
      'given up in the middle',
      async (all: Trial) => {
        for await (const _ of await all.retrieve('big')) break
      },
    ],
    ['read in part, by a range', (all: Trial) => all.get('big', { range: [1000, 1999] })],
  ])('after a body %s nothing of it is taken for the next', (_, stop) =>
    trial({ ...home, home: '/', bigSize: 2 ** 30, files: { '/data.bin': octets } }, async (all) => {
      expectSame(await all.get('data.bin'), octets)
      await stop(all)
      expectSame(await all.get('data.bin'), octets)
    }),
  )

  // needs: pooling
  test('in TLS, where each data connection resumes the session of the control connection', () =>
    trial({ tls: true, sessionReuse: true, files: { '/data.bin': octets } }, async (all) => {
      for (let time = 0; time < 6; time++) expectSame(await all.get('data.bin'), octets)
      expect((await all.get('pub/')).toString()).toContain('a.bin')
      expect(all.server.accepted).toBe(1)
    }))

  test.each([true, 'explicit'] as const)(
    'tls %s, session reuse demanded: a first file, and a listing in two tries',
    (tls) =>
      trial({ tls, sessionReuse: true, faults: { replies: { MLSD: '500 what?\r\n' } } }, async ({ get }) => {
        expect((await get('pub/hello.txt')).toString()).toBe('Hello, world.\n')
        expect((await get('pub/')).toString()).toContain('a.bin')
      }),
  )

  // needs: pooling
  test('until the client is closed', () =>
    trial(home, async (all) => {
      await all.get('one/x.txt')
      await kept(all)
      await all.client.close()
      await all.server.waitForConnections(0)
      expect(all.server.received.at(-1)).toBe('QUIT')
    }))

  test('two clients share nothing', () =>
    trial(home, async (all) => {
      await all.get('one/x.txt')
      await using other = createClient()
      expect(await (await other.retrieve(all.url('one/x.txt'))).text()).toBe('one')
      expect(all.server.accepted).toBe(2)
    }))
})

describe('back to the entry directory', () => {
  /** An entry directory that PWD names by the first of these words; by the second, after the way back. */
  const pwd = (first: string, second = first): Script => {
    let home = true
    return {
      CWD(peer, line) {
        home = /^CWD [a-c]$/.test(line)
        peer.say('250 there\r\n')
      },
      PWD: (peer) => peer.say(`${home ? first : second}\r\n`),
      USER(peer) {
        home = true
        peer.say('331 password\r\n')
      },
    }
  }
  /** The dialogue by which the last of three files came. The first change of directory may be one of connections. */
  const lastOfThree = async ({ get, server }: ScriptedTrial): Promise<readonly string[]> => {
    for (const path of ['a/1', 'b/2', 'c/3']) expect((await get(path)).toString()).toBe('Hello, world.\n')
    return dialogues(server.received).find((lines) => lines.includes('RETR 3')) ?? []
  }

  // needs: pooling
  test.each([
    ['257 "/home/ann" is it', 'CWD /home/ann'],
    ['257 "/a ""b"" c"', 'CWD /a "b" c'],
    ['257 "DISK:[ANN]" is current', 'CWD DISK:[ANN]'],
    ['257 "/gr\xc3\xbc\xc3\x9fe" is it', 'CWD /gr\xc3\xbc\xc3\x9fe'],
  ])('%j: %j, and PWD again', (reply, command) =>
    scriptedTrial(pwd(reply), async (all) => {
      const lines = await lastOfThree(all)
      const wanted = ['RETR 2', command, 'PWD', 'CWD c', 'RETR 3']
      const from = lines.indexOf('RETR 2')
      expect(lines.slice(from).filter((line) => wanted.includes(line))).toEqual(wanted)
      expect(all.server.peers.length).toBeLessThanOrEqual(2)
    }),
  )

  test.each([
    ['PWD is not known', '502 no', '502 no'],
    ['it names nothing', '257 is current', '257 is current'],
    ['it is not closed', '257 "/home', '257 "/home'],
    ['it holds NUL', '257 "/a\0b"', '257 "/a\0b"'],
    ['it is another one after the way back', '257 "/home"', '257 "/elsewhere"'],
    ['it is refused after the way back', '257 "/home"', '550 no'],
  ])('%s: a new connection', (_, first, second) =>
    scriptedTrial(pwd(first, second), async (all) => {
      const lines = await lastOfThree(all)
      expect(lines).not.toContain('CWD a')
      expect(lines).not.toContain('CWD b')
      expect(all.server.received.join()).not.toContain('\0')
    }),
  )

  test('the way back is refused: a new connection', () => {
    const CWD = (peer: FtpPeer, line: string) => peer.say(line === 'CWD /home' ? '550 no\r\n' : '250 there\r\n')
    return scriptedTrial({ PWD: '257 "/home"\r\n', CWD }, async (all) => {
      const lines = await lastOfThree(all)
      expect(lines).not.toContain('CWD a')
      expect(lines).not.toContain('CWD b')
    })
  })
})

describe('case 38: a session serves nobody else', () => {
  test('another user', () =>
    trial({}, async (all) => {
      const { server, url } = all
      await texts(all, 'pub/hello.txt', url('pub/hello.txt', 'alice:secret'), 'pub/hello.txt')
      const users = server.received.filter((line) => line.startsWith('USER'))
      expect(new Set(users)).toEqual(new Set(['USER anonymous', 'USER alice']))
      for (const dialogue of dialogues(server.received)) {
        expect(dialogue.filter((line) => line.startsWith('USER'))).toHaveLength(1)
      }
    }))

  test('another password, which is wrong', () =>
    trial({}, async (all) => {
      await all.get(all.url('pub/hello.txt', 'alice:secret'))
      const error = await all.failure(all.url('pub/hello.txt', 'alice:wrong'))
      expect(error).toMatchObject({ code: 'auth-failed', reply: '530 Login incorrect.' })
      await all.get(all.url('pub/hello.txt', 'alice:secret'))
    }))

  test('a password that was asked for does not open the way for who has none', () => {
    const given = [{ user: 'alice', password: 'secret' }, null]
    return trial(
      {},
      async (all) => {
        await all.get(all.url('pub/hello.txt', 'alice'))
        // Whether or not it is asked again, nobody but alice is alice.
        await all.get('pub/hello.txt')
        const lines = dialogues(all.server.received).filter((dialogue) => dialogue[0] === 'USER anonymous')
        expect(lines).toHaveLength(1)
      },
      { credentials: () => given.shift() ?? null },
    )
  })

  test('TLS or none: the same host, port, user', () =>
    trial({ tls: 'explicit' }, async (all) => {
      const plain = all.server.url
      await all.get(`${plain}pub/hello.txt`)
      await all.get('pub/hello.txt')
      await all.get(`${plain}pub/hello.txt`)
      const secured = all.server.received.filter((line) => line === 'AUTH TLS')
      expect(secured).toHaveLength(1)
      // The password, were there one, would have gone where it belongs: the two connections are two.
      expect(all.server.accepted).toBeGreaterThanOrEqual(2)
    }))

  test('another port', async () => {
    await using one = await startFtpServer({ files: { '/x': 'one' } })
    await using two = await startFtpServer({ files: { '/x': 'two' } })
    await using client = createClient()
    for (const [server, text] of [
      [one, 'one'],
      [two, 'two'],
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      expect(await (await client.retrieve(`${server.url}x`)).text()).toBe(text)
    }
  })
})

describe('EPSV behind RETR', () => {
  const many = Array.from({ length: 20 }, (_, index) => `pub/${index}.bin`)
  /** Files of all sizes, so that the EPSV meets transfers at every stage. */
  const contents = Object.fromEntries(
    many.map((path, index) => [`/${path}`, index % 5 === 4 ? bigger(index) : octets.subarray(index, index * 600)]),
  )
  const all20 = async ({ get }: Pick<Trial, 'get'>): Promise<void> => {
    for (const path of many) expectSame(await get(path), contents[`/${path}`] ?? octets)
  }

  function bigger(index: number): Buffer {
    return Buffer.concat([Buffer.of(index), ...Array.from({ length: 50 }, () => octets)])
  }

  // needs: pooling
  test('twenty files in a row, over one connection', () =>
    trial({ files: contents }, async (place) => {
      await all20(place)
      expect(place.server.accepted).toBe(1)
    }))

  // needs: pooling
  test.each([{ dropOnEpsv: true }, { dropOnEpsv: true, chunking: 'glued' }] as const)(
    '%j: a server that drops the transfer for it is found out once, and every file is whole',
    (faults) =>
      trial({ files: contents, faults }, async (place) => {
        await all20(place)
        expect(place.server.accepted).toBeLessThanOrEqual(2)
        expect(retries(place.events).length).toBeLessThanOrEqual(1)
        expect(remarks(place.events)).toEqual([])
      }),
  )

  // needs: pooling
  test('found out is found out for all connections to that host', () =>
    trial({ files: contents, faults: { dropOnEpsv: true } }, async (place) => {
      await all20(place)
      const before = retries(place.events).length
      for (const path of many) {
        const body = await place.get(place.url(path, 'alice:secret'))
        expectSame(body, contents[`/${path}`] ?? octets)
      }
      expect(retries(place.events)).toHaveLength(before)
    }))

  test('a server that loses it', () =>
    trial({ files: contents, faults: { oneAtATime: 'discard' } }, all20, { limits: { idleTimeout: 1500 } }))

  /** Half of the file is there when the server turns to the EPSV. */
  const dropsInTheMiddle = (known: Script): Script => {
    let transfer: Socket | null = null
    let begun: Promise<unknown> = Promise.resolve()
    let offset = 0
    const send = async (peer: FtpPeer): Promise<void> => {
      const data = await peer.data()
      peer.say('150 -\r\n')
      transfer = data
      const rest = octets.subarray(offset)
      offset = 0
      data.write(rest.subarray(0, 5000))
      // Time for an EPSV that rides.
      await new Promise((done) => setTimeout(done, 30))
      if (transfer !== data) return
      transfer = null
      await new Promise<void>((done) => data.end(rest.subarray(5000), () => done()))
      peer.say('226 done\r\n')
    }
    return {
      ...known,
      REST(peer, line) {
        offset = Number(line.slice('REST '.length))
        peer.say('350 go on\r\n')
      },
      RETR(peer) {
        const sent = send(peer)
        begun = Promise.race([sent, new Promise((done) => setTimeout(done, 15))])
      },
      async EPSV(peer) {
        await begun
        transfer?.destroy()
        transfer = null
        peer.say(`229 passive (|||${peer.dataPort}|)\r\n`)
      },
      // All other commands wait for their turn.
      async SIZE(peer, line) {
        await begun
        answer(known.SIZE ?? '502 no\r\n', peer, line)
      },
    }
  }
  const answer = (words: Script[string], peer: FtpPeer, line: string): void =>
    void (typeof words === 'string' ? peer.say(words) : words(peer, line))

  // needs: pooling, resumption
  test('a server that drops the transfer in its middle', () =>
    scriptedTrial(
      dropsInTheMiddle({ SIZE: `213 ${octets.length}\r\n`, MDTM: '213 20010203040506\r\n' }),
      async ({ server, get, events }) => {
        for (let time = 0; time < 4; time++) expectSame(await get('data.bin'), octets)
        expect(server.peers.length).toBeLessThanOrEqual(2)
        expect(retries(events).length).toBeLessThanOrEqual(1)
      },
    ))

  test('and where nobody knows whether the file is still the same: it is whole, or partial', () =>
    scriptedTrial(dropsInTheMiddle({}), async ({ get }) => {
      for (let time = 0; time < 4; time++) {
        const outcome = await get('data.bin').catch((error: { code: string }) => error.code)
        if (typeof outcome === 'string') expect(outcome).toBe('partial')
        else expectSame(outcome, octets)
      }
    }))

  test('a server that answers it before 226, and sends the file all the same', () => {
    let answer: (() => void) | undefined
    const script: Script = {
      RETR: (peer) => {
        const transfer = async (): Promise<void> => {
          const data = await peer.data()
          peer.say('150 -\r\n')
          // Time for an EPSV that rides.
          await new Promise((done) => setTimeout(done, 20))
          answer?.()
          answer = undefined
          await new Promise<void>((done) => data.end(octets, () => done()))
          peer.say('226 done\r\n')
        }
        void transfer()
      },
    }
    return scriptedTrial(script, async ({ get }) => {
      for (let time = 0; time < 4; time++) expectSame(await get('data.bin'), octets)
    })
  })
})
