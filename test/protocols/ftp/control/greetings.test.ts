/** Servers that greet and ask in ways of their own, as curl, wget and lftp bear them. */
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../../support/events.ts'
import { scriptedTrial } from '../support/ftp-trial.ts'
import { type Script, sending } from '../support/scripted-ftp.ts'

const text = 'Hello, world.\n'

test('a greeting by 230 wants no login, and gets none', () =>
  scriptedTrial({ greeting: '230 you are in\r\n', USER: '503 why?\r\n' }, async ({ get, url, client, server }) => {
    expect((await get('hello.txt')).toString()).toBe(text)
    expect(await (await client.retrieve(url('hello.txt', 'alice:secret'))).text()).toBe(text)
    expect(server.received.filter((line) => /^(USER|PASS)/.test(line))).toEqual([])
  }))

describe('lines of text before the greeting are passed over', () => {
  test.each([
    ['one', 'ld.so: object "x.so" cannot be preloaded: ignored.\r\n220 ready\r\n'],
    ['some', 'Welcome\r\n\r\nto this machine\n220-ready\r\n220 go on\r\n'],
  ])('%s', (_, greeting) =>
    scriptedTrial({ greeting }, async ({ get }) => expect((await get('hello.txt')).toString()).toBe(text)),
  )

  test('but nothing is sent before 220, and many lines are no greeting', () =>
    scriptedTrial({ greeting: 'la la\r\n'.repeat(20) }, async ({ failure, server }) => {
      expect(await failure('hello.txt')).toMatchObject({ code: 'protocol-violation', reply: 'la la' })
      expect(server.received).toEqual([])
    }))

  test('a line alone is shown, and no silence is waited out', () =>
    scriptedTrial({ greeting: 'Who goes there?\r\n' }, async ({ failure, server }) => {
      expect(await failure('hello.txt')).toMatchObject({ code: 'protocol-violation', reply: 'Who goes there?' })
      expect(server.received).toEqual([])
    }))

  test('after the greeting a line that is no reply breaks the protocol', () =>
    scriptedTrial({ USER: 'what?\r\n331 password\r\n' }, async ({ failure }) => {
      expect(await failure('hello.txt')).toMatchObject({ code: 'protocol-violation' })
    }))
})

describe('332 to USER', () => {
  const script = { USER: '332 account, please\r\n', ACCT: '230 in\r\n', PASS: '503 no\r\n' }

  test('an account in place of a password', () =>
    scriptedTrial(
      script,
      async ({ url, client, server }) => {
        expect(await (await client.retrieve(url('hello.txt', 'alice:x'))).text()).toBe(text)
        expect(await (await client.retrieve(url('hello.txt'))).text()).toBe(text)
        expect(server.received).toContain('ACCT lab')
      },
      { credentials: () => ({ user: 'alice', password: 'x', account: 'lab' }) },
    ))

  test('none is known: that is said', () =>
    scriptedTrial(script, async ({ failure }) => {
      expect(await failure('hello.txt')).toMatchObject({ code: 'auth-required', reply: '332 account, please' })
    }))
})

describe('an octet FF in a name', () => {
  const name = 'a\xFFb'
  const serving = (expected: string): Script => ({
    CWD: '550 no\r\n',
    RETR: (peer, line) => {
      if (line === `RETR ${expected}`) return sending(text)(peer)
      peer.say('550 no such file\r\n')
      return undefined
    },
  })

  test('goes out twice, as Telnet has it', () =>
    scriptedTrial(serving('a\xFF\xFFb'), async ({ get, server }) => {
      expect((await get('a%FFb')).toString()).toBe(text)
      expect(server.peers).toHaveLength(1)
    }))

  test('and once where a server does not know it so, which is remembered', () =>
    scriptedTrial(serving(name), async ({ get, server }) => {
      for (let file = 0; file < 3; file++) expect((await get('a%FFb')).toString()).toBe(text)
      expect(server.received.filter((line) => line.startsWith('RETR a\xFF\xFFb'))).toHaveLength(1)
      expect(server.peers).toHaveLength(2)
    }))

  test('a name that is missing in both ways is missing', () =>
    scriptedTrial(serving('other'), async ({ failure }) => {
      expect(await failure('a%FFb')).toMatchObject({ code: 'not-found' })
    }))
})

describe('names in UTF-8', () => {
  const umlaut = 'gr\xC3\xBC\xC3\x9Fe.txt'
  const features = '211-Features:\r\n MDTM\r\n UTF8\r\n211 End\r\n'

  test('OPTS UTF8 ON goes before them where FEAT lists UTF8, once a session', () =>
    scriptedTrial({ FEAT: features, OPTS: '200 on\r\n' }, async ({ get, server }) => {
      await get('hello.txt')
      expect(server.received).not.toContain('FEAT')
      for (let file = 0; file < 2; file++) expect((await get('gr%C3%BC%C3%9Fe.txt')).toString()).toBe(text)
      expect(server.received.filter((line) => /^(?:FEAT|OPTS)/.test(line))).toEqual(['FEAT', 'OPTS UTF8 ON'])
      expect(server.received.indexOf('OPTS UTF8 ON')).toBeLessThan(server.received.indexOf(`RETR ${umlaut}`))
    }))

  test.each(['211-Features:\r\n MDTM\r\n211 End\r\n', '502 no\r\n'])('and not where it does not: %j', (FEAT) =>
    scriptedTrial({ FEAT }, async ({ get, server }) => {
      for (let file = 0; file < 2; file++) expect((await get('gr%C3%BC%C3%9Fe.txt')).toString()).toBe(text)
      expect(server.received.filter((line) => /^(?:FEAT|OPTS)/.test(line))).toEqual(['FEAT'])
    }),
  )

  test('names in another charset go out as they are, and nothing is asked', () =>
    scriptedTrial({ FEAT: features }, async ({ get, server }) => {
      await get('gr%FC%DFe.txt')
      expect(server.received.filter((line) => /^(?:FEAT|OPTS)/.test(line))).toEqual([])
    }))
})

describe('options', () => {
  test('keepSessions: 0 closes a session at once, and a time keeps it as long', async () => {
    for (const [keepSessions, sessions] of [
      [0, 2],
      [60_000, 1],
    ] as const) {
      await scriptedTrial(
        {},
        async ({ get, server }) => {
          for (let file = 0; file < 2; file++) await get('hello.txt')
          expect(server.peers).toHaveLength(sessions)
        },
        { fetchers: [ftpFetcher({ keepSessions })] },
      )
    }
    expect(() => ftpFetcher({ keepSessions: -1 })).toThrow(/`ftpFetcher\.keepSessions` to be a number of milliseconds/)
  })

  test('split is told to have no effect', () =>
    scriptedTrial({}, async ({ get, events }) => {
      await get('hello.txt', { http: { split: 4 } })
      expect(remarks(events)).toEqual([expect.stringContaining('`http.split` has no effect')])
    }))
})

test('a session whose password was asked for serves the URL that gives that login, and no other', () =>
  scriptedTrial(
    {},
    async ({ client, url, server }) => {
      await (await client.retrieve(url('hello.txt', 'alice'))).text()
      await (await client.retrieve(url('hello.txt', 'alice:secret'))).text()
      expect(server.peers).toHaveLength(1)
      await (await client.retrieve(url('hello.txt', 'alice:other'))).text()
      expect(server.peers).toHaveLength(2)
    },
    { credentials: () => ({ user: 'alice', password: 'secret' }) },
  ))
