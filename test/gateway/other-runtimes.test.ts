/** The lines of docs/gateway.md for Bun and Deno, run by these if they are installed: npm install --global bun deno. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startServers } from '@retriever/servers'
import { afterAll, expect, test } from 'vitest'
import { addressOf } from '../../packages/gateway/src/pages/address.ts'
import { startPages, textOf } from './support/pages.ts'
import { exchange, parse, type RawAnswer } from './support/proxy.ts'

const servers = await startServers()
afterAll(() => servers.close())

const program = fileURLToPath(new URL('support/other-runtime.mjs', import.meta.url))

test.for([
  ['bun', ['--no-install', program]],
  ['deno', ['run', '-A', '--no-remote', '--cached-only', '--node-modules-dir=manual', program]],
] as const)(
  '%s answers as Node does, takes forms, and ends the retrieval of a client that leaves',
  async ([name, args], { skip }) => {
    if (spawnSync(name, ['--version']).status !== 0) skip(`${name} is not installed: npm install --global ${name}`)
    await using node = await startPages()
    const child = spawn(name, args, { env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } })
    try {
      const [line] = await once(child.stdout, 'data')
      const port = Number(line)
      const send = async (head: string, body = ''): Promise<RawAnswer> => {
        return parse(await exchange(port, `${head}\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n${body}`))
      }
      const urls = [
        `${servers.ftp.url}pub/`,
        servers.gopher.url,
        servers.gemini.url,
        `${servers.nntp.url}retriever.test/5`,
      ]
      for (const url of urls) {
        const answer = await send(`GET ${addressOf(url)} HTTP/1.1`)
        // Deno does not tell whether TLS has ended as it should (docs/gateway.md).
        const text = textOf(answer).replace(/<p class="warning">gemini:[^<]*close_notify[^<]*<\/p>\n/, '')
        expect({ url, status: answer.status, text }).toEqual({ url, status: 200, text: await node.page(url) })
      }
      expect(await send(`GET ${addressOf(`${servers.ftp.url}pub/a.bin`, 'raw=1')} HTTP/1.1`)).toMatchObject({
        ...{ status: 200, isWhole: true, body: { length: 4096 } },
      })
      const form = 'token=wrong&url=gopher://h/'
      const type = 'Content-Type: application/x-www-form-urlencoded'
      const refused = await send(`POST /login HTTP/1.1\r\n${type}\r\nContent-Length: ${form.length}`, form)
      expect(refused.status).toBe(403)
      const leaving = connect(port, '127.0.0.1')
      leaving.write(
        `GET ${addressOf(`${servers.gopher.url}9/big`, 'raw=1')} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`,
      )
      await once(leaving, 'data')
      expect(servers.gopher.connections).toBe(1)
      leaving.destroy()
      await expect.poll(() => servers.gopher.connections).toBe(0)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
  },
)
