/** RequestOptions.digest: by Digest or not at all. */
import { createServer } from 'node:http'
import { createClient } from '@retriever/fetchers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'

const sent: (string | undefined)[] = []
let offers: string[] = []
const server = createServer(({ headers: { authorization } }, response) => {
  sent.push(authorization)
  if (authorization?.startsWith('Digest ')) return void response.end('in')
  response
    .writeHead(
      401,
      offers.flatMap((offer) => ['WWW-Authenticate', offer]),
    )
    .end()
})
let host = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
beforeEach(() => {
  sent.length = 0
})
afterAll(() => server.close())

const digest = 'Digest realm="x", nonce="n", qop="auth"'
const basic = 'Basic realm="x"'

test.each([
  ['in the URL', 'alice:s3cr3t@'],
  ['that is asked for', ''],
])('a login %s is not sent before the server offers Digest, and then not by Basic', async (_, login) => {
  offers = [basic, digest]
  await using client = createClient({ credentials: () => ({ user: 'alice', password: 's3cr3t' }) })
  const representation = await client.retrieve(`http://${login}${host}/`, { digest: true })
  expect(await representation.text()).toBe('in')
  expect(sent).toEqual([undefined, expect.stringMatching(/^Digest username="alice"/)])
})

test.each(['alice:s3cr3t@', ''])('a server that offers Basic alone gets none (%j)', async (login) => {
  offers = [basic]
  await using client = createClient({ credentials: () => ({ user: 'alice', password: 's3cr3t' }) })
  const error = await failure(client.retrieve(`http://${login}${host}/`, { digest: true }))
  expect(error).toMatchObject({ code: 'auth-required', advice: { option: 'digest' } })
  expect(error.message).toContain('The server offers no Digest login, and `digest` allows no other; leave it out.')
  expect(sent).toEqual([undefined])
})
