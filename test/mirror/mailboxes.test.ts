/** Mirrors of mailboxes, by IMAP and POP3. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startImapServer, startPop3Server, type TestServer } from '@retriever/servers'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { failure } from '../support/failure.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mails-'))
  return () => rmSync(folder, { recursive: true })
})

function clientOf(server: TestServer, onEvent?: (event: RetrievalEvent) => void): Client {
  const client = createClient({
    credentials: () => ({ user: 'alice', password: 'secret' }),
    ...(onEvent && { onEvent }),
  })
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  return client
}

test('a mailbox of IMAP is saved, a mail a file, and the second run saves nothing', async () => {
  const server = await startImapServer()
  const client = clientOf(server)
  expect(await client.mirror(`${server.url}INBOX`, folder)).toMatchObject({ saved: 2, failed: 0, isComplete: true })
  expect(readdirSync(folder)).toEqual(['7.11', '7.12'])
  expect(readFileSync(join(folder, '7.11'), 'latin1')).toMatch(/^From: Bob .*Hello\.\r\n\.dot\r\n\.\.\r\n$/s)
  expect(await client.mirror(`${server.url}INBOX`, folder)).toMatchObject({ saved: 0, skipped: 2 })
  const logins = server.received.filter((line) => / LOGIN /.test(line))
  expect(logins.length).toBeLessThanOrEqual(4)
})

test('all mailboxes of a server are saved, each as a folder', async () => {
  const server = await startImapServer()
  expect(await clientOf(server).mirror(server.url, folder)).toMatchObject({ saved: 4, failed: 0 })
  expect(readdirSync(folder).sort()).toEqual(['Archiv ä', 'Empty', 'INBOX'])
})

test('a mailbox of POP3 is saved with two logins, each mail by its unique id', async () => {
  const server = await startPop3Server()
  const client = clientOf(server)
  expect(await client.mirror(server.url, folder)).toMatchObject({ saved: 2, failed: 0 })
  expect(readdirSync(folder)).toEqual(['uid-1', 'uid-2'])
  expect(server.received.filter((line) => line === 'USER alice')).toHaveLength(1)
  expect(await client.mirror(server.url, folder)).toMatchObject({ saved: 0, skipped: 2 })
  expect(server.received.filter((line) => line === 'USER alice')).toHaveLength(2)
})

test('without a limit, delete removes a mail that the mailbox no longer has', async () => {
  const server = await startImapServer()
  writeFileSync(join(folder, '7.1'), 'gone')
  expect(await clientOf(server).mirror(`${server.url}INBOX`, folder, { delete: true })).toMatchObject({ deleted: 1 })
  expect(readdirSync(folder)).toEqual(['7.11', '7.12'])
})

test('a limit and delete exclude each other: older mails would be deleted', async () => {
  const server = await startImapServer()
  const mirrored = clientOf(server).mirror(`${server.url}INBOX`, folder, { delete: true, limit: 1 })
  expect(await failure(mirrored)).toMatchObject({ code: 'invalid-option' })
})
