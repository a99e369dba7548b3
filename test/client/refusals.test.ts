/** What the policy says when it refuses: the sentence, the place in the URL, and the option that permits it. */
import { type ClientOptions, createClient, type Policy } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

const fetchers = [fakeHttp(() => retrieved(chunks('there')))]

/** What a client with this policy says of a URL, without going anywhere; null: it would retrieve it. */
async function refusal(url: string, policy: Partial<Policy>, options: ClientOptions = {}) {
  await using client = createClient({ ...options, policy })
  const explained = await client.explain(url)
  return 'refused' in explained ? explained.refused : null
}

const allowed = (option: string, value: unknown) => ({ option: `policy.${option}`, value })

describe('a danger', () => {
  test('names the option that permits it, and stands in the URL', async () => {
    await using client = createClient({ fetchers })
    const error = await failure(client.retrieve('http://h.example:25/'))
    expect(error).toMatchObject({ code: 'refused', phase: 'policy', advice: allowed('allowPorts', 25), span: [17, 19] })
    expect(error.message).toMatch(/`policy\.allowPorts: \[25\]` permits it\.$/)
    const other = await failure(client.retrieve('mailto:a@b.example?subject=x%0Ay'))
    expect(other).toMatchObject({ code: 'refused', advice: allowed('allow', 'header-injection') })
    expect(other.message).toMatch(/`policy\.allow: \["header-injection"\]` permits it\.$/)
    expect(other.span?.[0]).toBeGreaterThan(0)
  })

  test('that is permitted permits no other', async () => {
    const injected = 'gopher://h.example:25/0a%0D%0Ab'
    expect(await refusal(injected, {})).toMatchObject({ code: 'refused' })
    expect(await refusal(injected, { allow: ['foreign-port'], allowPorts: [25] })).toMatchObject({ code: 'refused' })
    expect(await refusal('mailto:a@b.example?subject=x%0Ay', { allowPorts: [25] })).toMatchObject({
      advice: allowed('allow', 'header-injection'),
    })
    expect(await refusal('http://h.example:25/', { allowPorts: [26] })).toMatchObject({
      advice: allowed('allowPorts', 25),
    })
    expect(await refusal('http://h.example:25/', { allowPorts: [25] })).toBeNull()
    const critical = 'ldap://h.example/dc=example????!x-nobodys'
    const permits = { advice: allowed('allow', 'critical-extension') }
    expect(await refusal(critical, { allowPorts: [389] })).toMatchObject(permits)
    expect(await refusal(critical, { allow: ['critical-extension'] })).toBeNull()
    expect(await refusal('http://h.example:25/', { allow: ['foreign-port'] })).toBeNull()
  })

  test('that is an encoded line break cannot be permitted', async () => {
    const error = await failure(createClient().retrieve('ftp://h.example/a%0D%0ADELE%20b'))
    expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(/This cannot be allowed\.$/) })
    expect(error.advice).toBeUndefined()
    expect(error.span?.[0]).toBeGreaterThan(0)
  })

  test.each(['encoded-delimiter', 'nonsense', 'toString'])('%s is no code that can be allowed', (code) => {
    const options = { policy: { allow: [code] } } as unknown as ClientOptions
    expect(() => createClient(options)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining('`policy.allow`') }),
    )
  })

  test('an option without a value is as if it were not given', async () => {
    const names = ['allow', 'allowPorts', 'publicOnly', 'allowAddresses', 'schemes', 'redirectSchemes'] as const
    const policy = Object.fromEntries(names.map((name) => [name, undefined])) as Partial<Policy>
    expect(await refusal('http://127.0.0.1/', policy)).toBeNull()
    expect(await refusal('http://h.example:25/', policy)).toMatchObject({ code: 'refused' })
  })
})

describe('under publicOnly', () => {
  const publicOnly = { option: 'policy.publicOnly' }

  test('a URL that the list of schemes leaves out says so', async () => {
    expect(await refusal('file:///etc/hosts', { publicOnly: true, schemes: ['http'] })).toMatchObject({
      advice: allowed('schemes', 'file'),
      message: expect.stringContaining('not among the schemes'),
    })
    expect(await refusal('file:///etc/hosts', { publicOnly: true })).toMatchObject({ advice: publicOnly })
  })

  test.each([
    ['http://127.0.0.1/', [], false],
    ['http://10.0.0.1/', [], false],
    ['http://10.0.0.1/', ['10.0.0.0/8'], true],
    ['http://10.0.0.1:81/', ['10.0.0.1:80'], false],
    ['http://8.8.8.8/', [], true],
    ['http://h.example/', [], true],
    ['mailto:a@b.example', [], true],
    ['data:,x', [], true],
    ['ldap:///dc=example', [], true],
  ])('%s with the exceptions %j', async (url, allowAddresses, isAllowed) => {
    const refused = await refusal(url, { publicOnly: true, allowAddresses })
    if (isAllowed) expect(refused).toBeNull()
    else expect(refused).toMatchObject({ code: 'refused', advice: publicOnly })
    // The exceptions are none without the rule, and refuse nothing.
    expect(await refusal(url, { allowAddresses })).toBeNull()
  })

  test.each([
    ['http://10.0.0.1/', ['127.0.0.1:9'], false],
    ['http://10.0.0.1/', ['127.0.0.1:9', '10.0.0.0/8'], true],
    ['http://127.0.0.1/', ['127.0.0.1'], true],
    ['http://8.8.8.8/', ['127.0.0.1:9'], true],
    ['http://localhost/', ['127.0.0.1:9', '127.0.0.1'], false],
    ['http://h.example/', ['127.0.0.1:9'], true],
    ['http://h.example/', ['127.0.0.1:8'], false],
    ['http://h.example/', [], false],
  ])('%s through a proxy with the exceptions %j', async (url, allowAddresses, isAllowed) => {
    const proxy = { proxy: 'http://127.0.0.1:9' }
    const refused = await refusal(url, { publicOnly: true, allowAddresses }, proxy)
    if (isAllowed) expect(refused).toBeNull()
    else expect(refused).toMatchObject({ code: 'refused', advice: publicOnly })
    expect(await refusal(url, { allowAddresses }, proxy)).toBeNull()
  })

  test('a proxy by name is not asked for before it is known to be named', async () => {
    const proxy = { proxy: 'http://proxy.example:9' }
    expect(await refusal('http://h.example/', { publicOnly: true }, proxy)).toMatchObject({ advice: publicOnly })
  })

  test('a socket of this machine is refused, whoever names it', async () => {
    const socket = { network: { socketPath: '/tmp/s' } }
    expect(await refusal('http://h.example/', { publicOnly: true }, socket)).toMatchObject({
      advice: publicOnly,
      message: expect.stringContaining('socket'),
    })
    expect(await refusal('http://h.example/', {}, socket)).toBeNull()
    expect(await refusal('data:,x', { publicOnly: true }, socket)).toBeNull()
    const server = { defaults: { ldapServer: 'ldapi://%2Ftmp%2Fs/' } }
    expect(await refusal('ldap:///dc=example', { publicOnly: true }, server)).toMatchObject({ advice: publicOnly })
    expect(await refusal('ldap:///dc=example', {}, server)).toBeNull()
  })
})
