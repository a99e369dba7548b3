/** policy.schemes, builtins, and the rule for URLs that lead to this machine itself. */
import { builtinSchemes, type Mechanism, RetrievalError } from '@retriever/core'
import {
  builtinMechanisms,
  type ClientOptions,
  createClient,
  type Fetcher,
  type Policy,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { startHttpServer, startServers } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { isLocal } from '../../packages/fetchers/src/client/policy.ts'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'
import { everyDoor } from '../support/outcome.ts'
import { ownScheme } from '../support/own-scheme.ts'

const thisFile = new URL(import.meta.url).href

/** How a retrieval by each entrance of a client ends: with an error's code, or well. */
async function codes(url: string, options: ClientOptions): Promise<string[]> {
  const outcomes = await everyDoor(url, options)
  return outcomes.map(({ error }) => error?.code ?? 'retrieved')
}

const [refused, done] = ['refused', 'retrieved'].map((code) => Array<string>(4).fill(code))

describe('policy.schemes', () => {
  test('lets only the schemes that it names out, before any connection', async () => {
    await using servers = await startServers({ http: true, ftp: true, gopher: true, nntp: true })
    const options = { policy: { schemes: ['gopher'] } }
    for (const { url } of [servers.http, servers.ftp, servers.nntp]) expect(await codes(url, options)).toEqual(refused)
    expect([servers.http, servers.ftp, servers.nntp].map(({ accepted }) => accepted)).toEqual([0, 0, 0])
    expect(await codes(servers.gopher.url, options)).toEqual(done)
  })

  test('tells schemes of one mechanism apart, and names the option', async () => {
    await using client = createClient({ policy: { schemes: ['https', 'ftp'] } })
    expect(await failure(client.retrieve('http://h.example/'))).toMatchObject({
      code: 'refused',
      phase: 'policy',
      advice: { option: 'policy.schemes', value: 'http' },
      message: expect.stringMatching(/http is not among .*\(https, ftp\).*`policy\.schemes: \["http"\]`/),
    })
  })

  test('holds for redirects', async () => {
    const targets: string[] = []
    const redirecting = fakeHttp((plan) => {
      targets.push(plan.target)
      return { outcome: 'redirect', location: 'https://h.example/to', status: 302 }
    })
    await using client = createClient({ fetchers: [redirecting], policy: { schemes: ['http'] } })
    const error = await failure(client.retrieve('http://h.example/from'))
    expect(error).toMatchObject({ code: 'refused', advice: { option: 'policy.schemes', value: 'https' } })
    expect(targets).toEqual(['/from'])
  })

  test('an empty list lets nothing out; null is no list', async () => {
    expect(await codes('http://h.example/', { policy: { schemes: [] } })).toEqual(refused)
    const fetchers = [fakeHttp(() => retrieved(chunks('a')))]
    expect(await codes('http://h.example/', { fetchers, policy: { schemes: null } })).toEqual(done)
  })

  test('may name the schemes of the caller', async () => {
    expect(() => createClient({ policy: { schemes: ['own'] } })).toThrow(/policy\.schemes/)
    await using client = createClient({ schemes: [ownScheme], policy: { schemes: ['own'] } })
    expect(await failure(client.retrieve('own://h.example/x'))).toMatchObject({ code: 'no-fetcher' })
  })

  test.each<readonly [unknown]>([['http'], [[1]], [['htpt']], [['http:']], [['HTTP']], [{}]])(
    '%j is no list of schemes',
    (schemes) => {
      const options = { policy: { schemes } } as unknown as ClientOptions
      expect(() => createClient(options)).toThrow(
        expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining('policy.schemes') }),
      )
    },
  )
})

