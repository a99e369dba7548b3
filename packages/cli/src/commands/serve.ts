import { once } from 'node:events'
import { type Faults, type ProtocolName, type ServersOptions, startServers, type TestServer } from '@retriever/servers'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../main.ts'
import { isPort } from '../options/numbers.ts'
import type { CommandLine } from '../parse.ts'
import { jsonLine } from '../terminal/output.ts'

const protocols: readonly ProtocolName[] = ['http', 'ftp', 'gopher', 'nntp', 'telnet']

/** `retrieve serve [PROTOCOL...]`: local test servers, until a signal comes, which is their ordinary end. */
export async function serve({ config, output, signal }: Run): Promise<number> {
  const options = readOptions(config.given)
  await using servers = await start(options)
  for (const protocol of protocols) {
    const server: TestServer | undefined = servers[protocol]
    if (server === undefined) continue
    const { url, port } = server
    await output.write(config.json ? jsonLine({ protocol, url, port }) : `${url}\n`)
  }
  if (!config.json)
    output.note('Serving on loopback until Ctrl-C. Logins: anonymous, or alice with the password secret.')
  if (!signal.aborted) await once(signal, 'abort')
  return 0
}

function readOptions(line: CommandLine): ServersOptions {
  const named = line.operands.map(readProtocol)
  const faults = readFaults(line.values('fault'))
  const own = (named.length === 0 ? protocols : named).map((protocol) => {
    const port = readPort(line, protocol)
    return [protocol, { faults, ...(port !== undefined && { port }) }]
  })
  return Object.fromEntries(own)
}

function readProtocol(text: string): ProtocolName {
  const protocol = protocols.find((name) => name === text)
  if (protocol === undefined)
    throw usageError(`There is no server for ${JSON.stringify(text)}, only for: ${protocols.join(', ')}.`)
  return protocol
}

function readPort(line: CommandLine, protocol: ProtocolName): number | undefined {
  const text = line.value(`${protocol}-port`)
  if (text === undefined) return undefined
  if (!isPort(text))
    throw usageError(`--${protocol}-port needs a port number up to 65535, not ${JSON.stringify(text)}.`)
  return Number(text)
}

/** `delay=100`; the servers know which names and values there are. */
function readFaults(texts: readonly string[]): Faults {
  const faults = texts.map((text) => {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
    if (name === undefined)
      throw usageError(`--fault needs NAME=VALUE, such as delay=100, not ${JSON.stringify(text)}.`)
    return [name, /^\d+$/.test(value) ? Number(value) : value === 'true' ? true : value]
  })
  return Object.fromEntries(faults)
}

async function start(options: ServersOptions): Promise<Partial<Record<ProtocolName, TestServer>> & AsyncDisposable> {
  try {
    return await startServers(options)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${error.message}.`)
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code === 'EADDRINUSE') throw usageError(`Port ${port} is in use; name another, or none for a free one.`)
    if (code === 'EACCES') throw usageError(`Port ${port} may not be used by you; name one above 1023.`)
    throw error
  }
}
