import { createHash } from 'node:crypto'
import { RetrievalError } from '@retriever/core'
import { type Challenge, type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { Authenticator } from '../../../packages/fetchers/src/auth/authenticator.ts'
import { readChallenges } from '../../../packages/fetchers/src/auth/challenge.ts'
import {
  DigestLogin,
  type DigestRequest,
  digestCredentials,
  strongestDigest,
} from '../../../packages/fetchers/src/auth/digest.ts'
import { httpMetadata } from '../../support/metadata.ts'
import { scriptedProxy } from '../../support/wire/scripted-proxy.ts'
import { ok, redirectTo } from './support/http-answers.ts'
import { type Asked, type HttpScript, scriptedHttp } from './support/scripted-http.ts'

describe('WWW-Authenticate', () => {
  test.each([
    ['Basic realm="simple"', ['basic realm=simple']],
    ['basic', ['basic']],
    [' , ,Basic , ', ['basic']],
    // RFC 9110 11.6.1.
    [
      'Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""',
      ['basic realm=simple', 'newauth realm=apps type=1 title=Login to "apps"'],
    ],
    ['Digest realm="a, Basic realm=b", nonce="c"', ['digest realm=a, Basic realm=b nonce=c']],
    ['Negotiate, Basic realm=x', ['negotiate', 'basic realm=x']],
    ['Negotiate YII=, Basic realm = "x"', ['negotiate YII=', 'basic realm=x']],
    ['Bearer ,realm=x', ['bearer']],
    ['DIGEST REALM="R",,NONCE=n,Basic', ['digest realm=R nonce=n', 'basic']],
    // The text behind a fault may be another challenge, or part of a quoted string.
    ['Newauth realm="x', []],
    ['Basic realm="x"y, Digest realm="y"', []],
    ['Negotiate, Digest realm="x" nonce="y", Basic', ['negotiate']],
    ['Basic realm=x, realm=y, Digest realm=z', []],
    ['Negotiate Basic realm="x"', []],
    ['="x"', []],
    ['Newauth a=b, c=, Basic realm=x', []],
    ['', []],
    // But Basic needs no realm, and devices write theirs as they like.
    ['Basic realm=My Camera', ['basic']],
    ['Negotiate, Basic realm="x', ['negotiate', 'basic']],
    ['Basic realm="the "best" one", charset="UTF-8"', ['basic']],
    ["Basic realm='a b'", ['basic']],
    ['Basic realm=/a/b, Newauth', ['basic']],
    ['Basic; realm="x"', []],
  ])('%s', (field, expected) => {
    const shown = readChallenges(field).map(({ scheme, token68, params }) =>
      [scheme, ...(token68 === null ? [] : [token68]), ...[...params].map((param) => param.join('='))].join(' '),
    )
    expect(shown).toEqual(expected)
  })
})

/** The answer to a challenge for one request. */
function answer(field: string, user: string, password: string, request: Partial<DigestRequest> = {}): string {
  const offer = strongestDigest(readChallenges(field))
  if (offer === null) throw new Error('No digest is offered')
  const octets = { user: Buffer.from(user).toString('latin1'), password }
  return digestCredentials(offer, octets, { method: 'GET', uri: '/', count: 1, cnonce: 'c', ...request })
}

describe('Digest', () => {
  const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v'
  const opaque = 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS'
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'
  const offer = (algorithm: string): string =>
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
    `nonce="${nonce}", opaque="${opaque}"`
  const md5 = '8ca523f5e9506fed4657c9700eebdbec'
  const sha256 = '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'

  test.each([
    [offer('MD5'), 'MD5', md5],
    [offer('SHA-256'), 'SHA-256', sha256],
    [`${offer('MD5')}, ${offer('SHA-256')}`, 'SHA-256', sha256],
    [`${offer('SHA-256')}, Basic realm="x", ${offer('MD5')}`, 'SHA-256', sha256],
    [`${offer('CONSTRUCTOR')}, ${offer('MD5')}`, 'MD5', md5],
  ])('RFC 7616 3.9.1: %s', (challenge, algorithm, response) => {
    const request = { uri: '/dir/index.html', cnonce }
    expect(answer(challenge, 'Mufasa', 'Circle of Life', request)).toBe(
      `Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=${algorithm}, ` +
        `nonce="${nonce}", nc=00000001, cnonce="${cnonce}", qop=auth, response="${response}", opaque="${opaque}"`,
    )
  })

  test('RFC 7616 3.9.2, with the two values of erratum 4897: the RFC has those of SHA-512 cut to half', () => {
    const challenge =
      'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, ' +
      'nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", ' +
      'opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8'
    const request = { uri: '/doe.json', cnonce: 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v' }
    const hashed = answer(`${challenge}, userhash=true`, 'Jäsøn Doe', 'Secret, or not?', request)
    const response = 'response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"'
    expect(hashed).toMatch(/^Digest username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", realm/)
    expect(hashed).toContain(response)
    expect(hashed).toMatch(/, opaque="HRPC[^"]*", userhash=true$/)
    const named = answer(challenge, 'Jäsøn Doe', 'Secret, or not?', request)
    expect(named).toMatch(/^Digest username\*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm/)
    expect(named).toContain(response)
  })

  test('RFC 2069: without qop there is no count and no nonce of the client', () => {
    const challenge = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc"'
    // RFC 2069 2.4 by its erratum 749.
    expect(answer(challenge, 'Mufasa', 'CircleOfLife', { uri: '/dir/index.html' })).toBe(
      'Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", ' +
        'nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", response="1949323746fe6a43ef61f9606e7febea", opaque="5ccc"',
    )
  })

  test('of a session hashes the two nonces too, and counts in hexadecimal', () => {
    const h = (text: string): string => createHash('sha256').update(text).digest('hex')
    const a1 = h(`${h('u:r:p')}:n:c`)
    const value = answer('Digest realm="r", nonce="n", qop=auth, algorithm="SHA-256-sess"', 'u', 'p', { count: 27 })
    expect(value).toContain(`response="${h(`${a1}:n:0000001b:c:auth:${h('GET:/')}`)}"`)
    expect(value).toContain('algorithm=SHA-256-sess, ')
  })

  test.each([
    ['auth-int alone', 'Digest realm="r", nonce="n", qop="auth-int"'],
    ['an unknown algorithm', 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA3'],
    ['no nonce', 'Digest realm="r", qop="auth"'],
    ['a session without a nonce of the client', 'Digest realm="r", nonce="n", algorithm=MD5-sess'],
  ])('is none with %s', (_, challenge) => {
    expect(strongestDigest(readChallenges(challenge))).toBeNull()
  })

  test('counts the requests of one nonce, by one nonce of the client', () => {
    const offer = strongestDigest(readChallenges('Digest realm="r", nonce="n", qop=auth'))
    if (offer === null) throw new Error('No digest is offered')
    const login = new DigestLogin(offer, { user: 'u', password: 'p' })
    const [one = '', two = ''] = ['/a', '/b'].map((uri) => login.credentials('GET', uri))
    expect([one, two].map((value) => /nc=(\d+)/.exec(value)?.[1])).toEqual(['00000001', '00000002'])
    const [, cnonce = ''] = /cnonce="([^"]+)"/.exec(one) ?? []
    expect(two).toContain(`cnonce="${cnonce}"`)
    expect(new DigestLogin(offer, { user: 'u', password: 'p' }).credentials('GET', '/a')).not.toContain(cnonce)
  })

  test('goes on with the new nonce that a request beside it was told', () => {
    const authenticator = new Authenticator({ user: 'u', password: 'p' })
    const challenges = (nonce: string) => readChallenges(`Digest realm="r", nonce="${nonce}", qop=auth, stale=true`)
    authenticator.begin().retry(challenges('old'))
    const requests = [authenticator.begin(), authenticator.begin()]
    const nonces = () =>
      requests.map((each) => /nonce="(\w+)", nc=(\d+)/.exec(each.credentials('GET', '/') ?? '')?.slice(1))
    expect(nonces()).toEqual([
      ['old', '00000001'],
      ['old', '00000002'],
    ])
    expect(requests.map((each) => each.retry(challenges('new')))).toEqual([true, true])
    expect(nonces()).toEqual([
      ['new', '00000001'],
      ['new', '00000002'],
    ])
    expect(requests.map((each) => each.retry(challenges('newer')))).toEqual([false, false])
  })

  test('lets no text of either side end a string', () => {
    const value = answer('Digest realm="a\\"b\\\\", nonce="n", qop=auth', 'x" y\\', 'p')
    expect(value).toMatch(/^Digest username="x\\" y\\\\", realm="a\\"b\\\\", uri=/)
    expect(answer('Digest realm="r", nonce="n", qop=auth', 'a\r\nX: b', 'p')).toMatch(
      /^Digest username\*=UTF-8''a%0D%0AX%3A%20b, /,
    )
  })
})

function challenged(fields: readonly string[], status = 401): string {
  const name = status === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate'
  const lines = fields.map((field) => `${name}: ${field}\r\n`)
  return `HTTP/1.1 ${status} No\r\n${lines.join('')}Content-Length: 4\r\n\r\nno!\n`
}

/** RFC 9110 9.3.2: to HEAD, fields alone. */
const serving =
  (reply: (asked: Asked) => string): HttpScript =>
  (asked) => {
    const answer = reply(asked)
    return asked.line.startsWith('HEAD ') ? answer.slice(0, answer.indexOf('\r\n\r\n') + 4) : answer
  }

/** `Authorization` of each header section in turn; null: none. */
function logins(heads: readonly string[], field = 'authorization'): (string | null)[] {
  return heads.map((head) => new RegExp(`^${field}: (.*)$`, 'im').exec(head)?.[1] ?? null)
}

const kinds = (values: readonly (string | null)[]) => values.map((value) => value?.split(' ')[0] ?? null)

/**
 * The outcome of one retrieval, and what the server heard. In the end all is closed, and no event holds a secret.
 */
async function asked(
  reply: (asked: Asked) => string,
  options: ClientOptions & { login?: string; wishes?: RetrieveOptions } = {},
) {
  const { login = '', wishes = {}, ...rest } = options
  await using server = await scriptedHttp(serving(reply))
  const told: unknown[] = []
  await using client = createClient({ onEvent: (event) => told.push(event), ...rest })
  const url = `http://${login}127.0.0.1:${server.port}/x?y`
  const outcome = await client.retrieve(url, wishes).then(
    async (representation) => ({ status: httpMetadata(representation).status, text: await representation.text() }),
    (error: unknown) => {
      if (!RetrievalError.is(error)) throw error
      told.push(error, error.stack)
      return error
    },
  )
  await client.close()
  await server.closed()
  const resolved = /"type":"resolved".*?\}/g
  expect(JSON.stringify(told).replace(resolved, '')).not.toMatch(/s3cr3t|response=\\"/)
  return { outcome, server, values: logins(server.heads), told }
}

const digest = (nonce: string, more = ''): string => `Digest realm="r", nonce="${nonce}", qop="auth"${more}`
const alice = { credentials: () => ({ user: 'alice', password: 's3cr3t' }) }

/** Whether the answer is that of alice. */
function isRight(head: string, nonce: string, count: number): boolean {
  const value = /^authorization: (.*)$/im.exec(head)?.[1] ?? ''
  const cnonce = /cnonce="([^"]+)"/.exec(value)?.[1] ?? ''
  const [method, uri] = head.split(' ')
  const h = (text: string): string => createHash('md5').update(text).digest('hex')
  const nc = String(count).padStart(8, '0')
  const response = h(`${h('alice:r:s3cr3t')}:${nonce}:${nc}:${cnonce}:auth:${h(`${method}:${uri}`)}`)
  return cnonce.length >= 16 && value.includes(`nc=${nc}, `) && value.includes(`response="${response}"`)
}