describe('builtins', () => {
  test('false: the client has only the fetchers that are given to it', async () => {
    const options = { builtins: false, fetchers: [fakeHttp(() => retrieved(chunks('mine')))] } as const
    await using client = createClient(options)
    expect(await (await client.retrieve('http://h.example/')).text()).toBe('mine')
    for (const url of ['ftp://h.example/x', 'gopher://h.example/', 'nntp://h.example/a/1', 'telnet://h/']) {
      expect(await codes(url, options)).toEqual(Array(4).fill('no-fetcher'))
    }
    expect(await failure(client.retrieve(thisFile))).toMatchObject({ code: 'no-fetcher' })
  })

  test('a list: each mechanism that is not in it is switched off', async () => {
    for (const mechanism of builtinMechanisms) {
      const others = builtinMechanisms.filter((each) => each !== mechanism) as Mechanism[]
      await using client = createClient({ builtins: others })
      const [scheme] = builtinSchemes.filter((each) => each.mechanism === mechanism)
      const urls: Partial<Record<string, string>> = {
        ...{ file: thisFile, data: 'data:,a', message: 'cid:a@b', mailto: 'mailto:a@b', urn: 'urn:isbn:1' },
        ...{ mqtt: 'mqtt://127.0.0.1/topic', tftp: 'tftp://127.0.0.1/x', wais: 'wais://127.0.0.1/x' },
      }
      const url = urls[mechanism] ?? (scheme?.host === 'none' ? `${scheme.name}:a` : `${scheme?.name}://127.0.0.1/`)
      const error = await failure(client.retrieve(url))
      expect(error).toMatchObject({
        code: 'no-fetcher',
        advice: { option: 'builtins', value: mechanism },
        message: expect.stringContaining(`\`builtins: ["${mechanism}"]\` adds it.`),
      })
    }
  })

  test('a mechanism in the list works as ever', async () => {
    await using server = await startHttpServer()
    await using client = createClient({ builtins: ['http'] })
    expect(await (await client.retrieve(`${server.url}pub/hello.txt`)).text()).toBe('Hello, world.\n')
    expect(await failure(client.retrieve(thisFile))).toMatchObject({ code: 'no-fetcher' })
  })

  test('an FTP URL through an HTTP proxy needs the mechanism http', async () => {
    await using client = createClient({ builtins: ['ftp'], proxy: 'http://127.0.0.1:9' })
    const error = await failure(client.retrieve('ftp://h.example/x'))
    expect(error).toMatchObject({ code: 'no-fetcher', advice: { option: 'builtins', value: 'http' } })
  })

  test.each<readonly [unknown]>([[true], ['http'], [['htpt']], [[1]], [['https']], [null]])(
    '%j is refused',
    (builtins) => {
      expect(() => createClient({ builtins } as unknown as ClientOptions)).toThrow(
        expect.objectContaining({ code: 'invalid-option', message: expect.stringMatching(/`builtins`.*ftp, http/) }),
      )
    },
  )
})

describe('a URL that leads to this machine itself', () => {
  test.each([
    ['by default', {}, ['retrieved', 'retrieved', 'retrieved', 'refused']],
    ['under publicOnly', { publicOnly: true }, refused],
    ['where schemes names it', { schemes: ['file'] }, done],
    ['where schemes names it, under publicOnly', { publicOnly: true, schemes: ['file'] }, done],
    ['where schemes does not name it', { schemes: ['http'] }, refused],
  ] satisfies [string, Partial<Policy>, string[] | undefined][])('%s', async (_, policy, expected) => {
    expect(await codes(thisFile, { policy })).toEqual(expected)
  })

  test('fetch() names the option that lets it read files', async () => {
    await using client = createClient()
    const error: unknown = await client.fetch(thisFile).catch((reason: unknown) => reason)
    const own = RetrievalError.is(error) ? error : (error as Error).cause
    expect(own).toMatchObject({
      code: 'refused',
      advice: { option: 'policy.schemes', value: 'file' },
      message: expect.stringContaining('`policy.schemes: ["file"]`'),
    })
  })

  test('each scheme without a port reads this machine, or is known to read nothing of it', () => {
    const harmless = ['mailto', 'mailserver', 'data', 'urn', 'cid', 'mid']
    const without = builtinSchemes.filter(({ defaultPort, name }) => defaultPort === null && !harmless.includes(name))
    const forgotten = without.filter((scheme) => !isLocal(scheme)).map(({ name }) => name)
    expect(forgotten, 'add the mechanism to `localMechanisms` of client/policy.ts').toEqual([])
  })

  test('holds for every mechanism that reads files or runs programs here', async () => {
    const local = builtinSchemes.filter(isLocal).map(({ name }) => name)
    expect(local.sort()).toEqual(['afs', 'file', 'ghelp', 'help', 'info', 'ldapi', 'man', 'toc', 'whatis'])
    const man: Fetcher<'man'> = {
      mechanism: 'man',
      retrieve: async () => ({ ...retrieved(chunks('ls(1)')), metadata: {} }) as never,
    }
    const fetchers = [man]
    expect(await codes('man:ls', { fetchers })).toEqual(['retrieved', 'retrieved', 'retrieved', 'refused'])
    expect(await codes('man:ls', { fetchers, policy: { publicOnly: true } })).toEqual(refused)
    expect(await codes('man:ls', { fetchers, policy: { schemes: ['man'] } })).toEqual(done)
  })
})

