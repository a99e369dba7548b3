import { isIP } from 'node:net'
import { RetrievalError } from '@retriever/core'
import type { Connect, Network, NetworkOptions, Place } from '../../contract/network.ts'
import { invalidOption } from '../../kit/limits.ts'
import { checkOptions, line, type OptionKind, portRange, record } from '../../kit/options.ts'
import { resolvePlace } from '../resolving.ts'
import { keyOfFunction } from './function-key.ts'

const family: OptionKind = ['4 or 6', (value) => value === 4 || value === 6]
const name: OptionKind = [
  'a string of one line, without NUL, that is not empty',
  (value) => line[1](value) && value !== '',
]

const networkKinds: Readonly<Record<keyof NetworkOptions, OptionKind>> = {
  family,
  interface: name,
  localAddress: name,
  localPort: portRange,
  socketPath: name,
  connectTo: record,
}

/** The network options of a client, checked; undefined if there are none. Throws `invalid-option`. */
export function readNetwork(options: NetworkOptions = {}, connect?: Connect): Network | undefined {
  checkOptions(options, networkKinds, 'network.')
  const { connectTo = {}, ...given } = options
  if (given.interface !== undefined && given.localAddress !== undefined) {
    throw invalidOption('network.localAddress', 'absent if there is a `network.interface`', given.localAddress)
  }
  const others = Object.entries(connectTo).map(([from, to]) => [readPlace(from, from), readPlace(to, from)] as const)
  const other =
    connect && (['interface', 'localAddress', 'localPort', 'socketPath'] as const).find((each) => given[each])
  if (other !== undefined) throw invalidOption(`network.${other}`, 'absent if there is `connect`', given[other])
  const isGiven =
    connect !== undefined || others.length > 0 || Object.values(given).some((value) => value !== undefined)
  if (!isGiven) return undefined
  return { ...given, connect, connectTo: others, key: JSON.stringify([given, others, keyOfFunction(connect)]) }
}

/** Reads `HOST:PORT`, each of which may be empty; the host as in a URL, so that `WWW.Example.org` is found again. */
function readPlace(text: unknown, key: string): Place {
  const [, host, port] = /^(\[[^\]]+\]|[^:[\]]*):(\d{0,5})$/.exec(typeof text === 'string' ? text : '') ?? []
  const plain = host === undefined || host === '' ? host : plainHost(host)
  if (plain !== undefined && Number(port) <= 65_535 && !/^0+$/.test(port ?? '')) {
    return { host: plain === '' ? null : plain, port: port ? Number(port) : null }
  }
  throw invalidOption('network.connectTo', 'an object of `HOST:PORT`, both or one of them empty for any', text, key)
}

function plainHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) === 6) return bare
  try {
    const { plan } = resolvePlace(`${host}/`)
    return plan.mechanism === 'http' && plan.target === '/' && plan.user === null ? plan.host : undefined
  } catch (error) {
    if (RetrievalError.is(error)) return undefined
    throw error
  }
}
