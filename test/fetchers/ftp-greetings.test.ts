/** Servers that greet and ask in ways of their own, as curl, wget and lftp bear them. */
import { describe, expect, test } from 'vitest'
import { scriptedTrial } from './ftp-trial.ts'
import { type Script, sending } from './scripted-ftp.ts'

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
