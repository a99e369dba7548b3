import { once } from 'node:events'
import { type ProtocolName, type ServersOptions, startServers, type TestServer } from '@retriever/servers'
import { usageError } from '../exit-codes.ts'
import { protocols } from '../options/servers.ts'
import type { Run } from '../run.ts'
import { jsonLine } from '../terminal/output.ts'

/** `retrieve serve [DIR] [PROTOCOL...]`: runs local servers until a signal ends them. */
export async function serve({ config, output, signal }: Run): Promise<number> {
  await using servers = await start(config.servers)
  for (const protocol of protocols) {
    const server: TestServer | undefined = servers[protocol]
    if (server === undefined) continue
    const { url, port } = server
    await output.write(config.json ? jsonLine({ protocol, url, port }) : `${url}\n`)
  }
  if (!config.json) output.note(noteOn(config.servers))
  if (!signal.aborted) await once(signal, 'abort')
  return 0
}

function noteOn({ folder }: ServersOptions): string {
  if (folder !== undefined) return `Serving ${folder} on loopback until Ctrl-C, read-only, without a login.`
  return 'Serving on loopback until Ctrl-C. Logins: anonymous, or alice with the password secret.'
}

async function start(options: ServersOptions): Promise<Partial<Record<ProtocolName, TestServer>> & AsyncDisposable> {
  try {
    return await startServers(options)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${error.message}.`)
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE') throw usageError(`Port ${port} is in use; name another, or none for a free one.`)
    if (code === 'EACCES') throw usageError(`Port ${port} needs more rights than you have; name one above 1023.`)
    throw error
  }
}
