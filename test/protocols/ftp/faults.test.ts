/** The faults R14 to R24 of docs/internals/threats.md, section 3. */

import { EventEmitter, once as event } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientOptions, Representation } from '@retriever/fetchers'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import type { Faults, FtpServerOptions } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { remarks, retries } from '../../support/events.ts'
import { chunkings, expectSame, octets } from '../../support/octets.ts'
import { isFull } from '../../support/runs.ts'
import { dialogues, files, numberIn, scriptedTrial, type Trial, trial } from './support/ftp-trial.ts'
import { type FtpPeer, mortal, type Script, sending } from './support/scripted-ftp.ts'

/** Temporary trouble is not tried again. */
const once: ClientOptions = { limits: { maxRetries: 0 } }
const path = 'pub/data.bin'
const cut = 6000
const overlap = 4096
const modified = '213 20010203040506\r\n'

const withFaults = (faults: Faults, more: FtpServerOptions = {}): FtpServerOptions => ({ files, ...more, faults })
const chunks = chunkings.map((chunking) => ({ chunking }))
/** Each way but single octets, which cost the most: `npm test` has them for one of the tests that are alike. */
const larger = isFull ? chunks : chunks.filter(({ chunking }) => chunking !== 'bytes')

/**
 * The second try went on where the first had ended, a little before it, and not before SIZE and MDTM were seen to be
 * the same.
 */
function expectResumed({ server, events }: Trial): void {
  expect(server.accepted).toBe(2)
  expect(retries(events)).toMatchObject([{ code: 'partial' }])
  const again = dialogues(server.received)[1] ?? []
  const rest = numberIn(again, 'REST') ?? 0
  expect(rest).toBeGreaterThanOrEqual(cut - overlap)
  expect(rest).toBeLessThanOrEqual(cut)
  const order = ['SIZE data.bin', 'MDTM data.bin', `REST ${rest}`, 'RETR data.bin']
  expect(again.filter((line) => order.includes(line))).toEqual(order)
}

