import { createClient } from '@retriever/fetchers'
import { startNfsServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { list, retrieve } from './retrieve.ts'

describe('a server that breaks the protocol', () => {
  test.each([
    ['wrong-xid', 'protocol-violation'],
    ['huge-record', 'protocol-violation'],
    ['empty-fragments', 'protocol-violation'],
    ['echo', 'protocol-violation'],
    ['bad-state', 'protocol-violation'],
    ['long-verifier', 'protocol-violation'],
    ['no-octets', 'protocol-violation'],
    ['long-handle', 'protocol-violation'],
    ['cut-attributes', 'protocol-violation'],
    ['bad-flag', 'protocol-violation'],
    ['huge-size', 'protocol-violation'],
    ['long-link', 'protocol-violation'],
    ['long-read', 'protocol-violation'],
    ['false-count', 'protocol-violation'],
    ['long-name', 'protocol-violation'],
    ['circle', 'protocol-violation'],
    ['empty-pages', 'protocol-violation'],
    ['dots', 'protocol-violation'],
    ['crowd', 'protocol-violation'],
    ['denied', 'access-denied'],
    ['unknown-status', 'server-refused'],
    ['io', 'server-refused'],
    ['closes', 'timeout'],
    ['empty-reads', 'partial'],
    ['stale', 'partial'],
    ['read-denied', 'access-denied'],
    ['read-later', 'partial'],
  ])('%s is %s', async (name, code) => {
    await expect(retrieve(`misbehaviour/${name}`, { mount: false, versions: [3] })).rejects.toMatchObject({ code })
  })

  test('octets that are not as many as READ tells are refused at once', async () => {
    await expect(retrieve('misbehaviour/false-count', { bigSize: 3 })).rejects.toMatchObject({
      message: expect.stringContaining('READ tells 5 octets and has 3'),
    })
  })

  test('case 66, a size over 2^53 is named', async () => {
    await expect(retrieve('misbehaviour/huge-size')).rejects.toMatchObject({
      message: expect.stringContaining('a size of 9223372036854775808'),
    })
  })

  test('a link whose text begins with two slashes leads to no other host', async () => {
    const { representation } = await retrieve('misbehaviour/slashes-link')
    expect(representation.url).toMatch(/^nfs:\/\/127\.0\.0\.1:\d+\/pub\/hello\.txt$/)
  })

  test('case 43, an endless directory ends at the limit', async () => {
    const limits = { maxListing: 20_000, maxRetries: 0 }
    await expect(retrieve('misbehaviour/endless', {}, { limits })).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  test('cases 3 and 33, names that lead elsewhere have no URL, and none reaches a terminal', async () => {
    const entries = await list('misbehaviour/names')
    expect(entries.map(({ name, url }) => [name, url])).toEqual([
      ['../up', null],
      ['a/b', null],
      ['', null],
      ['\x1b[2J', '/misbehaviour/names/%1B%5B2J'],
      ['line\nfeed', '/misbehaviour/names/line%0Afeed'],
      ['nul\\x00', null],
      ['100%', '/misbehaviour/names/100%25'],
      ['plain', '/misbehaviour/names/plain'],
    ])
    const { octets } = await retrieve('misbehaviour/names')
    const lines = Buffer.from(octets).toString()
    expect(lines).not.toMatch(/[\0-\x09\x0b-\x1f]/)
    expect(lines.trimEnd().split('\n')).toHaveLength(8)
  })

  test('an error names the status', async () => {
    await expect(retrieve('misbehaviour/io')).rejects.toMatchObject({ reply: 'LOOKUP: NFS3ERR_IO' })
  })
})

test('case 21, MOUNT is asked at the address of the first connection, not looked up again', async () => {
  await using server = await startNfsServer({ publicHandle: false })
  const client = createClient({
    addresses: { [`nfs.test:${server.port}`]: ['127.0.0.1'] },
    nfs: { portmapPort: server.port },
    limits: { maxRetries: 0 },
  })
  await using _ = client
  const hosts: string[] = []
  const representation = await client.retrieve(`nfs://nfs.test:${server.port}/pub/hello.txt`, {
    onEvent: (event) => void (event.type === 'connected' && hosts.push(event.address)),
  })
  await representation.bytes()
  expect(hosts).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1'])
})

describe('faults of the way', () => {
  test('property 12: a body that is cut is partial', async () => {
    await expect(retrieve('big', { bigSize: 3e6, faults: { cutAfter: 1e6 } })).rejects.toMatchObject({
      code: 'partial',
    })
  })

  test('R41: a slow reader gets no more than the window', async () => {
    await using server = await startNfsServer({ bigSize: 64 * 1024 * 1024 })
    await using client = createClient()
    const representation = await client.retrieve(`${server.url}big`)
    for await (const chunk of representation) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await server.waitForConnections(0)
    expect(server.received.filter((line) => line.startsWith('READ')).length).toBeLessThanOrEqual(32)
  })
})
