import { once } from 'node:events'
import { expect, test } from 'vitest'
import { type Faults, startServer, type TestServer } from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'

/** A protocol with a greeting, STARTTLS, a command with a block of octets, and one with an answer. */
function startEcho(faults: Faults = {}): Promise<TestServer> {
  return startServer({
    scheme: 'echo',
    faults,
    async serve(connection) {
      if (!(await connection.sendFault('greeting'))) await connection.send('200 ready\r\n')
      for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
        const [verb = '', argument = ''] = line.split(' ')
        if (await connection.sendFault(line, verb)) continue
        if (verb === 'STARTTLS') await connection.startTls('200 go\r\n')
        else if (verb === 'TAKE') await connection.send(`200 ${await connection.readOctets(Number(argument))}\r\n`)
        else if (verb === 'GIVE') {
          if (!(await connection.sendBody('x'.repeat(Number(argument))))) return
        } else if (verb === 'QUIT') return
        else await connection.send(`500 ${connection.tls ? 'inside TLS' : 'in clear'}\r\n`)
      }
    },
  })
}

test('lines and octets come in order, and lines are recorded', async () => {
  await using server = await startEcho()
  expect(server.url).toBe(`echo://127.0.0.1:${server.port}/`)
  expect(await exchange(server, 'TAKE 5\r\na\r\nb\nGIVE 3\r\nQUIT\r\n')).toBe('200 ready\r\n200 a\r\nb\n\r\nxxx')
  expect(server.received).toEqual(['TAKE 5', 'a', 'b', 'GIVE 3', 'QUIT'])
  expect(server.requests[0]).toMatchObject({ method: 'TAKE', target: '5', connection: 1 })
  await server.waitForConnections(0)
})

test('TLS begins in mid-session', async () => {
  await using server = await startEcho()
  const dialogue = await Dialogue.to(server)
  await dialogue.line()
  expect(await dialogue.ask('x')).toBe('500 in clear\r\n')
  expect(await dialogue.ask('STARTTLS')).toBe('200 go\r\n')
  const secure = await dialogue.secure()
  expect(await secure.ask('x')).toBe('500 inside TLS\r\n')
  secure.close()
})

test('the faults act as with the other servers', async () => {
  await using server = await startEcho({
    shortBody: 1,
    replies: { greeting: '400 no\r\n', 'GIVE 9': ['451 later\r\n'] },
  })
  expect(await exchange(server, 'GIVE 9\r\nGIVE 9\r\n')).toBe('400 no\r\n451 later\r\nxxxxxxxx')
  server.setFaults({ stall: 'greeting' })
  const silent = await Dialogue.to(server)
  await server.waitForConnections(1)
  silent.close()
  await server.waitForConnections(0)
  server.reset()
  expect([server.received, server.accepted, server.faults.shortBody]).toEqual([[], 0, 1])
})

test.each([
  [{ scheme: 'x' }, /serve: expected a function/],
  [{ serve: async () => {} }, /scheme: expected a scheme: finger/],
  [{ scheme: 'X Y', serve: async () => {} }, /scheme: expected/],
  [{ scheme: 'x', server: async () => {} }, /startServer: expected one of .*scheme, serve, got server/],
])('%j is an error', async (options, message) => {
  await expect(startServer(options as unknown as Parameters<typeof startServer>[0])).rejects.toThrow(message)
})

test('an error of serve ends its connection alone, and is told', async () => {
  await using server = await startServer({
    scheme: 'odd',
    async serve(connection) {
      const line = await connection.readLine()
      if (line === 'x') throw new Error('no x here')
      await connection.send(`${line}\r\n`)
    },
  })
  const other = await Dialogue.to(server)
  const warned = once(process, 'warning')
  const failing = await Dialogue.to(server)
  failing.send('x\r\n')
  expect(String(await warned)).toMatch(/A connection to the odd server failed: Error: no x here\n +at .*start-server/)
  await server.waitForConnections(1)
  expect(await other.ask('y')).toBe('y\r\n')
  expect(server.failures.map(({ message }) => message)).toEqual(['no x here'])
  server.reset()
  expect(server.failures).toEqual([])
  other.close()
})
