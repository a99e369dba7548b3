import type { ClientOptions, Credentials } from '@retriever/fetchers'
import { type LdapServerOptions, startLdapServer, type TestServer, testCa } from '@retriever/servers'
import { afterEach, expect, test } from 'vitest'
import { remarks } from '../../support/events.ts'
import { body } from '../../support/outcome.ts'

const suffix = 'dc=example,dc=net'
const alice = `uid=alice,ou=people,${suffix}`
const hidden = `cn=secret,${suffix}`
/** How `alice` stands in an extension of a URL, where a comma ends it. */
const written = alice.replaceAll(',', '%2C')

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
})

async function start(options: LdapServerOptions = {}): Promise<string> {
  server = await startLdapServer(options)
  return server.url
}

/** Options whose credentials answer like this, and note what they were asked. */
function answering(answer: Credentials | null): { readonly options: ClientOptions; readonly asked: unknown[] } {
  const asked: unknown[] = []
  const credentials: ClientOptions['credentials'] = async (challenge) => {
    asked.push(challenge)
    return answer
  }
  return { options: { credentials }, asked }
}

const right: Credentials = { user: alice, password: 'secret' }

test('a search is anonymous, and asks nobody, while the server wants no login', async () => {
  const url = await start()
  const { options, asked } = answering(right)
  expect((await body(url + alice, options)).error).toBeNull()
  expect(asked).toEqual([])
  await server?.waitForConnections(0)
  expect(server?.received).toEqual([`search base ${alice}`, 'unbind'])
})

test('a server that wants a login gets it by a simple bind, and the search again', async () => {
  const url = await start()
  const { options, asked } = answering(right)
  const { got } = await body(url + hidden, options)
  expect(String(got)).toContain('description: for logins alone')
  expect(asked).toEqual([expect.objectContaining({ host: '127.0.0.1', user: null })])
  await server?.waitForConnections(0)
  expect(server?.received).toEqual([`search base ${hidden}`, `bind ${alice}`, `search base ${hidden}`, 'unbind'])
})

test('without one it is auth-required; with a wrong one auth-failed', async () => {
  const url = await start()
  const { error } = await body(url + hidden)
  expect(error).toMatchObject({ code: 'auth-required', reply: '50 insufficientAccessRights: a login is needed' })
  const wrong = answering({ user: alice, password: 'wrong' })
  expect((await body(url + hidden, wrong.options)).error).toMatchObject({
    code: 'auth-failed',
    reply: '49 invalidCredentials: invalid credentials',
    phase: 'login',
  })
})

test.each(['', '!'])('the extension %sbindname of RFC 2255 names the login', async (mark) => {
  const url = await start()
  const { options, asked } = answering(right)
  expect((await body(`${url}${hidden}????${mark}bindname=${written}`, options)).error).toBeNull()
  expect(asked).toEqual([expect.objectContaining({ user: alice })])
  await server?.waitForConnections(0)
  expect(server?.received).toEqual([`bind ${alice}`, `search base ${hidden}`, 'unbind'])
})

test('without a password for it, the search is anonymous; a critical bindname is then auth-required', async () => {
  const url = await start()
  const { error, events } = await body(`${url}${alice}????bindname=${written}`)
  expect(error).toBeNull()
  expect(remarks(events)).toEqual([expect.stringContaining(`No password is known for ${alice}`)])
  await server?.waitForConnections(0)
  server?.reset()
  const critical = await body(`${url}${alice}????!bindname=${written}`)
  expect(critical.error).toMatchObject({ code: 'auth-required', phase: 'login' })
  await server?.waitForConnections(0)
  expect(server?.received).toEqual(['unbind'])
})

test('an empty bindname is nobody; an empty password is never sent (RFC 4513 5.1.2)', async () => {
  const url = await start()
  const { options, asked } = answering({ user: alice, password: '' })
  expect((await body(`${url}${alice}????!bindname=`, options)).error).toBeNull()
  expect(asked).toEqual([])
  await server?.waitForConnections(0)
  server?.reset()
  const { error } = await body(`${url}${alice}????bindname=${written}`, options)
  expect(error).toMatchObject({ code: 'auth-required' })
  await server?.waitForConnections(0)
  expect(server?.received).toEqual(['unbind'])
})

test.each([
  ['accepted', 'secret'],
  ['refused', 'pl4nted'],
])('no event and no error shows a password that is %s', async (_, password) => {
  const url = await start()
  const { options } = answering({ user: alice, password })
  const { error, events, got } = await body(url + hidden, options)
  expect(error === null).toBe(password === 'secret')
  const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets] : []))
  expect(sent.join()).toContain('<password>')
  const all = `${JSON.stringify(events)}${error?.stack}${JSON.stringify(error)}`.replaceAll('cn=secret', '')
  expect(all).not.toContain(password)
  expect(String(got)).not.toContain('pl4nted')
})

test('a login goes through StartTLS where TLS is required, and not before it', async () => {
  const url = await start({ tls: 'explicit' })
  const { options } = answering(right)
  const { error } = await body(url + hidden, { ...options, defaults: { requireTls: true }, tls: { ca: testCa } })
  expect(error).toBeNull()
  await server?.waitForConnections(0)
  expect(server?.received.slice(0, 2)).toEqual(['extended StartTLS', `search base ${hidden}`])
})

test('a server that serves no anonymous search at all', async () => {
  const url = await start({ auth: 'required' })
  expect((await body(url + alice)).error).toMatchObject({ code: 'auth-required' })
  const { options, asked } = answering(right)
  expect((await body(url + alice, options)).error).toBeNull()
  expect(asked).toHaveLength(1)
})