describe('a server that wants a login', () => {
  test.each([
    [{}, 'in\n'],
    [{ head: true }, ''],
  ])('by Digest gets one, for this very request (%j)', async (wishes, text) => {
    const reply = ({ head }: Asked): string => (isRight(head, 'n', 1) ? ok('in\n') : challenged([digest('n')]))
    const { outcome, values } = await asked(reply, { ...alice, wishes })
    expect(outcome).toEqual({ status: 200, text })
    expect(kinds(values)).toEqual([null, 'Digest'])
  })

  test.each([
    [['Basic realm="r"', digest('n')], 'Digest'],
    [[`Basic realm="r", ${digest('n')}`], 'Digest'],
    [[`${digest('n', ', algorithm=SHA3')}`, 'Basic realm="r"'], 'Basic'],
    [['Bearer realm="r"', 'Basic realm="r"'], 'Basic'],
    [['Basic realm=My Camera'], 'Basic'],
  ])('in any of %j gets %s', async (offers, kind) => {
    const { values } = await asked(
      ({ head }) => (/^authorization/im.test(head) ? ok('in\n') : challenged(offers)),
      alice,
    )
    expect(kinds(values)).toEqual([null, kind])
  })

  test('gets Digest from the login of the URL, where it wants no Basic', async () => {
    const login = 'alice:s3cr3t@'
    const digestOnly = ({ head }: Asked): string => (isRight(head, 'n', 1) ? ok('in\n') : challenged([digest('n')]))
    const { outcome, values } = await asked(digestOnly, { login })
    expect(outcome).toMatchObject({ text: 'in\n' })
    expect(kinds(values)).toEqual(['Basic', 'Digest'])
    const both = await asked(() => challenged([digest('n'), 'Basic realm="r"']), { login })
    expect(both.outcome).toMatchObject({ code: 'auth-failed', status: 401 })
    expect(kinds(both.values)).toEqual(['Basic'])
  })

  test('is told a wrong password once only (case 80), by Digest and by Basic', async () => {
    for (const offer of [digest('n'), 'Basic realm="r"']) {
      const { outcome, values } = await asked(() => challenged([offer]), alice)
      expect(outcome).toMatchObject({ code: 'auth-failed', status: 401, phase: 'login' })
      expect(outcome).toMatchObject({ response: { excerpt: 'no!\n', headers: { 'www-authenticate': offer } } })
      expect(values).toHaveLength(2)
    }
    const fromUrl = await asked(() => challenged([digest('n')]), { login: 'alice:s3cr3t@' })
    expect(fromUrl.outcome).toMatchObject({ code: 'auth-failed' })
    expect(kinds(fromUrl.values)).toEqual(['Basic', 'Digest'])
  })

  test('with a nonce that is stale gets one more answer, with the new one', async () => {
    const asking: Challenge[] = []
    const credentials = (challenge: Challenge) => {
      asking.push(challenge)
      return alice.credentials()
    }
    const reply = ({ head, index }: Asked): string => {
      if (isRight(head, 'two', 1)) return ok('in\n')
      return challenged([index === 0 ? digest('one') : digest('two', ', stale=TRUE')])
    }
    const { outcome, values } = await asked(reply, { credentials })
    expect(outcome).toMatchObject({ text: 'in\n' })
    expect(values.map((value) => /nonce="(\w+)", nc=(\d+)/.exec(value ?? '')?.slice(1))).toEqual([
      undefined,
      ['one', '00000001'],
      ['two', '00000001'],
    ])
    expect(asking).toHaveLength(1)
  })

  test('with ever new nonces is given up (case 80)', async () => {
    const { outcome, values } = await asked(({ index }) => challenged([digest(`n${index}`, ', stale=true')]), alice)
    expect(outcome).toMatchObject({ code: 'auth-failed', status: 401 })
    expect(values).toHaveLength(3)
  })

  test('after it let us in before is asked nothing more (case 80: 401 after success)', async () => {
    await using server = await scriptedHttp(
      serving(({ head, index }) =>
        /^authorization/im.test(head) && index < 2 ? ok('in\n') : challenged([digest('n')]),
      ),
    )
    await using client = createClient(alice)
    const url = `http://127.0.0.1:${server.port}/`
    expect(await (await client.retrieve(url)).text()).toBe('in\n')
    const error = await client.retrieve(url).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'auth-failed' })
    expect(kinds(logins(server.heads))).toEqual([null, 'Digest', null, 'Digest'])
  })

  test.each([
    ['Bearer realm="api"', { user: '', password: '', token: 'tok.s3cr3t~' }, 'Bearer tok.s3cr3t~'],
    ['Bearer', { token: 'tok.s3cr3t~' }, 'Bearer tok.s3cr3t~'],
    [`${digest('n')}, Bearer realm="api"`, { token: 'a' }, 'Bearer a'],
  ])('by a token: %s', async (offer, credentials, expected) => {
    const asking: Challenge[] = []
    const { outcome, values } = await asked(
      ({ head }) => (head.includes(expected) ? ok('in\n') : challenged([offer])),
      {
        credentials: (challenge) => asking.push(challenge) && credentials,
      } as ClientOptions,
    )
    expect(outcome).toMatchObject({ text: 'in\n' })
    expect(values).toEqual([null, expected])
    expect(asking[0]).toMatchObject({ token: true })
  })

  test('gets no token that it did not ask for, and no password for one (case 16)', async () => {
    const token = await asked(() => challenged([digest('n')]), { credentials: () => ({ token: 's3cr3t' }) })
    expect(token.outcome).toMatchObject({ code: 'auth-required' })
    const password = await asked(() => challenged(['Bearer']), alice)
    expect(password.outcome).toMatchObject({ code: 'auth-required', message: expect.stringMatching(/Bearer/) })
    expect([...token.values, ...password.values]).toEqual([null, null])
  })

  test.each([
    ['Negotiate', /wants negotiate authentication/],
    ['Digest realm="r", nonce="n", qop="auth-int"', /wants digest authentication in a form that is not supported/],
    ['Newauth realm="', /does not say of which kind/],
    [
      '',
      /wants a login but does not say of which kind; give the field that it takes, as by `headers\["Authorization"\]`/,
    ],
  ])('in a way that is not supported: %s', async (offer, message) => {
    const { outcome, values } = await asked(() => challenged([offer]), alice)
    expect(outcome).toMatchObject({ code: 'auth-required', message: expect.stringMatching(message) })
    expect(values).toEqual([null])
  })

  test('refuses the caller’s own Authorization: no credentials are asked for (case 47)', async () => {
    const wishes = { headers: { authorization: 'Custom s3cr3t' } }
    const credentials = (): never => {
      throw new Error('asked')
    }
    const { outcome, values, told } = await asked(() => challenged(['Basic realm="r"']), { wishes, credentials })
    expect(outcome).toMatchObject({ code: 'auth-failed', status: 401 })
    expect(values).toEqual(['Custom s3cr3t'])
    expect(JSON.stringify(told)).toContain('authorization: Custom <password>')
  })

  test.each<[string, { offer?: string; wishes?: RetrieveOptions } & ClientOptions, number]>([
    ['nobody knows a login', {}, 1],
    ['it was refused', alice, 2],
    ['it was the caller’s own', { wishes: { headers: { Authorization: 'x' } } }, 1],
    ['no way is spoken here', { offer: 'Negotiate' }, 1],
  ])('gives its answer where the caller wants to see it: %s', async (_, { offer = digest('n'), ...options }, count) => {
    const wishes = { ...options.wishes, http: { fail: false } }
    const { outcome, values } = await asked(() => challenged([offer]), { ...options, wishes })
    expect(outcome).toEqual({ status: 401, text: 'no!\n' })
    expect(values).toHaveLength(count)
  })

  test('by a function that fails is an error, if the caller wants to see answers', async () => {
    const credentials = (): never => {
      throw new Error('no agent')
    }
    const { outcome } = await asked(() => challenged(['Basic']), { credentials, wishes: { http: { fail: false } } })
    expect(outcome).toMatchObject({ code: 'auth-required', cause: { message: 'no agent' } })
  })

  test('as if it were a proxy gets nothing (case 80: 407 from an origin)', async () => {
    const { outcome, values, server } = await asked(() => challenged([digest('n'), 'Basic'], 407), {
      login: 'alice:s3cr3t@',
      ...alice,
    })
    expect(outcome).toMatchObject({ code: 'auth-required', status: 407 })
    expect(kinds(values)).toEqual(['Basic'])
    expect(logins(server.heads, 'proxy-authorization')).toEqual([null])
  })
})

