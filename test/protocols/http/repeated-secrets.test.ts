import { createClient, type RetrieveOptions } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'

const password = 'pl4nted päss'
const basic = Buffer.from(`alice:${password}`).toString('base64')
const token = 't0ken-of-mine'

/** The error of an answer that repeats the request's secrets, and all that it and the events show. */
async function shown(scheme: string, begin: string, options: RetrieveOptions, login = '') {
  const words = `Bad alice:${password} ${basic} ${token}`
  await using server = await startScriptedServer((socket) => {
    socket.end(
      `${begin} ${words}\r\nCSeq: 1\r\nX-Said: ${words}\r\nContent-Length: ${words.length + 1}\r\n\r\n${words}`,
    )
  })
  const events: unknown[] = []
  await using client = createClient({ limits: { maxRetries: 0 }, onEvent: (event) => void events.push(event) })
  const error = await failure(client.retrieve(`${scheme}://${login}127.0.0.1:${server.port}/x`, options))
  return { error, all: `${error.message}${JSON.stringify(error)}${JSON.stringify(events)}` }
}

test.each([
  ['http', 'HTTP/1.1 401'],
  ['http', 'HTTP/1.1 403'],
  ['http', 'HTTP/1.1 500'],
  ['http', 'nonsense'],
  ['ws', 'HTTP/1.1 401'],
  ['ws', 'HTTP/1.1 403'],
  ['ws', 'nonsense'],
])('%s: an answer "%s ..." that repeats password and token shows them nowhere', async (scheme, begin) => {
  const options = { login: { user: 'alice', password }, headers: { 'X-Token': token } }
  const { error, all } = await shown(scheme, begin, options)
  for (const secret of ['pl4nted', basic, token]) expect(all).not.toContain(secret)
  expect(error.message).toContain('Bad alice:<password> <password> <password>')
})

test.each([
  ['http', 'HTTP/1.1 400'],
  ['ws', 'HTTP/1.1 400'],
  ['rtsp', 'RTSP/1.0 400'],
])('%s: an answer that repeats the password of the URL does not show it', async (scheme, begin) => {
  const { error, all } = await shown(scheme, begin, {}, `alice:${encodeURIComponent(password)}@`)
  expect(all).not.toContain('pl4nted')
  expect(error.reply).toContain('400 Bad alice:<password>')
})

test.each(['http', 'ws'])('%s: an answer that repeats a bearer token does not show it', async (scheme) => {
  const { error, all } = await shown(scheme, 'HTTP/1.1 401', { headers: { Authorization: `Bearer ${token}` } })
  expect(all).not.toContain(token)
  expect(error.reply).toMatch(/^401 Bad .* <password>$/)
})
