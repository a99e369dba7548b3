import { createClient, Representation } from '@retriever/fetchers'
import { startTelnetServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { deepFreeze, everythingIn, failureOf, handlesSince, openHandles } from '../../support/contract/observe.ts'

/** A telnet URL names no data object (RFC 4248 2), so of the contract only this is left. */
describe('telnet keeps the contract of a handoff', () => {
  test('open() says what to run, and connects to nothing', async () => {
    await using server = await startTelnetServer()
    await using client = createClient(deepFreeze({ limits: {}, policy: {} }))
    const before = openHandles()
    const handoff = await client.open(`telnet://bob@127.0.0.1:${server.port}/`)
    expect(handoff).not.toBeInstanceOf(Representation)
    expect(handoff).toEqual({
      outcome: 'handoff',
      service: 'telnet',
      host: '127.0.0.1',
      port: server.port,
      user: 'bob',
      program: 'telnet',
      args: ['--', '127.0.0.1', String(server.port)],
      argsWithUser: ['-l', 'bob', '--', '127.0.0.1', String(server.port)],
      install: expect.stringContaining('telnet'),
    })
    expect(server.accepted).toBe(0)
    expect(await handlesSince(before)).toEqual([])
  })

  test('retrieve() rejects with code handoff, and a message that says what to run', async () => {
    await using client = createClient()
    const error = await failureOf(client.retrieve('telnet://h:2323/'))
    expect(error).toMatchObject({ code: 'handoff', phase: 'resolve' })
    expect(error.message).toContain('telnet -- h 2323')
  })

  test('a password is advice to nobody: it shows nowhere', async () => {
    const events: unknown[] = []
    await using client = createClient({ onEvent: (event) => void events.push(event) })
    const url = 'telnet://bob:pl4nted@127.0.0.1/'
    expect(JSON.stringify(await client.open(url))).not.toContain('pl4nted')
    expect(everythingIn(await failureOf(client.retrieve(url)))).not.toContain('pl4nted')
    expect(JSON.stringify(events)).not.toContain('pl4nted')
  })

  test.each(['telnet://-lroot@h/', 'telnet://+x@h/', 'telnet://u%0d%0a@h/', 'telnet://%2dx@h/'])(
    '%s would be an option, or a line of its own: refused',
    async (url) => {
      await using client = createClient()
      expect(await failureOf(client.open(url))).toMatchObject({ code: 'refused', phase: 'policy' })
    },
  )

  test('an aborted signal ends it', async () => {
    await using client = createClient()
    expect(await failureOf(client.open('telnet://h/', { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
    })
  })
})
