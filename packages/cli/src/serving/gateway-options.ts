import { isIP } from 'node:net'
import { isLoopback } from '@retriever/core/internal'
import { usageError } from '../exit-codes.ts'
import { readPort } from '../options/numbers.ts'
import type { GivenOptions, OptionRow } from '../options/option.ts'

export type GatewayOption = 'proxy-port' | 'listen' | 'tunnels'

const commands = ['gateway'] as const

export const gatewayOptions: readonly OptionRow<GatewayOption>[] = [
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
  readonly port: number
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
  const port = line.value('proxy-port')
  const address = line.value('listen') ?? '127.0.0.1'
  if (isIP(address) === 0) throw usageError(`--listen needs an IP address, not ${JSON.stringify(address)}.`)
  const token = env.RETRIEVE_GATEWAY_TOKEN || null
  if (token !== null && !/^[\x21-\x7E]{16,256}$/.test(token)) {
    throw usageError('$RETRIEVE_GATEWAY_TOKEN needs 16 to 256 visible ASCII characters.')
  }
  return {
    ...{ address, token, isOpen: !isLoopback(address), tunnels: line.has('tunnels') },
    port: port === undefined ? 8071 : readPort('proxy-port', port),
  }
}
