import { spawnSync } from 'node:child_process'
import dgram from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect, createServer, type LookupFunction } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const guard = fileURLToPath(new URL('./loopback-guard.cjs', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a script under the guard, in a process whose refusals do not fail this test. */
function run(script: string) {
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: `--require=${JSON.stringify(guard)}`, RETRIEVER_LOOPBACK_LOG: '' },
  })
  return { status, stderr }
}

test.each([
  ['an address', `import { connect } from 'node:net'; connect(80, '192.0.2.1')`],
  ['an address by options', `import { connect } from 'node:net'; connect({ port: 80, host: '2001:db8::1' })`],
  ['TLS', `import { connect } from 'node:tls'; connect({ port: 443, host: '192.0.2.1' })`],
  ['a name', `import { connect } from 'node:net'; connect(80, 'www.example')`],
  [
    'a name that a stub leads outside',
    `import { connect } from 'node:net'; connect({ port: 80, host: 'x', lookup: (h, o, done) => done(null, [{ address: '192.0.2.1', family: 4 }]) })`,
  ],
  ['a lookup', `import { lookup } from 'node:dns/promises'; await lookup('www.example')`],
  ['fetch', `await fetch('http://192.0.2.1/').catch((error) => { throw error.cause })`],
  ['a datagram', `import dgram from 'node:dgram'; dgram.createSocket('udp4').send('x', 53, '192.0.2.1')`],
])('%s outside this machine is refused', (_what, script) => {
  const { status, stderr } = run(script)
  expect(stderr).toMatch(/A test tried to reach .*; tests may talk to loopback alone/)
  expect(status).not.toBe(0)
})

test('loopback is reached by address, by name and by a stubbed lookup', async () => {
  const server = createServer((socket) => socket.end('x')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const stub: LookupFunction = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }])
  for (const options of [{ host: '127.0.0.1' }, { host: 'localhost' }, {}, { host: 'www.example', lookup: stub }]) {
    const [octets] = await once(connect({ port, ...options }), 'data')
    expect(String(octets)).toBe('x')
  }
  server.close()
  expect(await lookup('localhost')).toMatchObject({ address: expect.stringMatching(/^127|^::1/) })
})

test('a datagram reaches loopback', async () => {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.send('x', socket.address().port, '127.0.0.1')
  const [octets] = await once(socket, 'message')
  expect(String(octets)).toBe('x')
  socket.close()
})