describe('R14: the data end early, with 426 or 451: reconnect, SIZE and MDTM equal, REST', () => {
  // needs: resumption
  describe.each([
    ['FIN, 426', { cutAfter: cut }],
    ['FIN, 451', { cutAfter: cut, replies: { 426: ['451 local error\r\n'] } }],
    ['RST, 426', { resetAfter: cut }],
    ['the end of the control connection too', { crashAfter: cut }],
  ] satisfies [string, Faults][])('%s', (name, faults) => {
    test.each(name === 'FIN, 426' ? chunks : larger)('chunks $chunking', ({ chunking }) =>
      trial(withFaults({ ...faults, bodies: 1, chunking }), async (all) => {
        const representation = await all.retrieve(path)
        expect(representation).toMatchObject({ size: octets.length, offset: 0 })
        expectSame(await representation.bytes(), octets)
        expectResumed(all)
        expect(remarks(all.events)).toEqual([])
      }),
    )

    test('in TLS', () =>
      trial(withFaults({ ...faults, bodies: 1 }, { tls: true, sessionReuse: true }), async (all) => {
        expectSame(await all.get(path), octets)
        expect(all.server.accepted).toBe(2)
      }))
  })

  // needs: resumption
  test('in a session that has served before, and again after it', () =>
    trial(withFaults({}), async (all) => {
      expectSame(await all.get(path), octets)
      all.server.setFaults({ cutAfter: cut, bodies: 1 })
      expectSame(await all.get(path), octets)
      expectSame(await all.get(path), octets)
      expect(retries(all.events)).toHaveLength(1)
    }))

  // needs: resumption
  test('pieces of a large file: each goes on where the one before ended', () =>
    trial(
      withFaults({ cutAfter: 5000 }),
      async ({ get, events, server }) => {
        expectSame(await get(path), octets)
        // 5000 octets at first, then 5000 of which the overlap is known already.
        expect(retries(events).length).toBeGreaterThan(3)
        const rests = dialogues(server.received).map((lines) => numberIn(lines, 'REST') ?? 0)
        expect(rests).toEqual([...rests].sort((a, b) => a - b))
      },
      { limits: { maxRetries: 100, maxRetryDelay: 1 } },
    ))

  // needs: resumption
  test.each([
    ['nothing at all comes', { cutAfter: 0 }],
    ['nothing new comes', { resetAfter: 1000 }],
  ] satisfies [string, Faults][])('%s: three more tries, and then it is partial', (_, faults) =>
    trial(withFaults(faults), async ({ failure, server }) => {
      expect(await failure(path)).toMatchObject({ code: 'partial', phase: 'body' })
      expect(server.accepted).toBe(4)
    }),
  )

  test.each([
    ['its size', { SIZE: [`213 ${octets.length}\r\n`, `213 ${octets.length + 1}\r\n`] }],
    ['its time', { MDTM: [modified, '213 20200101000000\r\n'] }],
    ['whether it has a size', { SIZE: [`213 ${octets.length}\r\n`, '550 no\r\n'] }],
    ['whether it has a time', { MDTM: [modified, '550 no\r\n'] }],
    ['whether it is there', { SIZE: [`213 ${octets.length}\r\n`, '550 gone\r\n'], MDTM: [modified, '550 gone\r\n'] }],
  ] satisfies [string, NonNullable<Faults['replies']>][])(
    'another file by now, as %s says: partial, and no octet of it',
    (_, replies) =>
      trial(withFaults({ cutAfter: cut, bodies: 1, replies }), async ({ retrieve }) => {
        const { body, error } = await collect(await retrieve(path))
        expect(error).toMatchObject({ code: 'partial', phase: 'body' })
        expectSame(body, octets.subarray(0, body.length))
      }),
  )

  test.each([
    ['SIZE is not known', { replies: { SIZE: '550 no\r\n' } }, path],
    ['MDTM is not known', { replies: { MDTM: '500 what?\r\n' } }, path],
    ['TYPE A', {}, `${path};type=a`],
    ['a listing', {}, 'pub/'],
  ] satisfies [string, Faults, string][])('%s: nothing to go by, so it is partial', (_, faults, target) =>
    trial(withFaults({ ...faults, cutAfter: 30 }), async ({ failure, server, events }) => {
      expect(await failure(target)).toMatchObject({
        code: 'partial',
        phase: 'body',
        reply: expect.stringMatching(/^426/),
      })
      expect(server.accepted).toBe(1)
      expect(retries(events)).toEqual([])
    }),
  )

  test('the second connection is refused: what went wrong at first is the error', () => {
    const greeting = (peer: FtpPeer) => peer.say(peer.index === 0 ? '220 ready\r\n' : '421 too many users\r\n')
    const RETR = sending(octets.subarray(0, cut), '150 -\r\n', '426 broken\r\n')
    const script: Script = { greeting, RETR, SIZE: `213 ${octets.length}\r\n`, MDTM: modified }
    return scriptedTrial(script, async ({ failure }) => {
      expect(await failure('data.bin')).toMatchObject({ code: 'partial' })
    })
  })

  // needs: resumption
  test('saved to a file: the whole, under its name alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
    try {
      await trial(withFaults({ cutAfter: cut, bodies: 1 }), async ({ retrieve }) => {
        await (await retrieve(path)).saveTo(join(folder, 'data.bin'))
      })
      expectSame(await readFile(join(folder, 'data.bin')), octets)
      expect(await readdir(folder)).toEqual(['data.bin'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test.each(['cancel', 'abort'] as const)('%s while it reconnects', (how) => {
    const controller = new AbortController()
    const script: Script = {
      greeting: (peer) => {
        if (peer.index === 0) peer.say('220 ready\r\n')
        else act?.()
      },
      RETR: sending(octets.subarray(0, cut), '150 -\r\n', '426 broken\r\n'),
      SIZE: `213 ${octets.length}\r\n`,
      MDTM: modified,
    }
    let act: (() => void) | undefined
    return scriptedTrial(script, async ({ retrieve }) => {
      const representation = await retrieve('data.bin', { signal: controller.signal })
      act = () => void (how === 'abort' ? controller.abort() : representation.cancel())
      const { body } = await collect(representation)
      expectSame(body, octets.subarray(0, body.length))
    })
  })
})

/** The octets of a body before its end, and the error with which it ends. */
async function collect(representation: Representation): Promise<{ body: Buffer; error: unknown }> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of representation) pieces.push(piece)
    return { body: Buffer.concat(pieces), error: null }
  } catch (error) {
    return { body: Buffer.concat(pieces), error }
  }
}

describe('R15: the data are short, and the server says 226', () => {
  test.each(larger)('partial where the size is known; chunks $chunking', ({ chunking }) =>
    trial(withFaults({ shortBody: 100, chunking }), async ({ retrieve }) => {
      const { body, error } = await collect(await retrieve(path))
      expect(error).toMatchObject({ code: 'partial', phase: 'body' })
      expectSame(body, octets.subarray(0, body.length))
    }),
  )

  // needs: resumption (SIZE asked for where it costs nothing)
  test('also where SIZE alone tells it', () => {
    const RETR = sending(octets.subarray(0, 12_000), '150 here it comes\r\n')
    return scriptedTrial({ RETR, SIZE: `213 ${octets.length}\r\n` }, async ({ failure }) => {
      expect(await failure('data.bin')).toMatchObject({ code: 'partial', phase: 'body' })
    })
  })

  test('terminated in TYPE A, where the size says nothing', () =>
    trial(withFaults({ shortBody: 3 }), async ({ retrieve }) => {
      const representation = await retrieve('pub/hello.txt;type=a')
      expect(representation).toMatchObject({ completeness: 'terminated', size: null })
      expect(await representation.text()).toBe('Hello, world')
    }))
})

describe('R16: the data are complete, and no final reply comes', () => {
  const silent: Faults = { stall: 'final', bodies: 1 }
  const patience = { limits: { idleTimeout: 800 } }

  // needs: resumption (SIZE asked for where it costs nothing)
  test('SIZE is equal: whole, with a remark, and the session is over', () =>
    trial(
      withFaults(silent),
      async (all) => {
        const { get, server, events } = all
        expectSame(await get(path), octets)
        expect(remarks(events)).toHaveLength(1)
        await server.waitForConnections(0)
        expectSame(await get(path), octets)
        expect(server.accepted).toBe(2)
      },
      patience,
    ))

  // needs: resumption (SIZE asked for where it costs nothing)
  test('the control connection is lost in place of it: the same', () =>
    trial(withFaults({ replies: { 226: [''] } }), async ({ get, events }) => {
      expectSame(await get(path), octets)
      expect(remarks(events)).toHaveLength(1)
    }))

  // needs: resumption (SIZE asked for where it costs nothing)
  test.each([
    ['226 done', '4', 'half'],
    ['426 broken', '4', { code: 'partial', reply: '426 broken' }],
    ['226 done', '5', { code: 'partial' }],
  ])('a reset ends them, and then comes %s, where SIZE says %s', async (last, size, expected) => {
    const begun = new EventEmitter()
    const script: Script = {
      SIZE: `213 ${size}\r\n`,
      RETR: async (peer) => {
        const data = await peer.data()
        peer.say('150 here it comes\r\n')
        const seen = event(begun, 'seen')
        data.write('half')
        await seen
        data.resetAndDestroy()
        peer.say(`${last}\r\n`)
      },
    }
    await scriptedTrial(
      script,
      async ({ retrieve }) => {
        let text = ''
        const read = async (): Promise<string> => {
          for await (const chunk of await retrieve('a.bin')) {
            text += Buffer.from(chunk).toString()
            begun.emit('seen')
          }
          return text
        }
        const outcome = await read().catch((error: unknown) => error)
        expect(text).toBe('half')
        if (typeof expected === 'string') expect(outcome).toBe(expected)
        else expect(outcome).toMatchObject(expected)
      },
      once,
    )
  })

  test('226 comes, and the data connection stays open: all octets of SIZE are the whole', async () => {
    const RETR = async (peer: FtpPeer): Promise<void> => {
      const data = await peer.data()
      data.write('half')
      peer.say('150 here it comes\r\n226 done\r\n')
      await event(data, 'close')
    }
    await scriptedTrial({ SIZE: '213 4\r\n', RETR }, async ({ retrieve, server }) => {
      expect(await (await retrieve('a.bin')).text()).toBe('half')
      expect(await (await retrieve('b.bin')).text()).toBe('half')
      expect(server.peers).toHaveLength(1)
    })
  })

  test.each([
    ['the size is not known', { replies: { SIZE: '550 no\r\n' } }, path],
    ['TYPE A', {}, `${path};type=a`],
    ['a listing', {}, 'pub/'],
  ] satisfies [string, Faults, string][])('%s: it is an error, once the server has had its time', (_, faults, target) =>
    trial(
      withFaults({ ...silent, ...faults }),
      async ({ failure }) => {
        const { code, phase } = await failure(target)
        expect(['partial', 'timeout']).toContain(code)
        expect(phase).toBe('body')
      },
      patience,
    ),
  )
})

describe('R17: 226 before the end of the data: the data are waited for', () => {
  test.each(larger)('chunks $chunking', ({ chunking }) =>
    trial(withFaults({ earlyReply: true, chunking }), async ({ get }) => {
      expectSame(await get(path), octets)
      expect((await get('pub/')).toString()).toContain('data.bin\n')
      expectSame(await get(path), octets)
    }),
  )

  test('and where they break off after it, that is partial, or put right', () =>
    trial(withFaults({ earlyReply: true, resetAfter: cut }), async ({ retrieve }) => {
      const { body, error } = await collect(await retrieve(path))
      if (error === null) expectSame(body, octets)
      else expect(error).toMatchObject({ code: 'partial', phase: 'body' })
      expectSame(body, octets.subarray(0, body.length))
    }))
})

describe('R18: REST is answered 350, and the file comes from its beginning', () => {
  test.each(chunks)(
    'the overlap does not fit: partial, and no octet from elsewhere; chunks $chunking',
    ({ chunking }) =>
      trial(withFaults({ cutAfter: cut, ignoreRestart: true, bodies: 1, chunking }), async ({ retrieve }) => {
        const { body, error } = await collect(await retrieve(path))
        expect(error).toMatchObject({ code: 'partial', phase: 'body' })
        expectSame(body, octets.subarray(0, body.length))
      }),
  )

  test('the overlap fits by chance: no more octets than there are', () => {
    const zeros = Buffer.alloc(octets.length)
    const faults: Faults = { cutAfter: cut, ignoreRestart: true, bodies: 1 }
    return trial({ files: { '/zeros': zeros }, faults }, async ({ retrieve }) => {
      const { body, error } = await collect(await retrieve('zeros'))
      expect(body.length).toBeLessThanOrEqual(zeros.length)
      if (error === null) expectSame(body, zeros)
      else expect(error).toMatchObject({ code: 'partial' })
    })
  })

  test('the overlap fits by chance, and what follows does not: not delivered as if it were the rest', () => {
    const mixed = Buffer.concat([Buffer.alloc(octets.length), octets])
    const faults: Faults = { cutAfter: cut, ignoreRestart: true, bodies: 1 }
    return trial({ files: { '/mixed': mixed }, faults }, async ({ retrieve }) => {
      expect((await collect(await retrieve('mixed'))).error).toMatchObject({ code: 'partial' })
    })
  })

  test('asked for by resumeFrom: found out, not delivered as if it were the rest', () =>
    trial(withFaults({ ignoreRestart: true }), async ({ retrieve }) => {
      const representation = await retrieve(path, { resumeFrom: 5000 })
      const { body, error } = await collect(representation)
      if (error === null) expectSame(body, octets.subarray(representation.offset))
      else expect((error as { code: string }).code).toMatch(/^(partial|range-refused)$/)
    }))
})

describe('R19: no REST, no SIZE, no MDTM or a wrong one: from the beginning', () => {
  const time = new Date('2001-02-03T04:05:06Z')

  // needs: resumption
  test.each([
    ['REST 502', { REST: '502 no\r\n' }, 5000],
    ['SIZE 550', { SIZE: '550 no\r\n' }, 5000],
    ['MDTM missing', { MDTM: '502 no\r\n' }, { offset: 5000, modified: time }],
    ['MDTM of another zone', { MDTM: '213 20010203050506\r\n' }, { offset: 5000, modified: time }],
    ['MDTM that is none', { MDTM: '213 yesterday\r\n' }, { offset: 5000, modified: time }],
  ] as const)('%s: the whole, and a remark that says why', (_, replies, resumeFrom) =>
    trial(withFaults({ replies }), async ({ retrieve, events }) => {
      const representation = await retrieve(path, { resumeFrom })
      expect(representation.offset).toBe(0)
      expectSame(await representation.bytes(), octets)
      expect(remarks(events)).toHaveLength(1)
    }),
  )

  test('REST 502 after a broken body: partial', () =>
    trial(withFaults({ cutAfter: cut, bodies: 1, replies: { REST: '502 no\r\n' } }), async ({ retrieve }) => {
      const { body, error } = await collect(await retrieve(path))
      expect(error).toMatchObject({ code: 'partial' })
      expectSame(body, octets.subarray(0, body.length))
    }))
})

describe('R20: 421 in mid-session, or FIN while it is idle', () => {
  // needs: pooling
  test.each([
    ['421', (peer) => peer.say('421 idle too long\r\n')],
    ['FIN', (peer) => void peer.control.end()],
  ] satisfies [string, (peer: FtpPeer) => void][])(
    '%s to the first command of a kept session: reconnect once, CWD and TYPE again',
    (_, die) =>
      scriptedTrial(mortal(die), async ({ server, get }) => {
        await get('a/hello.txt')
        expect((await get('a/hello.txt')).toString()).toBe('Hello, world.\n')
        const [first = [], second = []] = dialogues(server.received)
        const verbs = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0])
        // It was kept, and something more was asked of it.
        expect(verbs(first.slice(first.indexOf('RETR hello.txt') + 1)).join()).toMatch(
          /CWD|EPSV|MDTM|NOOP|PWD|SIZE|TYPE/,
        )
        expect(second).toEqual(expect.arrayContaining(['USER anonymous', 'CWD a', 'TYPE I', 'RETR hello.txt']))
        expect(server.peers).toHaveLength(2)
      }),
  )

  test('421 to the first command of a new session is the answer', () =>
    trial(
      withFaults({ replies: { USER: '421 too many\r\n' } }),
      async ({ failure, server }) => {
        expect(await failure(path)).toMatchObject({ code: 'server-refused', reply: '421 too many', transient: true })
        expect(server.accepted).toBe(1)
      },
      once,
    ))
})

