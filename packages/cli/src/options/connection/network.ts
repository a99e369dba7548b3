import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { NetworkOptions } from '@retriever/fetchers'
import { usageError } from '../../exit-codes.ts'
import { connecting, type GivenOptions, type OptionRow } from '../option.ts'

export type NetworkOption = 'ipv4' | 'ipv6' | 'interface' | 'local-port' | 'connect-to' | 'unix-socket'

export const networkOptions: readonly OptionRow<NetworkOption>[] = [
  {
    long: 'ipv4',
    sent: false,
    short: '4',
    help: 'Connect to IPv4 addresses only',
    commands: connecting,
    example: 'retrieve -4 http://www.example.org/',
  },
  {
    long: 'ipv6',
    sent: false,
    short: '6',
    help: 'Connect to IPv6 addresses only',
    commands: connecting,
    example: 'retrieve -6 http://www.example.org/',
  },
  {
    long: 'interface',
    sets: ['network.interface', 'network.localAddress'],
    sent: false,
    arg: 'NAME',
    help: 'Connect from this network interface, address or host name; if!NAME and host!NAME say which it is',
    commands: connecting,
    example: 'retrieve --interface eth0 http://www.example.org/',
  },
  {
    long: 'local-port',
    sets: ['network.localPort'],
    sent: false,
    arg: 'PORT[-PORT]',
    help: 'Connect from this port, or from the first free one of the range',
    commands: connecting,
    example: 'retrieve --local-port 4000-4010 http://www.example.org/',
  },
  {
    long: 'connect-to',
    sets: ['network.connectTo'],
    sent: true,
    arg: 'HOST1:PORT1:HOST2:PORT2',
    help:
      'For HOST1 and PORT1, connect to HOST2 and PORT2; TLS and the request keep the name. An empty part means any, or ' +
      'the same',
    commands: connecting,
    example: 'retrieve --connect-to www.example.org:443:localhost:8443 https://www.example.org/',
  },
  {
    long: 'unix-socket',
    sets: ['network.socketPath'],
    sent: true,
    arg: 'PATH',
    help: 'Connect to this Unix domain socket, whatever the host is; proxies are not used',
    commands: connecting,
    example: 'retrieve --unix-socket /run/docker.sock http://localhost/version',
  },
]

/** How to reach servers. Throws `invalid-option`. */
export function readNetwork(line: GivenOptions<NetworkOption>): NetworkOptions {
  const family = line.given.findLast(({ name }) => name === 'ipv4' || name === 'ipv6')?.name
  const local = line.value('interface')
  const ports = line.value('local-port')
  const socketPath = line.value('unix-socket')
  if (socketPath === '') throw usageError('--unix-socket needs the path of a socket.')
  const connectTo = line.values('connect-to').map(readPair)
  return {
    ...(family !== undefined && { family: family === 'ipv4' ? 4 : 6 }),
    ...(local !== undefined && readLocal(local)),
    ...(ports !== undefined && { localPort: readPorts(ports) }),
    ...(socketPath !== undefined && { socketPath }),
    ...(connectTo.length > 0 && { connectTo: Object.fromEntries(connectTo.filter(isFirst)) }),
  }
}

/** Whether no earlier pair is for the same place: the first pair that fits applies, as in curl. */
function isFirst(
  [from]: readonly [string, string],
  index: number,
  all: readonly (readonly [string, string])[],
): boolean {
  return all.findIndex(([other]) => other === from) === index
}

/** Reads a name as curl does: as an interface, if there is one of that name, else as a host. */
function readLocal(text: string): NetworkOptions {
  const [, kind, name = ''] = /^(?:(if|host)!)?(.*)$/s.exec(text) ?? []
  if (name === '') throw usageError('--interface needs the name of an interface, an address or a host name.')
  const isInterface = kind === undefined ? isIP(name) === 0 && Object.hasOwn(networkInterfaces(), name) : kind === 'if'
  return isInterface ? { interface: name } : { localAddress: name }
}

function readPorts(text: string): [number, number] {
  const [, first = '', last = first] = /^(\d{1,5})(?: *- *(\d{1,5}))?$/.exec(text) ?? []
  const range: [number, number] = [Number(first), Number(last)]
  if (first !== '' && range[0] >= 1 && range[0] <= range[1] && range[1] <= 65_535) return range
  throw usageError(`--local-port needs a port from 1 to 65535, or a range such as 4000-4010, not "${text}".`)
}

function readPair(text: string): [from: string, to: string] {
  const host = /\[[^\]]+\]|[^:[\]]*/.source
  const form = new RegExp(`^(${host}):(\\d{0,5}):(${host})(?::(\\d{0,5}))?$`)
  const [, host1, port1, host2, port2 = ''] = form.exec(text) ?? []
  if (host1 !== undefined && [port1, port2].every((port) => Number(port) <= 65_535)) {
    return [`${host1}:${port1}`, `${host2}:${port2}`]
  }
  const wanted = 'HOST1:PORT1:HOST2:PORT2, where each part may be empty'
  throw usageError(`--connect-to needs ${wanted}; not ${JSON.stringify(text)}.`)
}