describe('a redirect to another origin', () => {
  test('takes no login along: the URL’s, a digest, the caller’s fields (cases 15, 16, 48 and 84; property 20)', async () => {
    const askedFor: Challenge[] = []
    await using victim = await scriptedHttp(serving(() => challenged([digest('m'), 'Basic realm="r"'])))
    const moved = redirectTo(`http://mallory:x@localhost:${victim.port}/y`)
    await using server = await scriptedHttp(
      serving(({ head }) => (/^authorization: Digest/im.test(head) ? moved : challenged([digest('n')]))),
    )
    await using client = createClient({
      policy: { allowInward: true },
      credentials: (challenge) => {
        askedFor.push(challenge)
        return null
      },
    })
    const headers = { 'X-Api-Key': 's3cr3t', Cookie: 'a=s3cr3t' }
    const url = `http://alice:s3cr3t@127.0.0.1:${server.port}/?s3cr3t`
    const error = await client.retrieve(url, { headers }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'auth-required' })
    expect(kinds(logins(server.heads))).toEqual(['Basic', 'Digest'])
    expect(server.heads.join('')).toContain('X-Api-Key: s3cr3t')
    expect(victim.heads.join('')).toMatch(/^GET \/y HTTP\/1\.1\r\n/)
    expect(victim.heads.join('')).not.toMatch(/authorization|cookie|api-key|referer|from:|s3cr3t|mallory|alice/i)
    expect(askedFor).toMatchObject([{ host: 'localhost', port: victim.port, user: null }])
    expect(String((error as Error).stack)).not.toContain('s3cr3t')
  })
})