describe('the policy of one call', () => {
  const url = 'http://h.example/'
  const fetchers = [fakeHttp(() => retrieved(chunks('a')))]

  /** Whether a client refuses what the call asks for; or that the call's policy is wider than the client's. */
  async function outcome(policy: Partial<Policy>, call: Partial<Policy>, at = url): Promise<string> {
    await using client = createClient({ fetchers, policy })
    const { code } = await client.retrieve(at, { policy: call }).then(
      async (representation) => ({ code: await representation.text() }),
      (error: RetrievalError) => error,
    )
    return code
  }

  test.each<readonly [Partial<Policy>, Partial<Policy>, string]>([
    [{}, { schemes: ['https'] }, url],
    [{ schemes: ['http', 'https'] }, { schemes: ['https'] }, url],
    [{ allowPorts: [25] }, { allowPorts: [] }, 'http://h.example:25/'],
    [{ allow: ['foreign-port'] }, { allow: [] }, 'http://h.example:25/'],
    [{}, { publicOnly: true }, thisFile],
    [{ schemes: ['file'] }, { publicOnly: true, schemes: [] }, thisFile],
  ])('%j, narrowed by %j, refuses', async (policy, call, at) => {
    expect(await outcome(policy, call, at)).toBe('refused')
    if (at !== thisFile) expect(await outcome(policy, {}, at)).toBe('a')
  })

  test.each<readonly [Partial<Policy>, Partial<Policy>]>([
    [{}, { allowPorts: [25] }],
    [{ allowPorts: [25] }, { allowPorts: [25, 26] }],
    [{}, { allow: ['foreign-port'] }],
    [{}, { allowDowngrade: true }],
    [{}, { allowInward: true }],
    [{ publicOnly: true }, { publicOnly: false }],
    [{ publicOnly: true }, { schemes: ['file'] }],
    [{ schemes: ['https'] }, { schemes: ['http'] }],
    [{ schemes: ['https'] }, { schemes: null }],
  ])('%j is not widened by %j', async (policy, call) => {
    await using client = createClient({ fetchers, policy })
    const error = await failure(client.retrieve(url, { policy: call }))
    const [name = ''] = Object.keys(call)
    expect(error.code).toBe('invalid-option')
    expect(error.message).toContain(`policy.${name}`)
    expect(error.message).toContain("because a call's policy can only refuse more than the client's")
    // A batch says so once, and not for each URL.
    expect(() => client.retrieveAll([url], { policy: call })).toThrow(name)
  })

  test.each<readonly [Partial<Policy>, Partial<Policy>]>([
    [{}, {}],
    [{}, { allowPorts: [], allow: [], allowInward: false, allowDowngrade: false, publicOnly: false, schemes: null }],
    [{ allowPorts: [25, 26] }, { allowPorts: [25] }],
    [
      { allowInward: true, allowDowngrade: true },
      { allowInward: true, allowDowngrade: true },
    ],
    [{ schemes: ['http', 'https'] }, { schemes: ['http'] }],
    [{}, { schemes: ['http', 'file'] }],
    [{ schemes: ['http', 'file'], publicOnly: true }, { schemes: ['http', 'file'] }],
  ])('%j may be repeated or narrowed by %j', async (policy, call) => {
    expect(await outcome(policy, call)).toBe('a')
  })

  test('publicOnly gets no connection that another call has left open', async () => {
    await using server = await startHttpServer()
    await using client = createClient()
    const at = `${server.url}pub/hello.txt`
    const strict: RetrieveOptions = { policy: { publicOnly: true } }
    expect(await (await client.retrieve(at)).text()).toBe('Hello, world.\n')
    expect(await failure(client.retrieve(at, strict))).toMatchObject({ code: 'refused' })
    expect(await (await client.retrieve(at)).text()).toBe('Hello, world.\n')
    expect([server.accepted, server.received.length]).toEqual([1, 2])
  })

  test.each<readonly [unknown]>([[{ nope: 1 }], [{ allowInward: 'no' }], ['strict'], [{ schemes: ['htpt'] }]])(
    '%j is checked like that of the client',
    async (policy) => {
      await using client = createClient({ fetchers })
      const error = await failure(client.retrieve(url, { policy } as unknown as RetrieveOptions))
      expect(error).toMatchObject({ code: 'invalid-option', message: expect.stringContaining('policy') })
    },
  )
})
