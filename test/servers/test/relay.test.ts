import { Socket } from 'node:dgram'
import { expect, test, vi } from 'vitest'
import { Relay } from '../src/contract/relay.ts'
import { startTftpServer } from '../src/index.ts'

test('a relay takes another port if another program has its port of UDP', async () => {
  await using server = await startTftpServer()
  const taken: unknown[] = []
  const bind = vi.spyOn(Socket.prototype, 'bind').mockImplementationOnce(function (this: Socket, port: unknown) {
    taken.push(port)
    process.nextTick(() => this.emit('error', Object.assign(new Error('taken'), { code: 'EADDRINUSE' })))
    return this
  })
  await using relay = await Relay.before(server)
  expect(bind).toHaveBeenCalledTimes(2)
  expect(relay.port).not.toBe(taken[0])
})
