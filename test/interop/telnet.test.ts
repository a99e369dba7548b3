import { once } from 'node:events'
import { connect } from 'node:net'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { failure, retrieve, suite } from './suite.ts'

const IAC = 0xff

suite('telnetd', (server) => {
  test('a service is handed over, not retrieved', async () => {
    expect(await failure(1, server.url('telnet', '/'))).toContain(`telnet 127.0.0.1 ${server.port()}`)
  })

  test('explain names the same place', async () => {
    const { status, stdout } = await retrieve('explain', '--json', server.url('telnet', '/'))
    expect(status).toBe(0)
    expect(JSON.parse(stdout.toString())).toMatchObject({
      mechanism: 'telnet',
      plan: { mechanism: 'telnet', host: '127.0.0.1', port: server.port() },
    })
  })

  test('the library: a handoff to a place where a telnet server answers', async () => {
    await using client = createClient()
    const handoff = await client.open(server.url('telnet', '/'))
    expect(handoff).toMatchObject({
      service: 'telnet',
      program: 'telnet',
      args: ['--', '127.0.0.1', String(server.port())],
    })

    const socket = connect(server.port(), '127.0.0.1')
    const [first]: Buffer[] = await once(socket, 'data')
    socket.destroy()
    expect(first?.[0]).toBe(IAC) // it begins to negotiate at once
  })
})
