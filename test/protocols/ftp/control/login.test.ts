/** The third step of a login: an account beside user and password (RFC 959 4.1.1, 5.4). */
import type { Challenge, ClientOptions, Credentials } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { scriptedTrial, type Trial, trial } from '../support/ftp-trial.ts'

const hello = 'Hello, world.\n'
const path = 'pub/hello.txt'

/** Answers in their order, and what was asked. */
function answering(...answers: (Credentials | null)[]): { asked: Challenge[]; options: ClientOptions } {
  const asked: Challenge[] = []
  const credentials = (challenge: Challenge): Credentials | null => {
    asked.push(challenge)
    return answers[asked.length - 1] ?? null
  }
  return { asked, options: { credentials } }
}

const bob = { user: 'bob', password: 'secret' }
const text = ({ get }: Pick<Trial, 'get'>, url: string): Promise<string> => get(url).then(String)

describe('332: an account is wanted', () => {
  // needs: accounts
  test('it is asked for, and given', () => {
    const { asked, options } = answering({ ...bob, account: 'sales' })
    return trial(
      {},
      async (all) => {
        expect(await text(all, all.url(path, 'bob:secret'))).toBe(hello)
        const { port } = all.server
        expect(asked).toEqual([{ realm: 'bob@127.0.0.1', account: true, host: '127.0.0.1', port, user: 'bob' }])
        expect(all.server.received).toContain('ACCT sales')
      },
      options,
    )
  })

  // needs: accounts
  test('with the password: both are known by then, or the account is asked for after it', () => {
    const { asked, options } = answering({ ...bob, account: 'sales' }, { ...bob, account: 'sales' })
    return trial(
      {},
      async (all) => {
        expect(await text(all, all.url(path, 'bob'))).toBe(hello)
        // A person is not asked for the password twice.
        expect(asked.filter(({ account }) => account === undefined)).toHaveLength(1)
        expect(all.server.received).toContain('ACCT sales')
      },
      options,
    )
  })

  test.each([
    ['nobody knows one', null],
    ['it is not among what is known', bob],
  ])('%s: auth-required, with what the server said', (_, known) => {
    const { options } = answering(known)
    return trial(
      {},
      async ({ server, url, failure }) => {
        const error = await failure(url(path, 'bob:secret'))
        expect(error).toMatchObject({ code: 'auth-required', reply: '332 Need account for login.', phase: 'login' })
        expect(server.received.filter((line) => /^(ACCT|RETR)/.test(line))).toEqual([])
      },
      options,
    )
  })

  // needs: accounts
  test('case 80, a wrong one: auth-failed', () => {
    const { options } = answering({ ...bob, account: 'sales' })
    return trial(
      { faults: { replies: { ACCT: '530 no such account\r\n' } } },
      async ({ url, failure }) => {
        expect(await failure(url(path, 'bob:secret'))).toMatchObject({
          code: 'auth-failed',
          reply: '530 no such account',
        })
      },
      options,
    )
  })

  // needs: accounts
  test('it stands in no event and no error, even where the server repeats it', () => {
    const { options } = answering({ ...bob, account: 's3cr3t-sales' })
    return trial(
      { faults: { replies: { ACCT: '530 s3cr3t-sales is no account\r\n' } } },
      async ({ server, url, events, failure }) => {
        const error = await failure(url(path, 'bob:secret'))
        expect(server.received).toContain('ACCT s3cr3t-sales')
        expect(JSON.stringify([events, error, error.message, error.stack])).not.toContain('s3cr3t')
      },
      options,
    )
  })

  test.each(['sales\r\nDELE x', 'sales\nDELE x', 'sales\0'])('%j is refused, and not sent', (account) => {
    const { options } = answering({ ...bob, account })
    return trial(
      {},
      async ({ server, url, failure }) => {
        expect((await failure(url(path, 'bob:secret'))).code).toMatch(/^(refused|invalid-option|auth-required)$/)
        expect(server.received.join('\n')).not.toMatch(/ACCT|DELE|\0/)
      },
      options,
    )
  })

  // needs: accounts
  test('a session with an account serves on', () => {
    const { asked, options } = answering({ ...bob, account: 'sales' })
    return trial(
      {},
      async (all) => {
        await text(all, all.url(path, 'bob:secret'))
        const { accepted } = all.server
        expect(await text(all, all.url(path, 'bob:secret'))).toBe(hello)
        expect(all.server.accepted).toBe(accepted)
        expect(asked).toHaveLength(1)
      },
      options,
    )
  })

  // needs: accounts
  test('an account in letters beyond ASCII goes as UTF-8 (RFC 2640)', () => {
    const { options } = answering({ ...bob, account: 'Grün' })
    return trial(
      {},
      async (all) => {
        await text(all, all.url(path, 'bob:secret'))
        expect(all.server.received).toContain('ACCT Gr\xc3\xbcn')
      },
      options,
    )
  })

  test('who is not asked is not told', () => {
    const { asked, options } = answering({ ...bob, account: 'sales' })
    return trial(
      {},
      async (all) => {
        expect(await text(all, path)).toBe(hello)
        expect(await text(all, all.url(path, 'alice:secret'))).toBe(hello)
        expect(asked).toEqual([])
        expect(all.server.received.filter((line) => line.startsWith('ACCT'))).toEqual([])
      },
      options,
    )
  })
})

// needs: accounts
test('a server that wants an account of a guest', () => {
  const { asked, options } = answering({ user: 'anonymous', password: '', account: 'guests' })
  return scriptedTrial(
    { PASS: '332 account, please\r\n', ACCT: '230 in\r\n' },
    async ({ server, get }) => {
      expect((await get('hello.txt')).toString()).toBe(hello)
      expect(asked).toMatchObject([{ account: true, user: 'anonymous' }])
      expect(server.received).toContain('ACCT guests')
    },
    options,
  )
})