describe('R21: EPSV is refused, or its port is dead: PASV, remembered, then one clear error', () => {
  const dead = async (peer: FtpPeer): Promise<void> => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    await new Promise((done) => server.close(done))
    peer.say(`229 -(|||${port}|)\r\n`)
  }

  // needs: memory of a host
  test.each([
    ['500', '500 what?\r\n'],
    ['502', '502 no\r\n'],
    ['522', '522 (2)\r\n'],
    ['a reply without a port', '229 Entering\r\n'],
    ['a dead port', dead],
  ] satisfies [string, Script[string]][])('%s: the next retrievals ask for PASV at once', (_, EPSV) =>
    scriptedTrial({ EPSV }, async ({ server, url, get }) => {
      expect((await get('a/hello.txt')).toString()).toBe('Hello, world.\n')
      expect(server.received).toContain('PASV')
      const before = server.received.length
      await get('a/hello.txt')
      await get(url('a/hello.txt', 'alice:secret'))
      expect(server.received.slice(before)).toContain('PASV')
      expect(server.received.slice(before)).not.toContain('EPSV')
    }),
  )

  test('two clients remember for themselves', async () => {
    const faults: Faults = { replies: { EPSV: '500 no\r\n' } }
    await trial(withFaults(faults), async ({ get, server }) => {
      await get(path)
      expect(server.received).toContain('EPSV')
    })
    await trial(withFaults({}), async ({ get, server }) => {
      await get(path)
      expect(server.received).not.toContain('PASV')
    })
  })

  test('both refused: one error, with the words of the last', () =>
    trial(withFaults({ replies: { EPSV: '500 no\r\n', PASV: '502 neither\r\n' } }), async ({ failure, server }) => {
      expect(await failure(path)).toMatchObject({ code: 'server-refused', reply: '502 neither' })
      expect(server.received.filter((line) => line === 'PASV')).toHaveLength(1)
    }))

  // needs: PASV after 425
  test('425 to RETR: once more, the other way', () =>
    trial(withFaults({ replies: { RETR: ['425 Cannot open data connection.\r\n'] } }), async ({ get, server }) => {
      expectSame(await get(path), octets)
      expect(server.received).toContain('PASV')
      expect(server.received.filter((line) => line === 'RETR data.bin')).toHaveLength(2)
    }))

  // needs: PASV after 425
  test('425 both ways is the error', () =>
    trial(
      withFaults({ replies: { RETR: '425 no\r\n' } }),
      async ({ failure, server }) => {
        expect(await failure(path)).toMatchObject({ code: 'server-refused', reply: '425 no', transient: true })
        expect(server.received.filter((line) => line === 'RETR data.bin')).toHaveLength(2)
      },
      once,
    ))

  test('epsv: false, and 425: EPSV is the other way, or none', () =>
    trial(
      withFaults({ replies: { RETR: '425 no\r\n' } }),
      async ({ failure, server }) => {
        expect(await failure(path)).toMatchObject({ code: 'server-refused', reply: '425 no' })
        expect(server.received.filter((line) => line === 'RETR data.bin').length).toBeLessThanOrEqual(2)
      },
      { ...once, fetchers: [ftpFetcher({ epsv: false })] },
    ))
})

