/** RFC 1738 3.1: an empty user name is not the same as none, and may have a password. */
import { formatLocator, normalizeUrl, parseUrl, redact, resolve, resolveReference } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { startFtpServer, startHttpServer, startImapServer, startNntpServer, startPop3Server } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failure as failureOf } from '../support/failure.ts'

const startNewsServer = () => startNntpServer({ faults: { replies: { GROUP: ['480 log in\r\n'] } } })
const startAskingFtp = () => startFtpServer({ faults: { replies: { USER: ['331 the password\r\n'] } } })
const withLogin = (url: string): string => url.replace('//', '//:pw@')

test('the URL keeps it in all its forms, and hides the password', () => {
  const url = 'ftp://:pw@host/a/b'
  expect(formatLocator(parseUrl(url))).toBe(url)
  expect(normalizeUrl(url)).toBe(url)
  expect(resolveReference('../c', url)).toBe('ftp://:pw@host/c')
  expect(redact(`see ${url}`)).toBe('see ftp://:***@host/a/b')
  expect(resolve('ftp://@host/').plan).toMatchObject({ user: '', password: null })
  expect(resolve('pop://:pw@host/').plan).toMatchObject({ user: '', password: 'pw' })
  expect(resolve('pop://;AUTH=*@host/').plan).toMatchObject({ user: null, password: null })
  expect(resolve('http://host:80/').locator).toMatchObject({ user: null, password: null })
})

test('a finding tells that the user is empty', () => {
  expect(resolve('http://:pw@localhost/').findings).toContainEqual(
    expect.objectContaining({ code: 'empty-user', severity: 'warning', rule: 'RFC 1738 3.1', span: [8, 10] }),
  )
})

test('HTTP sends it by Basic', async () => {
  await using server = await startHttpServer()
  await using client = createClient()
  await (await client.retrieve(withLogin(`${server.url}readme.txt`))).bytes()
  const { authorization = '' } = server.requests[0]?.headers ?? {}
  expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe(':pw')
})

test.each([
  ['FTP', startAskingFtp, 'readme.txt', ['USER ', 'PASS pw']],
  ['POP3', startPop3Server, '1', ['USER ', 'PASS pw']],
  ['IMAP', startImapServer, 'INBOX', ['A1 LOGIN "" "pw"']],
  ['NNTP', startNewsServer, 'retriever.test', ['GROUP retriever.test', 'AUTHINFO USER ']],
] as const)('%s sends it as it stands', async (_name, start, path, lines) => {
  await using server = await start()
  await using client = createClient({
    limits: { maxRetries: 0 },
    credentials: () => ({ user: 'asked', password: 'x' }),
  })
  await failureOf(client.retrieve(withLogin(`${server.url}${path}`)))
  expect(server.received.slice(0, lines.length)).toEqual(lines)
  expect(server.received.join()).not.toContain('asked')
})
