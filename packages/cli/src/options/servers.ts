import { statSync } from 'node:fs'
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

/** The servers that can serve a folder. */
const withFiles: readonly ProtocolName[] = ['http', 'ftp', 'gopher']

/**
 * The named servers, or all of them (with a folder those that can serve it), with their ports and faults. Throws
 * `invalid-option`.
 */
export function readServersOptions(line: GivenOptions<ServerOption>): ServersOptions {
  const named = protocols.filter((protocol) => line.operands.includes(protocol))
  const folder = readFolder(line.operands.filter((operand) => !protocols.some((protocol) => protocol === operand)))
  const unfit = named.find((protocol) => folder !== undefined && !withFiles.includes(protocol))
  if (unfit !== undefined) throw usageError(`A folder is served by http, ftp and gopher, not by ${unfit}.`)
  const faults = readFaults(line.values('fault'))
  const all = folder === undefined ? protocols : withFiles
  const own = (named.length === 0 ? all : named).map((protocol) => {
    const port = line.value(`${protocol}-port`)
    return [protocol, { faults, ...(port !== undefined && { port: readPort(`${protocol}-port`, port) }) }]
  })
  // A server that runs for days keeps no record of each request.
  return { ...Object.fromEntries(own), record: false, ...(folder !== undefined && { folder }) }
}

/** The folder among the operands. */
function readFolder([folder, another]: readonly string[]): string | undefined {
  if (another !== undefined) throw usageError(`serve takes one folder, not ${[folder, another].join(' and ')}.`)
  if (folder !== undefined && !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw usageError(`There is no folder ${JSON.stringify(folder)}; the servers are: ${protocols.join(', ')}.`)
  }
  return folder
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
