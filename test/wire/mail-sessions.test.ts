/** How retrievals of mails share connections, by IMAP and POP3. */
import { type Client, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startImapServer, startPop3Server, type TestServer } from '@retriever/servers'
import { expect, onTestFinished, test } from 'vitest'
import { failure } from '../support/failure.ts'

function clientOf(server: TestServer, options: Parameters<typeof createClient>[0] = {}): Client {
  const client = createClient({ credentials: () => ({ user: 'alice', password: 'secret' }), ...options })
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
}

const verbs = (server: TestServer): string[] =>
  server.received.map((line) => line.replace(/^A\d+ /, '').replace(/ .*/, ''))

test('messages one after the other: one login, and one EXAMINE of their mailbox', async () => {
  const server = await startImapServer()
  const client = clientOf(server)
  for (const path of ['INBOX/;UID=11', 'INBOX;UIDVALIDITY=7/;UID=12', 'INBOX/;UID=11/;SECTION=TEXT'])
    await (await client.retrieve(server.url + path)).text()
  expect(verbs(server)).toEqual(['LOGIN', 'EXAMINE', 'UID', 'UID', 'UID'])
  const wrong = client.retrieve(`${server.url}INBOX;UIDVALIDITY=8/;UID=11`)
  expect(await failure(wrong)).toMatchObject({ code: 'not-found' })
  await (await client.retrieve(`${server.url}Archiv%20%C3%A4/;UID=11`)).text()
  expect(verbs(server).slice(5)).toEqual(['EXAMINE', 'UID'])
  expect(server.accepted).toBe(1)
})

test('a mailbox that is not there leaves none open (RFC 3501 6.3.1): the one before is looked at anew', async () => {
  const server = await startImapServer()
  const client = clientOf(server)
  const message = async (): Promise<string> => (await client.retrieve(`${server.url}INBOX/;UID=11`)).text()
  const text = await message()
  expect(await failure(client.retrieve(`${server.url}None/;UID=11`))).toMatchObject({ code: 'not-found' })
  expect(await message()).toBe(text)
  expect(verbs(server)).toEqual(['LOGIN', 'EXAMINE', 'UID', 'EXAMINE', 'EXAMINE', 'UID'])
})

test('a listing looks at its mailbox anew', async () => {
  const server = await startImapServer()
  const client = clientOf(server)
  for (let round = 0; round < 2; round++) await (await client.retrieve(`${server.url}INBOX`)).text()
  expect(verbs(server)).toEqual(['LOGIN', 'EXAMINE', 'FETCH', 'EXAMINE', 'FETCH'])
})

test.each([startImapServer, startPop3Server])('other logins are other connections: %o', async (start) => {
  const server = await start()
  const client = clientOf(server)
  const path = start === startPop3Server ? '1' : 'INBOX/;UID=11'
  const at = (user: string): string => server.url.replace('//', `//${user}`) + path
  for (const user of ['', '', 'alice:secret@', 'alice;AUTH=PLAIN:secret@', 'alice:secret@'])
    await (await client.retrieve(at(user))).text()
  expect(server.accepted).toBe(3)
  expect(await failure(client.retrieve(at('alice:wrong@')))).toMatchObject({ code: 'auth-failed' })
})

test.each([
  [startImapServer, 'INBOX/;UID=11', 'LOGIN'],
  [startPop3Server, '1', 'PASS'],
] as const)('%o: a login that was refused is not sent for each URL of a list', async (start, path, verb) => {
  const server = await start()
  let password = 'wrong'
  const client = clientOf(server, { credentials: () => ({ user: 'alice', password }) })
  const errors: unknown[] = []
  for await (const { error } of client.retrieveAll(Array(20).fill(server.url + path))) errors.push(error)
  expect(errors).toEqual(Array(20).fill(expect.objectContaining({ code: 'auth-failed', phase: 'login' })))
  expect(verbs(server).filter((each) => each === verb)).toHaveLength(1)
  password = 'secret'
  expect((await (await client.retrieve(server.url + path)).bytes()).length).toBeGreaterThan(0)
})

test.each([
  [startImapServer, 'INBOX/;UID=11', 'FETCH'],
  [startPop3Server, '1', 'RETR'],
] as const)('%o: a connection that is lost at the next command is replaced once', async (start, path, verb) => {
  const server = await start()
  const client = clientOf(server, { limits: { maxRetries: 0 } })
  const text = await (await client.retrieve(server.url + path)).text()
  server.setFaults({ replies: { [verb]: [''] } })
  expect(await (await client.retrieve(server.url + path)).text()).toBe(text)
  expect(server.accepted).toBe(2)
  server.setFaults({ replies: { [verb]: '' } })
  expect(await failure(client.retrieve(server.url + path))).toMatchObject({ code: 'receive-failed' })
  expect(server.accepted).toBe(3)
})

test('a body that is given up closes its connection; the next retrieval gets another', async () => {
  const server = await startImapServer({ faults: { stall: 'body' } })
  const client = clientOf(server)
  await (await client.retrieve(`${server.url}INBOX/;UID=11`)).cancel()
  await server.waitForConnections(0)
  server.setFaults({})
  await (await client.retrieve(`${server.url}INBOX/;UID=11`)).text()
  expect(server.accepted).toBe(2)
})

test('a body that nobody reads does not hold up others for ever', async () => {
  const server = await startPop3Server()
  const client = clientOf(server, { limits: { idleTimeout: 200 } })
  const unread = await client.retrieve(`${server.url}1`)
  expect(await (await client.retrieve(`${server.url}2`)).text()).toContain('a.bin')
  expect(await failure(unread.text())).toMatchObject({ code: 'partial', transient: true })
})

test('a server that takes no further connection: the retrievals share those that it has taken', async () => {
  const full = 'A1 NO [LIMIT] Maximum number of connections from user+IP exceeded\r\n'
  const server = await startImapServer()
  const events: RetrievalEvent[] = []
  const client = clientOf(server, { onEvent: (event) => void events.push(event) })
  const first = await client.retrieve(`${server.url}INBOX/;UID=11`)
  server.setFaults({ replies: { LOGIN: full } })
  const second = client.retrieve(`${server.url}INBOX/;UID=12`)
  await first.text()
  expect(await (await second).text()).toContain('a.bin')
  expect(server.accepted).toBeLessThanOrEqual(2)
})
