import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, join } from 'node:path'
import { isLoopback } from '@retriever/core/internal'
import type { GatewayLimits } from '@retriever/gateway'
import type { OfflineSources } from '../archive/reading/offline-answers.ts'
import { usageError } from '../exit-codes.ts'
import { readPort } from '../options/numbers.ts'
import type { GivenOptions, OptionRow } from '../options/option.ts'
import { unreadable } from '../text-file.ts'

export type GatewayOption =
  | 'port'
  | 'proxy-port'
  | 'open'
  | 'listen'
  | 'tunnels'
  | 'client-rate'
  | 'offline'
  | 'missing'

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
      'password of the proxy; without one, the gateway makes one and shows it. It then connects to public addresses ' +
      'alone, and to those of --allow-address',
    commands,
    example: 'retrieve gateway --listen 192.168.1.2',
  },
  {
    long: 'tunnels',
    sent: false,
    help: 'Make tunnels (CONNECT) to port 443, for https; default: none',
    commands,
    example: 'retrieve gateway --tunnels',
  },
  {
    long: 'client-rate',
    sent: false,
    arg: 'N',
    help: 'Answer N requests a second of each client, then 429; default 20 with --listen elsewhere, and no limit without',
    commands,
    example: 'retrieve gateway --listen 192.168.1.2 --client-rate 5',
  },
  {
    long: 'offline',
    sent: false,
    arg: 'DIR|FILE',
    help:
      'Contact nothing: answer from the folder DIR of --cache and from web archives (--warc), of which further ones may ' +
      'be operands. What is not there is 504, and goes to the list of --missing',
    commands,
    example: 'retrieve gateway --offline ~/.cache/retrieve site-*.warc.gz',
  },
  {
    long: 'missing',
    sent: false,
    arg: 'FILE',
    help: 'With --offline: the list for --from; default: missing.txt in DIR, or beside the first archive',
    commands,
    example: 'retrieve gateway --offline site-20261231235959-00000.warc.gz --missing urls.txt',
  },
]

/** What `retrieve gateway --offline` answers from, and its list of what was not there. */
export interface OfflineSettings extends OfflineSources {
  readonly missing: string
}

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
  /** The limits for one client. */
  readonly limits: Pick<GatewayLimits, 'clientRate' | 'clientRequests'>
  /** Null: servers answer. */
  readonly offline: OfflineSettings | null
}

/** Throws `invalid-option`. */
export function readGateway(line: GivenOptions<GatewayOption>, env: NodeJS.ProcessEnv): GatewaySettings {
  const [operand] = line.operands
  if (operand !== undefined && !line.has('offline')) {
    throw usageError(`gateway takes no ${JSON.stringify(operand)}; it serves every URL.`)
  }
  const portOf = (name: 'port' | 'proxy-port', otherwise: number): number => {
    const given = line.value(name)
    return given === undefined ? otherwise : readPort(name, given)
  }
  const [port, proxyPort] = [portOf('port', 8070), portOf('proxy-port', 8071)]
  if (port === proxyPort && port !== 0) {
    throw usageError(`The pages and the proxy need a port each, not both ${port}: change --port or --proxy-port.`)
  }
  const address = line.value('listen') ?? '127.0.0.1'
  if (isIP(address) === 0) throw usageError(`--listen needs an IP address, not ${JSON.stringify(address)}.`)
  const token = env.RETRIEVE_GATEWAY_TOKEN || null
  if (token !== null && !/^[\x21-\x7E]{16,256}$/.test(token)) {
    throw usageError('$RETRIEVE_GATEWAY_TOKEN needs 16 to 256 visible ASCII characters.')
  }
  const isOpen = !isLoopback(address)
  return {
    ...{ address, token, isOpen, tunnels: line.has('tunnels') },
    limits: { ...(isOpen && openLimits), ...readRate(line) },
    ...{ port, proxyPort, opens: line.has('open') },
    offline: readOffline(line),
  }
}

/** The limits for one client of a gateway that other machines reach. */
const openLimits = { clientRate: 20, clientRequests: 16 }

function readRate(line: GivenOptions<GatewayOption>): Pick<GatewayLimits, 'clientRate'> {
  const rate = line.value('client-rate')
  if (rate === undefined) return {}
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(rate) && Number(rate) > 0) return { clientRate: Number(rate) }
  throw usageError(`--client-rate needs a number above 0, such as 5, not ${JSON.stringify(rate)}.`)
}

/** What --offline names; null without it. Throws `invalid-option`, `file-failed`. */
function readOffline(line: GivenOptions<GatewayOption>): OfflineSettings | null {
  if (!line.has('offline')) {
    if (line.has('missing')) throw usageError('--missing is for --offline, which is missing.')
    return null
  }
  if (line.has('tunnels')) throw usageError('--offline contacts nothing, so --tunnels leads nowhere: give one of them.')
  const sources = [...line.values('offline'), ...line.operands]
  const folders = sources.filter(isFolder)
  if (folders.length > 1) throw usageError(`--offline takes one folder, and there are ${folders.length}; name one.`)
  const [cache = null] = folders
  const archives = sources.filter((source) => source !== cache)
  const missing = line.value('missing') ?? join(cache ?? dirname(archives[0] ?? ''), 'missing.txt')
  return { cache, archives, missing }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (cause) {
    throw unreadable(path, cause)
  }
}