test('R22: control replies in segments of one octet: the same file (all that happens: ftp-segments.test.ts)', () =>
  trial(withFaults({ chunking: 'bytes' }), async ({ get }) => expectSame(await get(path), octets)))

describe('R23: an empty directory is an empty listing, not an error', () => {
  const unlisted: Script = { MLSD: '500 what?\r\n' }
  const none = async (peer: FtpPeer): Promise<void> => {
    peer.say('150 here it comes\r\n')
    ;(await peer.data()).destroy()
    peer.say('226 done\r\n')
  }

  test.each([
    ['MLSD: 226 and no line', { MLSD: sending('') }],
    ['LIST: 226 and no line', { ...unlisted, LIST: sending('') }],
    ['LIST: total 0', { ...unlisted, LIST: sending('total 0\r\n') }],
    ['LIST: 550 No files found.', { ...unlisted, LIST: '550 No files found.\r\n' }],
    ['LIST: 450 No files found.', { ...unlisted, LIST: '450 No files found.\r\n' }],
    ['NLST: 550 No files found.', { ...unlisted, LIST: '502 no\r\n', NLST: '550 No files found.\r\n' }],
    ['the data connection is closed at once', { MLSD: none }],
    ['MLSD: itself and its parent', { MLSD: sending('type=cdir; .\r\ntype=pdir; ..\r\n') }],
    ['LIST: itself and its parent', { ...unlisted, LIST: sending(`${unixLine('.')}${unixLine('..')}`) }],
  ] satisfies [string, Script][])('%s', (_, script) =>
    scriptedTrial(script, async ({ retrieve }) => {
      const representation = await retrieve('empty/')
      expect(representation.kind).toBe('listing')
      expect(await entriesOf(representation)).toEqual([])
    }),
  )

  test.each(chunks)('of the embedded server; chunks $chunking', ({ chunking }) =>
    trial({ faults: { chunking } }, async ({ retrieve }) => {
      expect(await entriesOf(await retrieve('pub/nothing/'))).toEqual([])
    }),
  )
})

