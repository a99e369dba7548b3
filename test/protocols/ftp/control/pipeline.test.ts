/** Commands that go out together, and servers that cannot cope with them. */
import { resolve } from '@retriever/core'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { describe, expect, test } from 'vitest'
import { dialled, retries } from '../../../support/events.ts'
import { dialogues, type ScriptedTrial, scriptedTrial, trial } from '../support/ftp-trial.ts'
import { type Script, sending } from '../support/scripted-ftp.ts'

const hello = 'Hello, world.\n'
/** A server that knows all there is to know of the file. */
const knowing: Script = { SIZE: '213 14\r\n', MDTM: '213 20010203040506\r\n' }
/** A dialogue that says nothing comes to its end before the test does. */
/** Temporary trouble is not tried again: each session counts. */
const impatient = { limits: { idleTimeout: 1500, maxRetries: 0 } }
const stepByStep = () => ({ fetchers: [ftpFetcher({ pipelining: false })] })

/** The plan's commands but the transfer itself. */
const flight = (url: string): readonly string[] => resolve(url).plan.wire.slice(0, -1)

describe('one flight', () => {
  // needs: pipelining
  test.each(['hello.txt', 'a/hello.txt', 'a/%2Fb/c%20d/hello.txt'])(
    '%s: all up to EPSV in one segment after the greeting, RETR in the next',
    (path) =>
      scriptedTrial(knowing, async ({ server, url, get }) => {
        expect((await get(path)).toString()).toBe(hello)
        expect(server.segments.slice(0, 2)).toEqual([flight(url(path)).join(''), 'RETR hello.txt\r\n'])
      }),
  )

  // needs: pipelining
  test('a user with a password: USER, and the rest once the server asks', () =>
    scriptedTrial(knowing, async ({ server, url, get }) => {
      await get(url('a/hello.txt', 'alice:secret'))
      const [user, ...rest] = flight(url('a/hello.txt', 'alice:secret'))
      expect(server.segments.slice(0, 2)).toEqual([user, rest.join('').replace('<password>', 'secret')])
    }))

  // needs: pipelining
  test('a listing: all up to EPSV too', () =>
    scriptedTrial({ MLSD: sending('type=file; a\r\n') }, async ({ server, url, retrieve }) => {
      const listing = await retrieve('a/b/')
      expect(await listing.text()).toBe('type=file; a\n')
      expect(server.segments[0]).toBe(resolve(url('a/b/')).plan.wire.slice(0, 6).join(''))
    }))

  // needs: pipelining
  test('RETR goes out while the data connection opens', () =>
    scriptedTrial(knowing, async ({ server, events, get }) => {
      await get('hello.txt')
      const sent = events.findIndex((event) => event.type === 'sent' && event.octets.startsWith('RETR'))
      const opened = events.findIndex((event) => event.type === 'connected' && event.port === server.dataPort)
      expect(sent).toBeGreaterThan(0)
      expect(sent).toBeLessThan(opened)
    }))

  test('the events say what was sent, command by command, and answered', () =>
    scriptedTrial({}, async ({ server, url, events, get }) => {
      await get(url('a/hello.txt', 'alice:secret'))
      const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets] : []))
      const received = server.received.map((line) => `${line.replace('secret', '<password>')}\r\n`)
      expect(sent.slice(0, 5)).toEqual(received.slice(0, 5))
      expect(events.filter(({ type }) => type === 'received').length).toBeGreaterThanOrEqual(sent.length)
    }))

  test('nothing is sent before the greeting', () =>
    scriptedTrial({ greeting: '550 closed today\r\n' }, async ({ server, failure }) => {
      expect(await failure('a/hello.txt')).toMatchObject({ code: 'not-found', phase: 'greeting' })
      expect(server.received.filter((line) => line !== 'QUIT')).toEqual([])
    }))

  test('in TYPE A no SIZE is asked for', () =>
    scriptedTrial(knowing, async ({ server, get }) => {
      expect((await get('hello.txt;type=a')).toString()).toBe(hello)
      expect(server.received).not.toContain('SIZE hello.txt')
    }))

  test('an empty segment of the path goes step by step: what follows depends on its answer', () =>
    scriptedTrial({}, async ({ server, get }) => {
      await get('a//b/hello.txt')
      const alone = server.segments.filter((segment) => /^CWD [^\r]*\r\n$/.test(segment))
      expect(alone).toEqual(['CWD a\r\n', 'CWD \r\n', 'CWD b\r\n'])
    }))

  test('a server that lets the user in at once, and says so again', () =>
    scriptedTrial({ USER: '230 in\r\n', PASS: '230 no password needed\r\n' }, async ({ server, get }) => {
      expect((await get('hello.txt')).toString()).toBe(hello)
      expect(server.peers).toHaveLength(1)
    }))

  test.each([
    { SIZE: '500 what?\r\n', MDTM: '502 no\r\n' },
    { SIZE: '550 no\r\n', MDTM: '550 no\r\n' },
  ])('%j: what the server may not know is no reason to try again', (script) =>
    scriptedTrial(script, async ({ server, events, get }) => {
      expect((await get('hello.txt')).toString()).toBe(hello)
      expect(server.peers).toHaveLength(1)
      expect(retries(events)).toEqual([])
    }),
  )
})

