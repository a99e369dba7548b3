import { Listener } from '../listener.ts'
import { type Checks, checkOptions } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { pageFor } from './pages.ts'

/** Options of a Gemini server. It always uses TLS, with a certificate that `testCa` signed. */
export interface GeminiServerOptions extends ServerOptions {}

export const geminiChecks: Checks<GeminiServerOptions> = serverChecks

/** A Gemini server (specification 0.24.1) with a few pages, prompts, redirects, and every status. */
export async function startGeminiServer(options: GeminiServerOptions = {}): Promise<TestServer> {
  checkOptions('startGeminiServer', options, geminiChecks)
  const listener = new Listener(
    {
      name: 'gemini',
      scheme: 'gemini',
      alwaysTls: true,
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await answer(serverConnection(connection, server))
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

async function answer(connection: ServerConnection): Promise<void> {
  const target = await connection.readLine()
  if (target === undefined) return
  const path = /^gemini:\/\/[^/?#]+(\/[^?#]*)?(?:\?(.*))?$/.exec(target)
  if (await connection.sendFault(target, path?.[1] ?? '/', 'greeting')) return
  if (connection.faults.stall === 'response') return connection.stall()
  if (path === null || target.length > 1024) return connection.send('59 Not a gemini URL\r\n')
  const { header, body } = pageFor(path[1] ?? '/', path[2])
  await connection.send(Buffer.from(`${header}\r\n`).toString('latin1'))
  if (body !== undefined) await connection.sendBody(body)
}
