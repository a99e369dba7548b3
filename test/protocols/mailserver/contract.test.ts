import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { bytesOf, deepFreeze, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'

const url = 'mailserver:listserv@host.example/Files/get%20a%20b/quit'

/** A mailserver URL contacts nothing and lacks nothing, so of the contract only this is left. */
describe('mailserver keeps the contract of a fetcher', () => {
  test('the bytes are the draft, and nothing is opened', async () => {
    const before = openHandles()
    const events: string[] = []
    const onEvent = ({ type }: { readonly type: string }): void => void events.push(type)
    await using client = createClient(deepFreeze({ limits: {}, policy: { publicOnly: true }, onEvent }))
    const representation = await client.retrieve(url)
    const draft = await representation.bytes()
    expect(representation).toMatchObject({
      kind: 'object',
      mechanism: 'mailserver',
      mediaType: 'message/rfc822',
      size: draft.length,
      completeness: 'verified',
    })
    expect(events).toEqual(['resolved', 'progress', 'done'])
    expect(await handlesSince(before)).toEqual([])
  })

  test('limits.maxSize, an aborted signal, a range', async () => {
    await using little = createClient({ limits: { maxSize: 20 } })
    expect(await failureOf(bytesOf(little, url))).toMatchObject({ code: 'limit-exceeded' })
    const signal = AbortSignal.abort('no more')
    expect(await failureOf(little.retrieve(url, { signal }))).toMatchObject({ code: 'aborted', cause: 'no more' })
    expect(await failureOf(little.retrieve(url, { range: [0, 1] }))).toMatchObject({ code: 'range-refused' })
  })
})

const mime = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=us-ascii', 'Content-Transfer-Encoding: 7bit', '']

describe('the draft', () => {
  test.each<readonly [string, readonly string[]]>([
    [url, ['To: listserv@host.example', 'Subject: Files', ...mime, 'get a b', 'quit']],
    ['mailserver:a@h', ['To: a@h', ...mime]],
    ['mailserver:a@h//send%20x%2Fy', ['To: a@h', ...mime, 'send x/y']],
    ['mailserver://a@h.example/S/b', ['To: a@h.example', 'Subject: S', ...mime, 'b']],
    ['mailserver:a@h?subject=S&body=help', ['To: a@h', 'Subject: S', ...mime, 'help']],
    ['mailserver:a@h/S/?bcc=c@d', ['To: a@h', 'Subject: S', ...mime]],
    ['mailserver:%22a%20b%22@h', ['To: "a b"@h', ...mime]],
  ])('of %s', async (given, lines) => {
    await using client = createClient()
    expect(await (await client.retrieve(given)).text()).toBe(`${lines.join('\r\n')}\r\n`)
  })

  test.each(['mailserver:x', 'mailserver:', 'mailserver://h/send%20index'])('%s names no address', async (given) => {
    await using client = createClient()
    const failure = await failureOf(client.retrieve(given))
    expect(failure).toMatchObject({ code: 'malformed-url', message: expect.stringContaining('no address') })
  })

  test.each([
    'mailserver:a@h/S%0D%0ABcc:%20b@c/x',
    'mailserver:a@h%0ACc:%20b@c',
    'mailserver:a@h/S/x%00',
    'mailserver:a@h?subject=S%0D%0ABcc:%20b@c',
    'mailserver://a@h/S%0D%0ACc:%20b@c',
  ])('%s would begin a field: refused, whatever the policy allows', async (given) => {
    await using client = createClient({ policy: { allow: ['header-injection'] } })
    expect(await failureOf(client.retrieve(given))).toMatchObject({ code: 'refused', phase: 'policy' })
  })
})
