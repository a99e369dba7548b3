import { isIP } from 'node:net'
import { isLoopback } from '@retriever/core/internal'
import { usageError } from '../exit-codes.ts'
import { readPort } from '../options/numbers.ts'
import type { GivenOptions, OptionRow } from '../options/option.ts'

export type GatewayOption = 'port' | 'proxy-port' | 'open' | 'listen' | 'tunnels'

const commands = ['gateway'] as const

export const gatewayOptions: readonly OptionRow<GatewayOption>[] = [
  {
    long: 'port',
    sent: false,
    arg: 'N',
    help: 'Port of the pages; default 8070; 0: a free one',
    commands,
    example: 'retrieve gateway --port 8070',
  },
  {
    long: 'open',
    sent: false,
    help: 'Open the pages in the browser of this desktop',
    commands,
    example: 'retrieve gateway --open',
  },
  {
    long: 'proxy-port',
    sent: false,
    arg: 'N',
    help: 'Port of the proxy; default 8071; 0: a free one',
    commands,
    example: 'retrieve gateway --proxy-port 8071',
  },
  {
    long: 'listen',
    sent: false,
    arg: 'ADDRESS',
    help:
      'Listen on this address instead of 127.0.0.1. Other machines need the token of $RETRIEVE_GATEWAY_TOKEN as the ' +
      'password of the proxy; without one, the gateway makes one and shows it',
    commands,
    example: 'retrieve gateway --listen 192.168.1.2 --public-only',
  },
  {
    long: 'tunnels',
    sent: false,
    help: 'Make tunnels (CONNECT) to port 443, for https; default: none',
    commands,
    example: 'retrieve gateway --tunnels',
  },
]

/** The settings of `retrieve gateway`. */
export interface GatewaySettings {
  /** The port of the pages. */
  readonly port: number
  readonly proxyPort: number
  readonly opens: boolean
  readonly address: string
  readonly isOpen: boolean
  /** The token that the user gave; null if there is none. */
  readonly token: string | null
  readonly tunnels: boolean
}

/** Throws `invalid-option`. */
export function readGateway(line: GivenOptions<GatewayOption>, env: NodeJS.ProcessEnv): GatewaySettings {
  const [operand] = line.operands
  if (operand !== undefined) throw usageError(`gateway takes no ${JSON.stringify(operand)}; it serves every URL.`)
  const portOf = (name: 'port' | 'proxy-port', otherwise: number): number => {
    const given = line.value(name)
    return given === undefined ? otherwise : readPort(name, given)
  }
  const address = line.value('listen') ?? '127.0.0.1'
  if (isIP(address) === 0) throw usageError(`--listen needs an IP address, not ${JSON.stringify(address)}.`)
  const token = env.RETRIEVE_GATEWAY_TOKEN || null
  if (token !== null && !/^[\x21-\x7E]{16,256}$/.test(token)) {
    throw usageError('$RETRIEVE_GATEWAY_TOKEN needs 16 to 256 visible ASCII characters.')
  }
  return {
    ...{ address, token, isOpen: !isLoopback(address), tunnels: line.has('tunnels') },
    ...{ port: portOf('port', 8070), proxyPort: portOf('proxy-port', 8071), opens: line.has('open') },
  }
}