describe('R24: a line that nobody can read is one entry, raw; the others are kept', () => {
  const bad = '\x01?? what is this ??'

  test.each([
    ['MLSD', { MLSD: sending(['type=file; a', bad, 'type=dir; b', ''].join('\r\n')) }],
    ['LIST', { MLSD: '500 -\r\n', LIST: sending(`${unixLine('a')}${bad}\r\n${unixLine('b')}`) }],
    ['LIST of DOS', { MLSD: '500 -\r\n', LIST: sending(`${dosLine('a')}${bad}\r\n${dosLine('b')}`) }],
    ['EPLF', { MLSD: '500 -\r\n', LIST: sending(`+r,\ta\r\n${bad}\r\n+r,\tb\r\n`) }],
  ] satisfies [string, Script][])('%s', (_, script) =>
    scriptedTrial(script, async ({ retrieve }) => {
      const entries = await entriesOf(await retrieve('pub/'))
      expect(entries.map(({ name }) => name)).toEqual(['a', bad, 'b'])
      expect(entries[1]).toMatchObject({ kind: 'other', url: null })
      expect(entries.filter(({ url }) => url !== null)).toHaveLength(2)
    }),
  )
})

function unixLine(name: string): string {
  return `-rw-r--r--   1 ann      ann            27 Feb  3  2001 ${name}\r\n`
}

function dosLine(name: string): string {
  return `02-03-01  04:05AM                   27 ${name}\r\n`
}

test('what a server has sent before it says 426 is read, also where it comes after that', () => {
  const script: Script = {
    SIZE: '500 no\r\n',
    async RETR(peer) {
      const data = await peer.data()
      peer.say('150 here it comes\r\n426 broken off\r\n')
      // The reply takes another way than the octets, and is read first.
      await new Promise((resolve) => setTimeout(resolve, 50))
      data.end('Hello')
    },
  }
  return scriptedTrial(
    script,
    async ({ failure }) => {
      const { code, message } = await failure('hello.txt')
      expect({ code, message }).toMatchObject({
        code: 'partial',
        message: expect.stringContaining(' 5 octets have come'),
      })
    },
    { limits: { maxRetries: 0 } },
  )
})
