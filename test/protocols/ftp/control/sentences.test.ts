/** A refusal says its cause and what to do about it. */
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { scriptedTrial, trial } from '../support/ftp-trial.ts'
import type { FtpPeer, Script } from '../support/scripted-ftp.ts'

const tls = 'It takes logins within TLS alone: use an ftpes: URL, or the option `defaults.requireTls`. It said: '
const full = 'It has as many clients as it takes; try again later. It said: '

describe('a server that takes logins within TLS alone says so', () => {
  test.each<[string, string, Script]>([
    ['vsftpd', '530 Non-anonymous sessions must use encryption.', {}],
    ['proftpd and pyftpdlib', '550 SSL/TLS required on the control channel', {}],
    ['pure-ftpd', '421 Sorry, cleartext sessions and weak ciphers are not accepted on this server.', {}],
    ['IIS', '534 Policy requires SSL.', {}],
  ])('%s', async (_, reply, more) => {
    for (const verb of ['USER', 'PASS']) {
      await scriptedTrial({ ...more, [verb]: `${reply}\r\n` }, async ({ failure, url }) => {
        for (const user of ['ann:sesame', 'anonymous']) {
          const error = await failure(url('x', user))
          expect(error).toMatchObject({ code: 'auth-failed', reply })
          expect(error.message).toContain(`${tls}${reply}`)
        }
      })
    }
  })

  test('within TLS there is no such advice', () =>
    trial(
      { tls: 'explicit', faults: { replies: { PASS: '530 TLS login failed for this user.\r\n' } } },
      async ({ failure, url }) => {
        expect((await failure(url('x', 'ann:sesame'))).message).toContain('Check user and password.')
      },
    ))
})

test.each([
  ['454 not now', 'Try again later. It said: 454 not now', true],
  ['504 not so', 'The server refused "x". It said: 504 not so', false],
])(
  'a refusal without a known cause, "%s", advises to wait only if it is temporary',
  async (reply, words, transient) => {
    await scriptedTrial(
      { RETR: `${reply}\r\n` },
      async ({ failure }) => {
        const error = await failure('x')
        expect(error).toMatchObject({ code: 'server-refused', reply, transient })
        expect(error.message).toContain(words)
      },
      { limits: { maxRetries: 0 } },
    )
  },
)

describe('a server that is full does not refuse guests', () => {
  test.each([
    '530 Sorry, the maximum number of allowed clients (1) are already connected.',
    '530 Sorry, the maximum number of clients (3) from your host are already connected.',
    '530 Too many anonymous users, try again later.',
    '530 User limit reached.',
    '530 Sorry, only 1 connection allowed from your address.',
  ])('%s', async (reply) => {
    await scriptedTrial({ PASS: `${reply}\r\n` }, async ({ failure, url }) => {
      for (const user of ['anonymous', 'ann:sesame']) {
        const error = await failure(url('x', user))
        expect(error).toMatchObject({ code: 'server-refused', reply })
        expect(error.message).toContain(`${full}${reply}`)
      }
    })
  })

  test('at the greeting, too, it is no wrong login', () => {
    const reply = '530 Sorry, too many users are connected.'
    return scriptedTrial({ greeting: `${reply}\r\n` }, async ({ failure, url }) => {
      const error = await failure(url('x', 'ann:sesame'))
      expect(error).toMatchObject({ code: 'server-refused', phase: 'greeting', reply, transient: true })
    })
  })

  test.each([
    '530 Login incorrect, too many failed logins.',
    '530 Too many login attempts from your connection.',
    '530 Maximum login attempts reached; you are being disconnected.',
    '530 Only anonymous logins are allowed.',
    '530 Only 3 login attempts are allowed.',
  ])('a wrong login is none: %s', (reply) =>
    scriptedTrial({ PASS: `${reply}\r\n` }, async ({ failure, url, server }) => {
      const error = await failure(url('x', 'ann:sesame'))
      expect(error).toMatchObject({ code: 'auth-failed', transient: false, reply })
      expect(error.message).toContain('Check user and password.')
      expect(server.received.filter((line) => line.startsWith('PASS'))).toHaveLength(1)
    }),
  )

  test('it is asked again a while later, also where it says 530', () => {
    let refusals = 2
    const PASS: Script[string] = (peer) =>
      peer.say(refusals-- > 0 ? '530 Too many users, try later.\r\n' : '230 in\r\n')
    return scriptedTrial({ PASS }, async ({ get, events }) => {
      expect((await get('x')).length).toBeGreaterThan(0)
      expect(retries(events)).toHaveLength(2)
    })
  })

  test.each([
    ['anonymous', 'It takes no guests: give a user, as in ftp://USER@HOST/.'],
    ['ann:sesame', 'Check user and password.'],
  ])('another refusal of %s is still what it was', (user, advice) =>
    scriptedTrial({ PASS: '530 Login incorrect.\r\n' }, async ({ failure, url }) => {
      const error = await failure(url('x', user))
      expect(error).toMatchObject({ code: 'auth-failed' })
      expect(error.message).toContain(advice)
    }),
  )
})

test('a password that is wanted: the advice holds nothing that looks like a secret', () =>
  scriptedTrial({}, async ({ failure, url }) => {
    const error = await failure(url('x', 'ann'))
    expect(error.code).toBe('auth-required')
    expect(error.message).toContain('Give one by `credentials`, or in the URL: USER:PASSWORD@ before the host.')
  }))

describe('a data connection that does not come about', () => {
  /** A port where nothing listens, by EPSV and PASV alike. */
  const dead = (port: number): Script => ({
    EPSV: `229 passive (|||${port}|)\r\n`,
    PASV: `227 passive (127,0,0,1,${port >> 8},${port & 255})\r\n`,
    RETR: (peer: FtpPeer) => peer.say('150 -\r\n'),
  })

  test('refused: nothing listens there, and no firewall is blamed', () =>
    scriptedTrial(dead(1025), async ({ failure }) => {
      const error = await failure('x')
      expect(error.code).toBe('connect-failed')
      expect(error.message).toContain(
        'No data connection to port 1025, which the server offers: nothing listens there.',
      )
      expect(error.message).not.toContain('firewall')
    }))

  test('reset in the middle: the server did that, not a firewall', () => {
    const RETR = async (peer: FtpPeer): Promise<void> => {
      const data = await peer.data()
      peer.say('150 -\r\n')
      data.write('Hel', () => data.resetAndDestroy())
    }
    return scriptedTrial({ RETR }, async ({ failure }) => {
      const error = await failure('x')
      // It may come before the client has noticed that the connection is open.
      expect(error.code).toMatch(/^(?:partial|connect-failed)$/)
      expect(error.message).toMatch(/reset/)
      expect(error.message).not.toContain('firewall')
    })
  })
})
