/** policy.allowAddresses: exceptions of policy.publicOnly. */
import { isInward } from '@retriever/core/internal'
import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { AddressBook } from '../../packages/fetchers/src/client/network/addresses.ts'
import { reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'

const strict = (allowAddresses: readonly string[]) => ({ policy: { publicOnly: true, allowAddresses } })

test.each<[entry: string, allowed: readonly [string, number][], refused: readonly [string, number][]]>([
  [
    '10.0.0.0/8',
    [
      ['10.0.0.1', 1],
      ['10.255.255.255', 80],
      ['::ffff:10.1.1.1', 80],
    ],
    [['127.0.0.1', 80]],
  ],
  [
    '127.0.0.1:8080',
    [['127.0.0.1', 8080]],
    [
      ['127.0.0.1', 8081],
      ['127.0.0.2', 8080],
    ],
  ],
  [
    '127.0.0.1',
    [
      ['127.0.0.1', 1],
      ['127.0.0.1', 65_535],
    ],
    [['127.0.0.2', 1]],
  ],
  ['192.168.0.0/16:443', [['192.168.7.7', 443]], [['192.168.7.7', 80]]],
  ['fd00::/8', [['fd12::1', 80]], [['fe80::1', 80]]],
  ['::1', [['::1', 80]], [['::2', 80]]],
  ['[::1]:8080', [['::1', 8080]], [['::1', 80]]],
  ['[fd00::]/8:80', [['fd00::1', 80]], [['fd00::1', 81]]],
])('%s', (entry, allowed, refused) => {
  const { asked, pointedTo } = AddressBook.read({}, { publicOnly: true, allowAddresses: [entry] })
  for (const [address, port] of allowed)
    expect([address, port, asked.allows(address, port)]).toEqual([address, port, true])
  for (const [address, port] of refused)
    expect([address, port, asked.allows(address, port)]).toEqual([address, port, false])
  // A server elsewhere cannot lead to this machine, whatever is allowed.
  expect(pointedTo.allows('127.0.0.1', 8080)).toBe(false)
})

test.each([
  'localhost',
  'localhost:80',
  '10.0.0.0/33',
  '127.0.0.1:0',
  '127.0.0.1:65536',
  '::1:x',
  '[::1',
  '',
  '10.0.0/8',
  '::/129',
])('%j is invalid', (entry) => {
  expect(() => createClient(strict([entry]))).toThrow(/`policy.allowAddresses` to be addresses and networks/)
})

describe('a local server', () => {
  test('is reached through an exception for it, and not through another', async () => {
    await using server = await scriptedHttp(() => reply(200, {}, 'x'))
    await using allowing = createClient(strict([`127.0.0.1:${server.port}`]))
    expect(await (await allowing.retrieve(server.url)).text()).toBe('x')
    await using refusing = createClient(strict(['127.0.0.1:1']))
    await expect(refusing.retrieve(server.url)).rejects.toMatchObject({ code: 'refused' })
    expect(server.asked).toHaveLength(1)
  })

  test('a call may allow a part of what the client allows, and of a client without publicOnly anything', async () => {
    await using server = await scriptedHttp(() => reply(200, {}, 'x'))
    const here = `127.0.0.1:${server.port}`
    await using client = createClient(strict([here, '10.0.0.0/8']))
    expect(await (await client.retrieve(server.url, strict([here]))).text()).toBe('x')
    await expect(client.retrieve(server.url, strict([]))).rejects.toMatchObject({ code: 'refused' })
    await expect(client.retrieve(server.url, strict(['127.0.0.1']))).rejects.toMatchObject({ code: 'invalid-option' })
    await using open = createClient()
    expect(await (await open.retrieve(server.url, strict([here]))).text()).toBe('x')
  })

  test('a connection under an exception is not reused without it', async () => {
    await using server = await scriptedHttp(() => reply(200, {}, 'x'))
    await using client = createClient()
    await (await client.retrieve(server.url, strict([`127.0.0.1:${server.port}`]))).text()
    await expect(client.retrieve(server.url, strict([]))).rejects.toMatchObject({ code: 'refused' })
  })
})

describe('a proxy', () => {
  test('is used if it is named, and gets no host that is an address of this network', async () => {
    await using proxy = await scriptedHttp(() => reply(200, {}, 'by proxy'))
    const options = { proxy: proxy.url.slice(0, -1), ...strict([`127.0.0.1:${proxy.port}`]) }
    await using client = createClient(options)
    expect(await (await client.retrieve('http://h.example/')).text()).toBe('by proxy')
    for (const url of ['http://10.0.0.1/', 'http://localhost/', 'http://169.254.169.254/', 'http://[::1]/']) {
      await expect(client.retrieve(url)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
    }
    expect(proxy.asked.map(({ target }) => target)).toEqual(['http://h.example/'])
  })

  test.each(['127.0.0.1:1', '10.0.0.0/8'])('is refused if only %s is named', async (entry) => {
    await using proxy = await scriptedHttp(() => reply(200, {}, 'by proxy'))
    await using client = createClient({ proxy: proxy.url.slice(0, -1), ...strict([entry]) })
    await expect(client.retrieve('http://h.example/')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('allow the address of the proxy'),
    })
    expect(proxy.asked).toEqual([])
  })
})

test('a proxy is used only if all addresses of its name are named', async () => {
  await using proxy = await scriptedHttp(() => reply(200, {}, 'by proxy'))
  // Names below localhost have 127.0.0.1 and ::1, and nobody is asked for them (RFC 6761 6.3).
  const through = (allowed: readonly string[]) =>
    createClient({ proxy: `http://proxy.localhost:${proxy.port}`, ...strict(allowed) })
  await using some = through(['127.0.0.1'])
  await expect(some.retrieve('http://h.example/')).rejects.toMatchObject({ code: 'refused' })
  expect(proxy.asked).toEqual([])
  await using all = through(['127.0.0.1', '::1'])
  expect(await (await all.retrieve('http://h.example/')).text()).toBe('by proxy')
})

test("Azure's WireServer is a metadata address, though it is a public one", () => {
  expect(isInward('168.63.129.16')).toBe(true)
  expect(isInward('::ffff:a83f:8110')).toBe(true)
  expect(AddressBook.read({}, { publicOnly: true }).asked.allows('168.63.129.16', 80)).toBe(false)
})

test('a client explains what it refuses behind a proxy, without a look-up', async () => {
  await using named = createClient({ proxy: 'http://127.0.0.1:3128', ...strict(['127.0.0.1:3128']) })
  expect(await named.explain('http://h.example/')).not.toHaveProperty('refused')
  expect(await named.explain('http://10.0.0.1/')).toMatchObject({ refused: { code: 'refused' } })
  await using other = createClient({ proxy: 'http://127.0.0.1:3128', ...strict(['127.0.0.1:3129']) })
  expect(await other.explain('http://h.example/')).toMatchObject({ refused: { code: 'refused' } })
  await using byName = createClient({ proxy: 'http://proxy.example:3128', ...strict(['10.0.0.0/8']) })
  expect(await byName.explain('http://h.example/')).not.toHaveProperty('refused')
})
