import { createClient } from '@retriever/fetchers'
import { startTelnetServer } from '@retriever/servers'
import { expect, test } from 'vitest'

const client = createClient({ policy: { allow: ['option-injection'] } })

test.each([
  ['telnet://h/', ['h', '23']],
  ['telnet://h:2323', ['h', '2323']],
  ['telnet://alice@h/', ['-l', 'alice', 'h', '23']],
  ['telnet://alice:secret@h/', ['-l', 'alice', 'h', '23']],
  ['telnet://@h/', ['h', '23']],
  ['telnet://two%20words@h/', ['-l', 'two words', 'h', '23']],
  ['telnet://gr%C3%BC%C3%9Fe@h/', ['-l', 'grüße', 'h', '23']],
  ['telnet://[::1]:2323/', ['::1', '2323']],
])('%s is handed over', async (url, args) => {
  const handoff = await client.open(url)
  expect(handoff).toMatchObject({ outcome: 'handoff', service: 'telnet', program: 'telnet', args })
  expect(JSON.stringify(handoff)).not.toContain('secret')
})

// CVE-2007-0882, CVE-2026-24061; refused even where the finding was allowed.
test.each(['telnet://-froot@h/', 'telnet://+x@h/', 'telnet://%2Dfroot@h/', 'telnet://a%1Bb@h/'])(
  '%s is refused',
  async (url) => {
    await expect(client.open(url)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
  },
)

test('a service is no data: retrieve() says what to run, without the password', async () => {
  const failure = await client.retrieve('telnet://alice:secret@h:2323/').catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'handoff', message: expect.stringContaining('telnet -l alice h 2323') })
  expect(String((failure as Error).message)).not.toContain('secret')
})

test('nothing is connected', async () => {
  await using server = await startTelnetServer()
  await client.open(server.url)
  expect(server.accepted).toBe(0)
})
