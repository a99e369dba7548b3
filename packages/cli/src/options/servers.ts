import type { Faults, ProtocolName, ServersOptions } from '@retriever/servers'
import { usageError } from '../exit-codes.ts'
import { readPort } from './numbers.ts'
import type { GivenOptions, OptionRow } from './option.ts'

export const protocols: readonly ProtocolName[] = ['http', 'ftp', 'gopher', 'nntp', 'telnet']

export type ServerOption = `${ProtocolName}-port` | 'fault'

export const serverOptions: readonly OptionRow<ServerOption>[] = [
  ...protocols.map(
    (protocol): OptionRow<ServerOption> => ({
      long: `${protocol}-port`,
      arg: 'N',
      help: `Port of the ${protocol} server; default: a free one`,
      commands: ['serve'],
      example: `retrieve serve ${protocol} --${protocol}-port 8123`,
    }),
  ),
  {
    long: 'fault',
    arg: 'NAME=VALUE',
    help: 'Make the servers misbehave: delay=100, chunking=bytes, resetAfter=10, shortBody=1, stall=greeting',
    commands: ['serve'],
    example: 'retrieve serve ftp --fault chunking=bytes',
  },
]

/** The named servers, or all of them, with their ports and faults. Throws `invalid-option`. */
export function readServersOptions(line: GivenOptions<ServerOption>): ServersOptions {
  const named = line.operands.map(readProtocol)
  const faults = readFaults(line.values('fault'))
  const own = (named.length === 0 ? protocols : named).map((protocol) => {
    const port = line.value(`${protocol}-port`)
    return [protocol, { faults, ...(port !== undefined && { port: readPort(`${protocol}-port`, port) }) }]
  })
  return Object.fromEntries(own)
}

function readProtocol(text: string): ProtocolName {
  const protocol = protocols.find((name) => name === text)
  if (protocol === undefined)
    throw usageError(`There is no server for ${JSON.stringify(text)}, only for: ${protocols.join(', ')}.`)
  return protocol
}

/** Reads faults such as `delay=100`; the servers check the names and values. */
function readFaults(texts: readonly string[]): Faults {
  const faults = texts.map((text) => {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
    if (name === undefined)
      throw usageError(`--fault needs NAME=VALUE, such as delay=100, not ${JSON.stringify(text)}.`)
    return [name, /^\d+$/.test(value) ? Number(value) : value === 'true' ? true : value]
  })
  return Object.fromEntries(faults)
}
