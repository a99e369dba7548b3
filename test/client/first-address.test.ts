import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createClient } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { expect, onTestFinished, test } from 'vitest'

/** A program that listens at ::1 with a queue for two connections, says so, and stops: no third SYN is answered. */
const blackHole = `require('node:net').createServer().listen({ host: '::1', port: Number(process.argv[1]), backlog: 1 },
  () => { process.stdout.write('.'); process.kill(process.pid, 'SIGSTOP') })`

test.runIf(process.platform === 'linux')(
  'R32: a first address that answers nothing is left for the next one',
  async () => {
    const server = await startHttpServer({ hosts: ['h.invalid'] })
    const { port } = server
    const child = spawn(process.execPath, ['-e', blackHole, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await server.close()
    })
    await once(child.stdout, 'data')
    const filling = Array.from({ length: 2 }, () => connect(port, '::1').on('error', () => {}))
    onTestFinished(() => {
      for (const socket of filling) socket.destroy()
    })
    await Promise.all(filling.map((socket) => once(socket, 'connect')))
    await using client = createClient({ addresses: { [`h.invalid:${port}`]: ['::1', '127.0.0.1'] } })
    const page = await client.retrieve(`http://h.invalid:${port}/readme.txt`)
    expect(await page.text()).not.toBe('')
    expect(server.accepted).toBe(1)
  },
)
