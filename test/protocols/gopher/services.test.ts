/** Items of a menu that name another service: sessions, and the phone book of RFC 2378. */
import { startGopherServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { sent } from '../../support/events.ts'
import { failure } from '../../support/failure.ts'
import { body, listed, told } from '../../support/outcome.ts'

describe('a session is handed over, and nothing is connected', () => {
  test.each([
    [
      'gopher://h:2323/8bob',
      { service: 'telnet', program: 'telnet', args: ['--', 'h', '2323'], port: 2323, user: 'bob' },
    ],
    ['gopher://h/8', { service: 'telnet', program: 'telnet', args: ['--', 'h', '23'], port: 23, user: null }],
    ['gopher://h:23/8%c3%a4', { args: ['--', 'h', '23'], user: 'ä' }],
    ['gopher://h/Tguest', { service: 'tn3270', program: 'c3270', args: ['h:23'], user: 'guest' }],
    ['gopher://[::1]:70/T', { args: ['[::1]:23'], user: null }],
  ])('%s', async (url, handoff) => {
    const { got, events } = await told((client) => client.open(url))
    expect(got).toMatchObject({ outcome: 'handoff', ...handoff })
    expect(events.map(({ type }) => type)).toEqual(['resolved', 'done'])
  })

  test('a login name is advice: a hostile one is none of the arguments', async () => {
    const { got } = await told((client) => client.open('gopher://h:23/8-x%3Breboot'))
    expect(got).toMatchObject({ user: '-x;reboot', args: ['--', 'h', '23'] })
  })

  test('retrieve() rejects with code handoff, and says what to run', async () => {
    const error = await failure(
      told((client) => client.retrieve('gopher://h/8bob')).then(({ error }) => Promise.reject(error)),
    )
    expect(error.code).toBe('handoff')
    expect(error.message).toContain('telnet -- h 23')
  })

  test('a line end in the login name is refused', async () => {
    expect((await told((client) => client.open('gopher://h/8a%0d%0ab'))).error?.code).toBe('refused')
  })
})

describe('a phone book', () => {
  const ann = '-200:1:        name: Ann Lee\r\n-200:1:       email: ann@example.net\r\n'
  const bob = '-200:2:        name: Bob Lee\r\n-200:2:            : second line\r\n'

  /** The outcome of an answer to `query lee`, in any segments. */
  async function answered(reply: string): Promise<Awaited<ReturnType<typeof body>>> {
    let last: Awaited<ReturnType<typeof body>> | undefined
    for (const chunking of ['bytes', 'whole'] as const) {
      await using server = await startGopherServer({ faults: { chunking, replies: { 'query lee': reply } } })
      last = await body(`${server.url}2%09lee`)
      expect(sent(last.events)).toEqual(['query lee\r\n'])
    }
    return last ?? expect.fail('nothing was asked')
  }

  test('a search gives its entries as text, one below the other', async () => {
    const { got, error } = await answered(`102:There were 2 matches to your request.\r\n${ann}${bob}200:Ok.\r\n`)
    expect(error).toBeNull()
    expect(got?.toString()).toBe(
      'There were 2 matches to your request.\r\n\r\n        name: Ann Lee\r\n       email: ann@example.net\r\n' +
        '\r\n        name: Bob Lee\r\n            : second line\r\n',
    )
  })

  test('without a count there is no blank line before the first, and LF ends a line too', async () => {
    const { got } = await answered(`${ann}200:Ok.\r\n`.replaceAll('\r\n', '\n'))
    expect(got?.toString()).toBe('        name: Ann Lee\r\n       email: ann@example.net\r\n')
  })

  test('without words it tells of itself', async () => {
    const reply = '100:Qi server\r\n100:Be sure to bring your card.\r\n200:Database ready\r\n'
    await using server = await startGopherServer({ faults: { replies: { status: reply } } })
    const { got, events } = await body(`${server.url}2`)
    expect(got?.toString()).toBe('Qi server\r\nBe sure to bring your card.\r\n')
    expect(sent(events)).toEqual(['status\r\n'])
  })

  test.each([
    ['nobody found', '501:No matches to query.\r\n', 'not-found'],
    ['too many', '102:There were 900 matches.\r\n502:Too many matches to query.\r\n', 'server-refused'],
    ['no such field', '-507:1:x: Field does not exist.\r\n500:Did not understand query.\r\n', 'server-refused'],
    ['a database that is away', '475:Database unavailable; try later.\r\n', 'server-refused'],
    ['another protocol', 'Error: File or directory not found!\r\n', 'protocol-violation'],
    ['nothing', '', 'receive-failed'],
    ['half a line', '200:O', 'receive-failed'],
    ['an answer that is cut', ann, 'partial'],
    ['an answer that is cut within a line', `${ann}-200:1: ph`, 'receive-failed'],
    ['an answer that ends in an error', `${ann}400:Temporary error\r\n`, 'server-refused'],
  ])('%s is an error', async (_, reply, code) => {
    const { error } = await answered(reply)
    expect(error?.code).toBe(code)
  })

  test('an endless beginning is no reply to be held', async () => {
    const reply = `${'100:x\r\n'.repeat(40_000)}200:Ok.\r\n`
    await using server = await startGopherServer({ faults: { replies: { 'query lee': reply } } })
    const { got } = await body(`${server.url}2%09lee`)
    expect(got).toHaveLength(3 * 40_000)
  })

  test('is asked for words by a menu that leads there', async () => {
    await using server = await startGopherServer({
      faults: { replies: { '': '2People\t\tph.example.net\t105\r\n.\r\n' } },
    })
    const { got } = await listed(server.url)
    expect(got).toMatchObject([{ kind: 'search', url: 'gopher://ph.example.net:105/2' }])
  })
})
