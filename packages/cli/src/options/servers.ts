import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Faults, ProtocolName, ServersOptions } from '@retriever/servers'
import { usageError } from '../exit-codes.ts'
import type { Program } from '../programs/run-program.ts'
import { readPort } from './numbers.ts'
import type { GivenOptions, OptionRow } from './option.ts'

/** The ports of servers for which none is given. With a program, each server takes a free port instead. */
const defaultPorts: Readonly<Record<ProtocolName, number>> = {
  http: 8080,
  ftp: 2121,
  gopher: 7070,
  nntp: 1119,
  telnet: 2323,
  tn3270: 3270,
  tftp: 6969,
  nfs: 20490,
  prospero: 1525,
  ldap: 3890,
  gemini: 1965,
  rtsp: 8554,
  dict: 2628,
  wais: 2100,
  finger: 7979,
  pop3: 1110,
  imap: 1143,
  ws: 8081,
  mqtt: 1883,
  z3950: 9999,
}

export const protocols: readonly ProtocolName[] = Object.keys(defaultPorts) as ProtocolName[]

/** Advice for --port with serve: other servers, and the gateway, have one. */
export const serverPorts = 'serve has no --port. Each of its servers has its own, such as --http-port N.'

export type ServerOption = `${ProtocolName}-port` | 'fault' | 'serve-host' | 'serve-private'

export const serverOptions: readonly OptionRow<ServerOption>[] = [
  ...protocols.map(
    (protocol): OptionRow<ServerOption> => ({
      long: `${protocol}-port`,
      sent: false,
      arg: 'N',
      help: `Port of the ${protocol} server; default: ${defaultPorts[protocol]}, or with COMMAND a free one; 0: a free one`,
      commands: ['serve'],
      example: `retrieve serve ${protocol} --${protocol}-port 8123`,
    }),
  ),
  {
    long: 'fault',
    sent: false,
    arg: 'NAME=VALUE',
    help: 'Make the servers misbehave: delay=100, chunking=bytes, resetAfter=10, shortBody=1, stall=greeting',
    commands: ['serve'],
    example: 'retrieve serve ftp --fault chunking=bytes',
  },
  {
    long: 'serve-host',
    sent: false,
    arg: 'NAME',
    help: 'Answer HTTP and WebSocket requests for this host, too; other hosts than localhost and loopback addresses get 421',
    commands: ['serve'],
    example: 'retrieve serve public --serve-host dev.example.org',
  },
  {
    long: 'serve-private',
    sent: false,
    help: 'Serve also what other users of this machine may not read in DIR (mode 600); they can then read it',
    commands: ['serve'],
    example: 'retrieve serve public --serve-private',
  },
]

/** The servers that can serve a folder. */
const withFiles: readonly ProtocolName[] = ['http', 'ftp', 'gopher', 'nfs']

/** The servers that check the host of a request, since browsers may contact them. */
const withHosts: readonly ProtocolName[] = ['http', 'ws']

/** The servers of serve, and the command that runs beside them. */
export interface Serving {
  readonly servers: ServersOptions
  /** The program to run while the servers run; null if they run until a signal. */
  readonly program: Program | null
}

interface ServingLine extends GivenOptions<ServerOption | 'json'> {
  readonly program: readonly string[] | null
}

/**
 * The named servers with their ports and faults, and the program to run. If none is named, all servers, or with a
 * folder those that can serve it. Throws `invalid-option`.
 */
export function readServing(line: ServingLine, env: NodeJS.ProcessEnv): Serving {
  const named = protocols.filter((protocol) => line.operands.includes(protocol))
  const folder = readFolder(line.operands.filter((operand) => !protocols.some((protocol) => protocol === operand)))
  const unfit = named.find((protocol) => folder !== undefined && !withFiles.includes(protocol))
  if (unfit !== undefined) throw usageError(`A folder is served by http, ftp, gopher and nfs, not by ${unfit}.`)
  const program = readProgram(line, env)
  const faults = readFaults(line.values('fault'))
  const all = folder === undefined ? protocols : withFiles
  const own = (named.length === 0 ? all : named).map((protocol) => {
    const port = line.value(`${protocol}-port`)
    const otherwise = program === null ? defaultPorts[protocol] : 0
    const hosts = withHosts.includes(protocol) ? { hosts: line.values('serve-host') } : {}
    return [protocol, { faults, ...hosts, port: port === undefined ? otherwise : readPort(`${protocol}-port`, port) }]
  })
  // Keeps no record of requests, since a server may run for days.
  const files = folder === undefined ? {} : { folder, privateFiles: line.has('serve-private') }
  const servers = { ...Object.fromEntries(own), record: false, ...files }
  return { servers, program }
}

/** The program behind `--`; null if there is none. */
function readProgram(line: ServingLine, env: NodeJS.ProcessEnv): Program | null {
  if (line.program === null) return null
  const [name, ...args] = line.program
  if (!name) throw usageError('serve -- needs a command, as in: retrieve serve -- sh test.sh')
  if (line.has('json')) throw usageError('--json prints the URLs; a command finds them in its variables: leave it out.')
  return { name, args, env }
}

/** The folder among the operands; undefined if there is none. */
function readFolder([folder, another]: readonly string[]): string | undefined {
  if (another !== undefined) throw usageError(`serve takes one folder, not ${[folder, another].join(' and ')}.`)
  if (folder === undefined) return undefined
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return folder
  if (found === undefined) {
    throw usageError(`There is no folder ${JSON.stringify(folder)}; the servers are: ${protocols.join(', ')}.`)
  }
  const given = JSON.stringify(folder)
  throw usageError(`${given} is a file. serve takes the folder that it is in: ${JSON.stringify(dirname(folder))}.`)
}

/** Reads faults such as `delay=100`. The servers check names and values. */
function readFaults(texts: readonly string[]): Faults {
  const faults = texts.map((text) => {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
    if (name === undefined)
      throw usageError(`--fault needs NAME=VALUE, such as delay=100, not ${JSON.stringify(text)}.`)
    return [name, /^\d+$/.test(value) ? Number(value) : value === 'true' ? true : value]
  })
  return Object.fromEntries(faults)
}
