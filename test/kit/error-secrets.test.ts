/** A server that repeats what was asked for, as most do, tells no log the secrets of the URL (threats.md case 47). */
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failure } from '../support/failure.ts'

test.each([
  ['ftp', 'x;token=S3CRET'],
  ['ftp', 'a%3Ftoken%3DS3CRET/b'],
  ['gopher', '0/?token=S3CRET'],
  ['gopher', '0/a%3Ftoken%3DS3CRET'],
] as const)('case 47, %s: no error of %s has the token, nor has an event', async (protocol, path) => {
  await using servers = await startServers({ ftp: true, gopher: true })
  const events: RetrievalEvent[] = []
  await using client = createClient({ onEvent: (event) => events.push(event) })
  const error = await failure(client.retrieve(servers[protocol].url + path))
  expect(error).toMatchObject({ code: 'not-found', message: expect.stringContaining('token=***') })
  expect(JSON.stringify([error, error.message, error.reply, events])).not.toContain('S3CRET')
})

test.each([401, 403, 500])('http: nor has the page of status %i that repeats the URL', async (status) => {
  await using servers = await startServers({ http: true })
  servers.http.route('/x', ({ target }) => new Response(`<p>${target} is not for you</p>`, { status }))
  await using client = createClient({ limits: { maxRetries: 0 } })
  const error = await failure(client.retrieve(`${servers.http.url}x?api_key=S3CRET&a=b`))
  expect(error.response?.excerpt).toMatch(/^<p>\/x\?api_key=\*\*\*/)
  expect(JSON.stringify(error)).not.toContain('S3CRET')
})