/** After 550 to RETR the name might still be one of a directory. */
const notADirectory: Script[string] = (peer, line) =>
  peer.say(line === 'CWD hello.txt' ? '550 no such directory\r\n' : '250 there\r\n')

describe('a refusal within a flight is the same as one step by step', () => {
  test.each([
    [{ USER: '530 no guests\r\n', PASS: '503 USER first\r\n' }, 'auth-failed', '530 no guests'],
    [{ PASS: '530 wrong\r\n', CWD: '530 not logged in\r\n', TYPE: '530 not\r\n' }, 'auth-failed', '530 wrong'],
    [{ CWD: '550 no such directory\r\n' }, 'not-found', '550 no such directory'],
    [{ TYPE: '504 no such type\r\n' }, 'server-refused', '504 no such type'],
    [{ RETR: '550 no such file\r\n', CWD: notADirectory }, 'not-found', '550 no such file'],
  ] satisfies [Script, string, string][])('%o', (script, code, reply) => {
    const run = ({ server, failure }: ScriptedTrial) =>
      failure('a/hello.txt').then((error) => {
        expect(error).toMatchObject({ code, reply })
        const { phase, message } = error
        return { phase, message: message.replaceAll(String(server.port), 'PORT') }
      })
    return scriptedTrial(script, async (inFlight) => {
      const error = await run(inFlight)
      expect(inFlight.server.received.filter((line) => line.startsWith('RETR')).length).toBe('RETR' in script ? 1 : 0)
      // needs: pipelining (an option to leave it out)
      expect(error).toEqual(await scriptedTrial(script, run, stepByStep()))
    })
  })
})

