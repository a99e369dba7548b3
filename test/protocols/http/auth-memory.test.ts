import type { RetrievalError } from '@retriever/core'
import { type Challenge, type Client, type Credentials, createClient } from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { challenge, ok, redirectTo } from './support/http-answers.ts'
import { type Asked, type ScriptedHttp, scriptedHttp } from './support/scripted-http.ts'

const digest = 'Digest realm="r", nonce="n", qop="auth"'
const basicOf = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const alice = { user: 'alice', password: 's3cr3t' }

let server: ScriptedHttp
let client: Client
const challenges: Challenge[] = []
/** The next answer of the credentials function. */
let known: (challenge: Challenge) => Partial<Credentials> | null

function clientOf(): Client {
  return createClient({
    credentials: (challenge) => {
      challenges.push(challenge)
      return known(challenge) as Credentials | null
    },
  })
}

beforeEach(async () => {
  challenges.length = 0
  known = () => alice
  server = await scriptedHttp(({ fields }) => (fields.authorization === undefined ? challenge(digest) : ok('in')))
  client = clientOf()
})

afterEach(async () => {
  await client.close()
  await server[Symbol.asyncDispose]()
})

const read = async (path: string, by = client): Promise<string> => (await by.retrieve(server.url + path)).text()
const failure = (path: string): Promise<RetrievalError> =>
  read(path).then(expect.fail, (error: RetrievalError) => error)
/** The kinds of what was sent as Authorization. */
const sent = (on = server): (string | undefined)[] => on.asked.map(({ fields }) => fields.authorization?.split(' ')[0])

describe('a login that worked is not asked for again at the next URL', () => {
  test.each<[string, string, Partial<Credentials>]>([
    ['Digest', digest, alice],
    ['Basic', 'Basic realm="r"', alice],
    ['Basic', 'Basic', alice],
    ['Bearer', 'Bearer realm="r"', { token: 'tok' }],
  ])('%s: %s', async (kind, offer, credentials) => {
    known = () => credentials
    server.script = ({ fields }) => (fields.authorization === undefined ? challenge(offer) : ok('in'))
    for (const path of ['a', 'b', 'c/d']) expect(await read(path)).toBe('in')
    expect(challenges).toHaveLength(1)
    expect(sent()).toEqual([undefined, kind, undefined, kind, undefined, kind])
  })

  test('of the same origin after a redirect that leads back to it', async () => {
    server.script = ({ fields, target }) =>
      fields.authorization === undefined ? challenge(digest) : target === '/a' ? redirectTo('/b') : ok('in')
    expect(await read('a')).toBe('in')
    expect(challenges).toHaveLength(1)
  })
})

