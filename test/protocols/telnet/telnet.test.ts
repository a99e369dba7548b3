import { createClient, type Fetcher } from '@retriever/fetchers'
import { startTelnetServer } from '@retriever/servers'
import { expect, test } from 'vitest'

const client = createClient({ policy: { allow: ['option-injection'] } })

test.each([
  ['telnet://h/', ['--', 'h', '23']],
  ['telnet://h:2323', ['--', 'h', '2323']],
  ['telnet://alice@h/', ['--', 'h', '23'], 'alice'],
  ['telnet://alice:secret@h/', ['--', 'h', '23'], 'alice'],
  ['telnet://@h/', ['--', 'h', '23']],
  ['telnet://two%20words@h/', ['--', 'h', '23'], 'two words'],
  ['telnet://gr%C3%BC%C3%9Fe@h/', ['--', 'h', '23'], 'grüße'],
  ['telnet://[::1]:2323/', ['--', '::1', '2323']],
])('%s is handed over', async (url, args, user?: string) => {
  const handoff = await client.open(url)
  expect(handoff).toMatchObject({
    outcome: 'handoff',
    service: 'telnet',
    program: 'telnet',
    args,
    ...(user !== undefined && { user }),
  })
  expect(JSON.stringify(handoff)).not.toContain('secret')
})

// CVE-2007-0882, CVE-2026-24061; refused even where the finding was allowed.
test.each(['telnet://-froot@h/', 'telnet://+x@h/', 'telnet://%2Dfroot@h/', 'telnet://a%1Bb@h/'])(
  '%s is refused',
  async (url) => {
    await expect(client.open(url)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
  },
)

test('a user with control characters is not called an option', async () => {
  const error: unknown = await client.open('telnet://a%1Bb@h/').catch((failure: unknown) => failure)
  expect(String(error)).toContain('The user holds control characters')
})

test('a service is no data: retrieve() says what to run, without the password', async () => {
  const failure = await client.retrieve('telnet://alice:secret@h:2323/').catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'handoff',
    message: expect.stringContaining(
      'It suggests logging in as alice with the password that the URL contains. To use it, run: telnet -- h 2323',
    ),
  })
  expect(String((failure as Error).message)).not.toContain('secret')
})

test('nothing is connected', async () => {
  await using server = await startTelnetServer()
  await client.open(server.url)
  expect(server.accepted).toBe(0)
})

test('a password is a field of its own, which no JSON tells', async () => {
  const handoff = await client.open('telnet://alice:s3cret@h/')
  expect(handoff).toHaveProperty('password', 's3cret')
  expect(JSON.stringify({ ...handoff })).not.toContain('s3cret')
})

test('nor where a fetcher of the caller gives it', async () => {
  const own: Fetcher<'telnet'> = {
    mechanism: 'telnet',
    retrieve: async ({ host, port }) => ({
      outcome: 'handoff',
      service: 'telnet',
      host,
      port,
      user: 'alice',
      password: 's3cret',
      program: 'telnet',
      args: [host],
    }),
  }
  await using plugged = createClient({ fetchers: [own] })
  const handoff = await plugged.open('telnet://h/')
  expect(handoff).toHaveProperty('password', 's3cret')
  expect(JSON.stringify(handoff)).not.toContain('s3cret')
})

test.each([
  ['telnet://x%3Breboot@h/', "logging in as 'x;reboot'"],
  ['telnet://$(reboot)@h/', "logging in as '$(reboot)'"],
  ['telnet://%60reboot%60@h/', "logging in as '`reboot`'"],
  ["telnet://a'b@h/", "logging in as 'a'\\''b'"],
  ['telnet://a%26b%7Cc@h/', "logging in as 'a&b|c'"],
  // Plain within a word: as the first character a shell puts a home directory or a program in its place.
  ['telnet://~root@h/', "logging in as '~root'"],
  ['telnet://=ls@h/', "logging in as '=ls'"],
])('%s: the command is safe to paste into a shell', async (url, login) => {
  const error: unknown = await client.retrieve(url).catch((failure: unknown) => failure)
  expect(error).toMatchObject({ code: 'handoff', handoff: { program: 'telnet', args: ['--', 'h', '23'] } })
  expect(String(error)).toMatch(/ To use it, run: telnet -- h 23$/)
  expect(String(error)).toContain(login)
})

test.each(['-oProxyCommand=x', '+x', 'a b', 'h;id', ''])(
  'a host that a program would misread is never handed over: %j',
  async (host) => {
    const fetcher: Fetcher<'telnet'> = {
      mechanism: 'telnet',
      retrieve: async () => ({
        outcome: 'handoff',
        service: 'x',
        host,
        port: 1,
        user: null,
        program: 'x',
        args: [host],
      }),
    }
    const careless = createClient({ fetchers: [fetcher as Fetcher] })
    await expect(careless.open('telnet://h/')).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
  },
)

test('telnets is not handed to the program telnet, which speaks no TLS', async () => {
  const handoff = await client.open('telnets://h/')
  expect(handoff).toMatchObject({ outcome: 'handoff', service: 'telnets', host: 'h', port: 992 })
  expect(handoff).not.toMatchObject({ program: 'telnet' })
})
