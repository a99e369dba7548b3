import type { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { startFtpServer, startHttpServer } from '@retriever/servers'
import { expect, test, vi } from 'vitest'
import { failure } from '../support/failure.ts'
import { type ProxyScript, type SocksOptions, scriptedProxy, socks4 } from '../support/wire/scripted-proxy.ts'

/** The addresses of each name: no test asks a real resolver. */
let addresses: readonly string[] = []
vi.mock('node:dns/promises', () => ({
  lookup: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
}))

async function failureThrough(script: ProxyScript, url = 'http://192.0.2.7/'): Promise<[RetrievalError, string[]]> {
  await using proxy = await scriptedProxy(script)
  await using client = createClient({ proxy: `socks4://alice:s3cr3t@127.0.0.1:${proxy.port}` })
  const error = await failure(client.retrieve(url))
  await client.close()
  await proxy.closed()
  return [error, proxy.targets]
}

test.each<SocksOptions['how']>(['whole', 'bytewise', 'glued'])(
  'FTP comes whole through SOCKS 4A, however the proxy answers (%s); the proxy gets names',
  async (how = 'whole') => {
    await using server = await startFtpServer()
    const script: ProxyScript = (peer, proxy) =>
      socks4(how === 'glued' && proxy.targets.length > 0 ? {} : { how })(peer, proxy)
    await using proxy = await scriptedProxy(script)
    await using client = createClient({ proxy: `socks4a://127.0.0.1:${proxy.port}` })
    const url = `ftp://ftp.example:${server.port}/pub/hello.txt`
    expect(await (await client.retrieve(url)).text()).toBe('Hello, world.\n')
    expect(proxy.targets[0]).toBe(`ftp.example:${server.port}`)
    expect(proxy.targets[1]).toMatch(/^ftp\.example:\d+$/)
    const port = String.fromCharCode(server.port >> 8, server.port & 255)
    expect(proxy.heard[0]).toBe(`\x04\x01${port}\0\0\0\x01\0ftp.example\0`)
  },
)

test('SOCKS 4 gets the IPv4 addresses that are found here, one after the other, and the user, but no password', async () => {
  await using server = await startHttpServer({ hosts: ['*'] })
  addresses = ['2001:db8::1', '192.0.2.1', '0.0.0.9', '192.0.2.2']
  const script: ProxyScript = (peer, proxy) => socks4({ code: proxy.targets.length === 0 ? 91 : 90 })(peer, proxy)
  await using proxy = await scriptedProxy(script)
  await using client = createClient({ proxy: `socks4://alice:s3cr3t@127.0.0.1:${proxy.port}` })
  const representation = await client.retrieve(`http://www.example:${server.port}/pub/hello.txt`)
  expect(await representation.text()).toBe('Hello, world.\n')
  expect(proxy.targets).toEqual([`192.0.2.1:${server.port}`, `192.0.2.2:${server.port}`])
  const port = String.fromCharCode(server.port >> 8, server.port & 255)
  expect(proxy.heard).toEqual([`\x04\x01${port}\xc0\0\x02\x01alice\0`, `\x04\x01${port}\xc0\0\x02\x02alice\0`])
})

test('a host without an IPv4 address is an error before the proxy is asked for it', async () => {
  addresses = ['2001:db8::1']
  for (const url of ['http://www.example/', 'http://[2001:db8::1]/', 'http://0.0.0.1/']) {
    const [error, targets] = await failureThrough(socks4(), url)
    expect(error).toMatchObject({ code: 'connect-failed' })
    expect(error.message).toMatch(/SOCKS 4 (has no IPv6 addresses|keeps the addresses)/)
    expect(targets).toEqual([])
  }
})

test.each([
  [91, /it refused or failed\. .*\(SOCKS reply 91\)/],
  [92, /ident server .* on this machine/],
  [93, /names another user/],
  [5, /an unknown reason \(SOCKS reply 5\)/],
])('a refusal (%i) says why', async (code, message) => {
  const [error] = await failureThrough(socks4({ code }))
  expect(error).toMatchObject({ code: 'connect-failed', message: expect.stringMatching(message) })
  expect(error.message).not.toMatch(/s3cr3t/)
})

test.each<[string, string, string]>([
  ['\x05\x00', 'protocol-violation', 'does not speak SOCKS 4'],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', 'protocol-violation', 'does not speak SOCKS 4'],
  ['', 'receive-failed', 'closed the connection'],
  ['\x00\x5a\x00', 'receive-failed', 'closed the connection'],
])('a hostile proxy that says %j breaks the protocol', async (says, code, message) => {
  const [error] = await failureThrough(async (peer) => {
    await peer.take(8)
    await peer.say(says)
    peer.socket.end()
  })
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
})

test('a proxy that drips is out of the time of all', async () => {
  await using proxy = await scriptedProxy(async (peer) => {
    await peer.take(8)
    await peer.say('\x00')
  })
  await using client = createClient({
    proxy: `socks4a://127.0.0.1:${proxy.port}`,
    limits: { connectTimeout: 50, maxRetries: 0 },
  })
  expect(await failure(client.retrieve('http://www.example/'))).toMatchObject({ code: 'timeout' })
})