describe('it is asked for again', () => {
  test('where the realm is another one', async () => {
    server.script = ({ fields, target }) =>
      fields.authorization === undefined ? challenge(`Basic realm="${target}"`) : ok('in')
    for (const path of ['a', 'b', 'a']) await read(path)
    expect(challenges.map(({ realm }) => realm)).toEqual(['/a', '/b'])
  })

  test('where the URL names another user', async () => {
    known = ({ user }) => ({ user: user ?? 'alice', password: 'p' })
    server.script = ({ fields }) => (fields.authorization === undefined ? challenge('Basic realm="r"') : ok('in'))
    const asBob = `${server.url.replace('//', '//bob@')}a`
    await read('a')
    for (let round = 0; round < 2; round++) await (await client.retrieve(asBob)).text()
    await read('a')
    expect(challenges.map(({ user }) => user)).toEqual([null, 'bob'])
    expect(server.asked.flatMap(({ fields }) => fields.authorization ?? [])).toEqual([
      basicOf('alice', 'p'),
      basicOf('bob', 'p'),
      basicOf('bob', 'p'),
      basicOf('alice', 'p'),
    ])
  })

  test('where the server takes it in a weaker way by now', async () => {
    await read('a')
    server.script = ({ fields }) => (fields.authorization === undefined ? challenge('Basic realm="r"') : ok('in'))
    known = () => null
    expect(await failure('b')).toMatchObject({ code: 'auth-required' })
    expect(sent()).toEqual([undefined, 'Digest', undefined])
  })

  test('where it was refused, and not only at the first URL', async () => {
    const isRight = ({ fields }: Asked): boolean => fields.authorization === basicOf('alice', 'right')
    server.script = (asked) => (isRight(asked) ? ok('in') : challenge('Basic realm="r"'))
    known = () => ({ user: 'alice', password: 'wrong' })
    for (const path of ['a', 'b']) expect(await failure(path)).toMatchObject({ code: 'auth-failed' })
    known = () => ({ user: 'alice', password: 'right' })
    for (const path of ['c', 'd']) expect(await read(path)).toBe('in')
    expect(challenges).toHaveLength(3)
  })

  test('where the password has changed; what is refused is forgotten', async () => {
    let password = 'old'
    server.script = ({ fields }) =>
      fields.authorization === basicOf('alice', password) ? ok('in') : challenge('Basic realm="r"')
    known = () => ({ user: 'alice', password })
    await read('a')
    password = 'new'
    for (const path of ['b', 'c']) expect(await read(path)).toBe('in')
    expect(challenges).toHaveLength(2)
    const passwords = server.asked.flatMap(({ fields }) => fields.authorization ?? [])
    expect(passwords).toEqual(['old', 'old', 'new', 'new'].map((word) => basicOf('alice', word)))
  })

  test.each<[Partial<Credentials>, Partial<Credentials>]>([
    [alice, { user: 'bob', password: 's3cr3t' }],
    [alice, { user: 'alice', password: 'other' }],
    [{ token: 'one' }, { token: 'two' }],
  ])('where %j was refused, and %j is another one', async (before, after) => {
    const offer = 'token' in before ? 'Bearer' : 'Basic'
    const of = (each: Partial<Credentials>) =>
      each.token ? `Bearer ${each.token}` : basicOf(each.user ?? '', each.password ?? '')
    let right = before
    server.script = ({ fields }) => (fields.authorization === of(right) ? ok('in') : challenge(`${offer} realm="r"`))
    known = () => right
    expect(await read('a')).toBe('in')
    right = after
    expect(await read('b')).toBe('in')
    expect(server.asked.at(-1)?.fields.authorization).toBe(of(after))
  })

  test('and nothing is sent twice that was refused just now', async () => {
    let isOpen = true
    server.script = ({ fields }) =>
      fields.authorization !== undefined && isOpen ? ok('in') : challenge('Basic realm="r"')
    await read('a')
    isOpen = false
    expect(await failure('b')).toMatchObject({ code: 'auth-failed', status: 401 })
    expect(sent()).toEqual([undefined, 'Basic', undefined, 'Basic'])
  })
})

describe('no other origin and no other client gets it', () => {
  test('another port of the same host, and the same realm', async () => {
    await using other = await scriptedHttp(() => challenge(digest))
    await read('a')
    known = () => null
    await expect(client.retrieve(other.url)).rejects.toMatchObject({ code: 'auth-required' })
    server.script = () => redirectTo(other.url)
    await expect(client.retrieve(server.url)).rejects.toMatchObject({ code: 'auth-required' })
    expect(sent(other)).toEqual([undefined, undefined])
  })

  test('clients that share a fetcher', async () => {
    const fetchers = [httpFetcher()]
    await using first = createClient({ fetchers, credentials: () => alice })
    await using second = createClient({ fetchers, credentials: () => null })
    expect(await read('a', first)).toBe('in')
    await expect(read('a', second)).rejects.toMatchObject({ code: 'auth-required' })
    expect(sent()).toEqual([undefined, 'Digest', undefined])
  })

  test('a login of the URL is that URL’s alone', async () => {
    server.script = ({ fields }) => (fields.authorization === undefined ? challenge('Basic realm="r"') : ok('in'))
    await (await client.retrieve(`${server.url.replace('//', '//bob:p@')}a`)).text()
    known = () => null
    expect(await failure('b')).toMatchObject({ code: 'auth-required' })
    expect(challenges).toHaveLength(1)
  })
})