describe('a proxy that wants Digest', () => {
  const isIn = (head: string): boolean => /^proxy-authorization: Digest /im.test(head)
  const refusal = challenged([digest('n')], 407)

  test('gets it with the URL that it is asked for, and no server behind it does', async () => {
    await using proxy = await scriptedHttp(serving(({ head }) => (isIn(head) ? ok('in\n') : refusal)))
    await using client = createClient({ proxy: `http://alice:s3cr3t@127.0.0.1:${proxy.port}` })
    expect(await (await client.retrieve('http://www.example/x')).text()).toBe('in\n')
    const values = logins(proxy.heads, 'proxy-authorization')
    expect(kinds(values)).toEqual(['Basic', 'Digest'])
    expect(values[1]).toContain('uri="http://www.example/x"')
    expect(logins(proxy.heads, '\nauthorization')).toEqual([null, null])
  })

  test('gets it with CONNECT, on a new connection', async () => {
    await using server = await startHttpServer({ hosts: ['*'] })
    await using proxy = await scriptedProxy(async (peer) => {
      if (!isIn(await peer.head())) return peer.say(refusal)
      await peer.relay('127.0.0.1', server.port, 'HTTP/1.1 200 OK\r\n\r\n')
    })
    const told: unknown[] = []
    await using client = createClient({
      proxy: `http://alice:s3cr3t@127.0.0.1:${proxy.port}`,
      proxyTunnel: true,
      onEvent: (event) => told.push(event),
    })
    const representation = await client.retrieve(`http://www.example:${server.port}/pub/hello.txt`)
    expect(await representation.text()).toBe('Hello, world.\n')
    expect(proxy.heard).toHaveLength(2)
    const values = logins(proxy.heard, 'proxy-authorization')
    expect(kinds(values)).toEqual(['Basic', 'Digest'])
    const h = (text: string): string => createHash('md5').update(text).digest('hex')
    const cnonce = /cnonce="(.*?)"/.exec(values[1] ?? '')?.[1]
    const a2 = h(`CONNECT:www.example:${server.port}`)
    expect(values[1]).toContain(`response="${h(`${h('alice:r:s3cr3t')}:n:00000001:${cnonce}:auth:${a2}`)}"`)
    expect(JSON.stringify(told)).not.toMatch(/s3cr3t|response=/)
    expect(JSON.stringify(told)).toContain('Proxy-Authorization: Digest <password>')
  })

  test.each([true, false])('and refuses it is asked no further (case 81), by a tunnel: %s', async (proxyTunnel) => {
    await using proxy = await scriptedHttp(
      serving(({ index }) => challenged([digest(`n${index}`, ', stale=true')], 407)),
    )
    await using client = createClient({ proxy: `http://alice:s3cr3t@127.0.0.1:${proxy.port}`, proxyTunnel })
    const error = await client.retrieve('http://www.example/x').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'auth-failed', status: 407 })
    expect(kinds(logins(proxy.heads, 'proxy-authorization'))).toEqual(['Basic', 'Digest', 'Digest'])
  })
})