describe('a server that cannot take a flight', () => {
  // needs: pipelining
  test.each([
    ['discard', 0],
    ['close', 1],
  ] as const)('oneAtATime %s: step by step, in %i sessions more, and never again', (oneAtATime, more) =>
    trial(
      { faults: { oneAtATime } },
      async ({ server, client, events, get }) => {
        expect((await get('pub/hello.txt')).toString()).toBe(hello)
        expect(retries(events)).toHaveLength(more)
        expect(server.accepted).toBe(1 + more)
        // Another user needs another connection: the host is remembered, not the connection.
        const url = server.url.replace('//', '//alice:secret@')
        expect(await (await client.retrieve(`${url}pub/hello.txt`)).text()).toBe(hello)
        expect(await (await client.retrieve(`${url}pub/sub/deep/file.txt`)).text()).toMatch(/^Three/)
        expect(retries(events)).toHaveLength(more)
      },
      impatient,
    ),
  )

  /** As the server would, but for what the first connection of it does. */
  const firstly = (verb: string, octets: string, otherwise: string): Script => ({
    [verb]: (peer) => peer.say(peer.index === 0 ? octets : otherwise),
  })

  // needs: pipelining
  test.each([
    ['503 for a command of it', firstly('PASS', '503 USER first\r\n', '230 in\r\n')],
    ['500', firstly('TYPE', '500 what?\r\n', '200 type\r\n')],
    ['501', firstly('CWD', '501 what?\r\n', '250 there\r\n')],
    ['502', firstly('CWD', '502 what?\r\n', '250 there\r\n')],
    ['a reply too many', firstly('TYPE', '200 type\r\n200 type\r\n', '200 type\r\n')],
    ['another order', firstly('USER', '230 in\r\n331 password\r\n', '331 password\r\n')],
    ['a lost connection', { TYPE: (peer) => void (peer.index === 0 ? peer.control.destroy() : peer.say('200 -\r\n')) }],
    ['silence', { CWD: (peer) => (peer.index === 0 ? undefined : peer.say('250 there\r\n')) }],
    ['half a reply', firstly('CWD', '250-there', '250 there\r\n')],
  ] satisfies [string, Script][])('%s: once more, step by step', (_, script) =>
    scriptedTrial(
      script,
      async ({ server, events, get }) => {
        expect((await get('a/hello.txt')).toString()).toBe(hello)
        expect(server.peers).toHaveLength(2)
        expect(retries(events)).toHaveLength(1)
        const again = server.segments.slice(server.segments.findLastIndex((segment) => segment.startsWith('USER')))
        expect(again.every((segment) => segment.indexOf('\r\n') === segment.length - 2)).toBe(true)
        expect(dialogues(server.received)[1]?.filter((line) => line !== 'QUIT')).toEqual(
          expect.arrayContaining(['PASS anonymous@', 'CWD a', 'TYPE I', 'EPSV', 'RETR hello.txt']),
        )
      },
      impatient,
    ),
  )

  test.each([
    ['503', { TYPE: '503 bad sequence\r\n' }, { code: 'server-refused', reply: '503 bad sequence' }],
    ['two replies', { TYPE: '200 a\r\n200 b\r\n' }, { code: 'protocol-violation' }],
    ['a lost connection', { TYPE: (peer) => void peer.control.destroy() }, { code: 'receive-failed' }],
  ] satisfies [string, Script, object][])(
    '%s step by step too: that is the error, and no third try',
    (_, script, error) =>
      scriptedTrial(
        script,
        async ({ server, failure }) => {
          expect(await failure('a/hello.txt')).toMatchObject(error)
          expect(server.peers.length).toBeLessThanOrEqual(2)
        },
        impatient,
      ),
  )

  test('what is wrong after the flight is not tried again', () =>
    scriptedTrial({ RETR: '226 done\r\n150 now\r\n' }, async ({ server, events, failure }) => {
      expect(await failure('hello.txt')).toMatchObject({ code: 'protocol-violation' })
      expect(server.peers).toHaveLength(1)
      expect(retries(events)).toEqual([])
    }))

  test('the second connection is closed, too, where nobody wants the body any more', () =>
    trial(
      { faults: { oneAtATime: 'close' }, bigSize: 2 ** 30 },
      async ({ retrieve }) => (await retrieve('big')).cancel(),
      impatient,
    ))
})

describe('ftpFetcher({ pipelining: false })', () => {
  // needs: pipelining (an option to leave it out)
  test('each command waits for the reply to the one before, and none is sent that costs a round trip for nothing', () =>
    scriptedTrial(
      knowing,
      async ({ server, url, get }) => {
        expect((await get('a/hello.txt')).toString()).toBe(hello)
        expect(server.segments.filter((segment) => segment !== 'QUIT\r\n')).toEqual([
          ...resolve(url('a/hello.txt'), { asked: { pipelining: false } }).plan.wire,
        ])
      },
      stepByStep(),
    ))

  // needs: pipelining (an option to leave it out)
  test('is one way to use a server that takes one command at a time', () =>
    trial(
      { faults: { oneAtATime: 'discard' } },
      async ({ server, events, get }) => {
        expect((await get('pub/hello.txt')).toString()).toBe(hello)
        expect(server.accepted).toBe(1)
        expect(retries(events)).toEqual([])
        expect(dialled(events)[0]).toBe(server.port)
      },
      stepByStep(),
    ))

  // needs: pipelining (an option to leave it out)
  test('is true or false', () => {
    expect(() => ftpFetcher({ pipelining: 'no' } as object)).toThrow(/`ftpFetcher\.pipelining`/)
  })
})
