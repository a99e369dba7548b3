import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startTftpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

const bytes = Uint8Array.from({ length: 3000 }, (_, at) => at % 256)
const long = Uint8Array.from({ length: 200_000 }, (_, at) => (at * 7) % 256)

// Nothing is connected in UDP, so of the suite only the parts without connections fit.
testFetcher({
  mechanism: 'tftp',
  bytes,
  async start(faults = {}) {
    const server = await startTftpServer({ faults })
    return {
      recipient: server,
      object: `${server.url}bytes.bin`,
      missing: `${server.url}nope`,
      [Symbol.asyncDispose]: () => server.close(),
    }
  },
})

type Options = Parameters<typeof startTftpServer>[0]

async function retrieve(path: string, options: Options = {}) {
  await using server = await startTftpServer(options)
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetries: 0, idleTimeout: 1500 },
    onEvent: (event) => void events.push(event),
  })
  const representation = await client.retrieve(server.url + path)
  const octets = await representation.bytes()
  await server.waitForConnections(0)
  return { representation, octets, received: [...server.received], events }
}

describe('files', () => {
  test.each<readonly [string, Options, Uint8Array]>([
    ['bytes.bin', {}, bytes],
    ['long.bin', {}, long],
    ['full.bin', { options: false }, Buffer.alloc(4096, 'full')],
    ['empty.txt', {}, new Uint8Array(0)],
    ['bytes.bin', { options: false }, bytes],
    ['bytes.bin', { refusesOptions: true }, bytes],
    // Servers older than RFC 2347 have no error of their own for options.
    ['bytes.bin', { faults: { replies: { RRQ: ['\0\x05\0\x04Illegal operation\0'] } } }, bytes],
    ['bytes.bin', { faults: { replies: { RRQ: ['\0\x05\0\x00Malformed request\0'] } } }, bytes],
    ['bytes.bin', { forges: true }, bytes],
    ['long.bin', { loses: 3 }, long],
    ['bytes.bin', { loses: 3 }, bytes],
    ['name%20with%20spaces', {}, Buffer.from('spaces\n')],
    ['hello.txt;mode=NETASCII', {}, Buffer.from('Hello, world.\nA \r in a line.\n')],
    ['hello.txt;mode=octet', {}, Buffer.from('Hello, world.\nA \r in a line.\n')],
  ])('%s of a server with %j', async (path, options, octets) => {
    expect(Buffer.compare((await retrieve(path, options)).octets, octets)).toBe(0)
  })

  test('what was agreed is told', async () => {
    const { representation, received, events } = await retrieve('bytes.bin')
    expect(representation).toMatchObject({
      size: 3000,
      completeness: 'verified',
      metadata: { blockSize: 1428, windowSize: 8 },
    })
    expect(received).toEqual(['RRQ bytes.bin octet'])
    expect(events.map(({ type }) => type).filter((type) => type !== 'progress')).toEqual([
      'resolved',
      'connected',
      'sent',
      'received',
      'done',
    ])
    const plain = (await retrieve('bytes.bin', { options: false })).representation
    expect(plain).toMatchObject({ size: null, completeness: 'terminated', metadata: { blockSize: 512, windowSize: 1 } })
  })
})

describe('properties 12, 14 and 18: failures', () => {
  test.each<readonly [string, Options, string]>([
    ['nope', {}, 'not-found'],
    ['bytes.bin', { faults: { replies: { RRQ: '\0\x05\0\x02no\0' } } }, 'access-denied'],
    ['bytes.bin', { faults: { replies: { RRQ: '\0\x05\0\x00disk on fire\x1b\0' } } }, 'server-refused'],
    ['bytes.bin', { faults: { replies: { RRQ: '\0\x06blksize\x0065464\0' } } }, 'protocol-violation'],
    ['bytes.bin', { faults: { replies: { RRQ: '\0\x06windowsize\x000\0' } } }, 'protocol-violation'],
    ['bytes.bin', { faults: { replies: { RRQ: `\0\x03\0\x01${'x'.repeat(600)}` } } }, 'protocol-violation'],
    // A block that is not the first belongs to an earlier transfer from the same port.
    ['bytes.bin', { faults: { replies: { RRQ: '\0\x03\0\x02late' } } }, 'timeout'],
    ['bytes.bin', { faults: { replies: { RRQ: 'SSH-2.0-OpenSSH\r\n' } } }, 'timeout'],
    ['bytes.bin', { faults: { stall: 'response' } }, 'timeout'],
    ['long.bin', { faults: { stall: 'body' } }, 'timeout'],
    ['bytes.bin', { faults: { shortBody: 10 } }, 'partial'],
    ['bytes.bin;mode=mail', {}, 'malformed-url'],
    ['', {}, 'malformed-url'],
    ['a%00b', {}, 'refused'],
  ])('%j of a server with %j is %s', async (path, options, code) => {
    await expect(retrieve(path, options)).rejects.toMatchObject({ code })
  })

  test('R33: a request is sent again while nothing comes', async () => {
    await using server = await startTftpServer({ faults: { stall: 'response' } })
    await using client = createClient({ limits: { maxRetries: 0, idleTimeout: 1500 } })
    await expect(client.retrieve(`${server.url}bytes.bin`)).rejects.toMatchObject({ code: 'timeout', phase: 'request' })
    expect(server.received).toEqual(['RRQ bytes.bin octet', 'RRQ bytes.bin octet'])
  })

  test('R40: an abort, and a reader that stops, tell the server', async () => {
    await using server = await startTftpServer({ faults: { stall: 'body' } })
    await using client = createClient()
    const abort = new AbortController()
    const representation = await client.retrieve(`${server.url}long.bin`, { signal: abort.signal })
    const failed = expect(representation.bytes()).rejects.toMatchObject({ code: 'aborted' })
    abort.abort()
    await failed
    await server.waitForConnections(0)
    const second = await client.retrieve(`${server.url}long.bin`)
    await second.cancel()
    await server.waitForConnections(0)
  })

  test('a proxy carries no UDP, and the policy decides about addresses', async () => {
    await using server = await startTftpServer()
    await using proxied = createClient({ proxy: 'socks5://127.0.0.1:9' })
    await expect(bytesOf(proxied, `${server.url}bytes.bin`)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
    await using open = createClient({ policy: { publicOnly: true } })
    await expect(bytesOf(open, `${server.url}bytes.bin`)).rejects.toMatchObject({ code: 'refused' })
    expect(server.received).toEqual([])
  })

  test('a body over limits.maxSize is refused before it is sent', async () => {
    await using server = await startTftpServer()
    await using client = createClient({ limits: { maxSize: 100 } })
    await expect(bytesOf(client, `${server.url}bytes.bin`)).rejects.toMatchObject({ code: 'limit-exceeded' })
  })
})
