import { BlockList, isIP } from 'node:net'
import { encodeOctets, type Resolution } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Credentials } from '@retriever/fetchers'
import type { ProxyTarget } from '@retriever/fetchers/internal'
import { usageError } from '../../exit-codes.ts'
import { connecting, type GivenOptions, network, type OptionRow } from '../option.ts'
import { readFieldLine } from '../protocols/headers.ts'

export type ProxyOption =
  | 'proxy'
  | 'proxy-digest'
  | 'socks4'
  | 'socks4a'
  | 'socks5'
  | 'socks5-hostname'
  | 'proxytunnel'
  | 'proxy-user'
  | 'noproxy'
  | 'proxy-header'

export const proxyOptions: readonly OptionRow<ProxyOption>[] = [
  {
    long: 'proxy',
    sent: true,
    short: 'x',
    arg: '[PROTOCOL://]HOST[:PORT]',
    help: 'Use a proxy: http (default), https, socks4, socks4a, socks5, socks5h; port 1080 (https: 443). "" means none',
    commands: connecting,
    example: 'retrieve -x http://proxy.example:3128 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks4',
    sent: true,
    arg: 'HOST[:PORT]',
    help: 'Use this SOCKS 4 proxy; host names are looked up here, and must have an IPv4 address',
    commands: connecting,
    example: 'retrieve --socks4 localhost:1080 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks4a',
    sent: true,
    arg: 'HOST[:PORT]',
    help: 'Use this SOCKS 4A proxy, which looks up host names itself',
    commands: connecting,
    example: 'retrieve --socks4a localhost:1080 gopher://gopher.example.org/',
  },
  {
    long: 'socks5',
    sent: true,
    arg: 'HOST[:PORT]',
    help: 'Use this SOCKS 5 proxy; host names are looked up here',
    commands: connecting,
    example: 'retrieve --socks5 localhost:1080 ftp://ftp.example.org/pub/file',
  },
  {
    long: 'socks5-hostname',
    sent: true,
    arg: 'HOST[:PORT]',
    help: 'Use this SOCKS 5 proxy, which looks up host names itself',
    commands: connecting,
    example: 'retrieve --socks5-hostname localhost:9050 gopher://gopher.example.org/',
  },
  {
    long: 'proxytunnel',
    sets: ['proxyTunnel'],
    sent: true,
    short: 'p',
    help: 'Tunnel through an HTTP proxy (CONNECT), also for http and ftp: real FTP, real listings',
    commands: connecting,
    example: 'retrieve -p -x proxy.example:3128 ftp://ftp.example.org/pub/',
  },
  {
    long: 'proxy-user',
    sent: true,
    short: 'U',
    arg: 'USER[:PASSWORD]',
    help: 'Login for the proxy; without PASSWORD you are asked for it',
    commands: network,
    example: 'retrieve -U alice -x proxy.example:3128 http://www.example.org/',
  },
  {
    long: 'proxy-digest',
    sets: ['proxyDigest'],
    sent: true,
    help: 'Send the login for an HTTP proxy by Digest or not at all; default: by Basic, or as the proxy asks',
    commands: connecting,
    example: 'retrieve --proxy-digest -U alice -x proxy.example:3128 http://www.example.org/',
  },
  {
    long: 'noproxy',
    sent: true,
    arg: 'LIST',
    help: 'Hosts, domains and networks to reach without a proxy, separated by commas; * means all. Default: $no_proxy',
    commands: connecting,
    example: 'retrieve --noproxy localhost,example.org,10.0.0.0/8 http://www.example.org/',
  },
  {
    long: 'proxy-header',
    sets: ['proxyHeaders'],
    sent: true,
    arg: 'LINE',
    help: 'A header field for HTTP proxies, which servers do not get; may be given several times',
    commands: connecting,
    example: "retrieve --proxy-header 'X-Team: 7' -x proxy.example:3128 http://www.example.org/",
  },
]

/** The header fields for HTTP proxies. The library checks them. Throws `invalid-option`. */
export function readProxyHeaders(line: GivenOptions<ProxyOption>): Record<string, string> {
  return Object.fromEntries(
    line.values('proxy-header').map((text) => {
      const [name, value] = readFieldLine('--proxy-header', text)
      if (value !== null) return [name, value]
      throw usageError('--proxy-header needs a value for the field. Write "Name: value", or "Name;" for an empty one.')
    }),
  )
}

/** Returns the URL of the proxy for a target; null if there is none. */
export type ProxyChooser = (target: ProxyTarget) => string | null

/**
 * The options that name a proxy, and the scheme that each puts before its value. The last one typed applies, as in
 * curl.
 */
const prefixes: Readonly<Record<string, string>> = {
  proxy: '',
  socks4: 'socks4://',
  socks4a: 'socks4a://',
  socks5: 'socks5://',
  'socks5-hostname': 'socks5h://',
}

/**
 * Chooses the proxy of the options, or else of the environment, by curl's rules; --noproxy and $no_proxy apply to both.
 */
export function proxyChooser(line: GivenOptions<ProxyOption>, env: NodeJS.ProcessEnv): ProxyChooser {
  const typed = line.given.filter(({ name }) => Object.hasOwn(prefixes, name)).at(-1)
  const exempt = line.value('noproxy') ?? env.no_proxy ?? env.NO_PROXY ?? ''
  // Reading process.env is slow, and each URL asks twice, so the values are kept.
  const byScheme = new Map<string, string>()
  const fromVariables = (scheme: string): string => {
    const proxy = byScheme.get(scheme) ?? fromEnvironment(scheme, env)
    byScheme.set(scheme, proxy)
    return proxy
  }
  return ({ scheme, host }) => {
    const proxy = typed === undefined ? fromVariables(scheme) : `${prefixes[typed.name] ?? ''}${typed.value}`
    return proxy === '' || isExempt(host, exempt) ? null : proxy
  }
}

/** The value of `ftp_proxy`, `FTP_PROXY`, `all_proxy` or `ALL_PROXY`; an empty one means no proxy. */
function fromEnvironment(scheme: string, env: NodeJS.ProcessEnv): string {
  const name = `${scheme}_proxy`
  // HTTP_PROXY is not read, since in a CGI program it contains the field `Proxy:` that a client sent (CVE-2016-5385).
  const upper = scheme === 'http' ? undefined : env[name.toUpperCase()]
  return env[name] ?? upper ?? env.all_proxy ?? env.ALL_PROXY ?? ''
}

/**
 * Whether the list exempts the host: `localhost,example.org,.example.net,10.0.0.0/8,::1`. A name includes its
 * subdomains; `*` alone means every host.
 */
function isExempt(host: string, list: string): boolean {
  const name = host.replace(/%.*|\.$/s, '')
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '')
  const covers = isIP(name) === 0 ? coversName : coversAddress
  return list.trim() === '*' || entries.some((entry) => covers(entry, name))
}

function coversName(entry: string, name: string): boolean {
  const domain = entry.toLowerCase().replace(/^\.|\.$/g, '')
  return name === domain || name.endsWith(`.${domain}`)
}

/** Whether the entry, an address or a network in CIDR notation (RFC 4632), covers the address. */
function coversAddress(entry: string, address: string): boolean {
  const [, network = '', prefix] = /^\[?([^\]/]*)\]?(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const bits = isIP(network) === 4 ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  if (isIP(network) === 0 || isIP(network) !== isIP(address) || length > bits) return false
  const family = bits === 32 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, length, family)
  return list.check(address, family)
}

/** The proxy for the host of a URL; null if there is none, or if the URL contacts no host. */
export function proxyOf({ plan, scheme }: Resolution, proxyFor: ProxyChooser): string | null {
  return 'port' in plan && plan.host ? proxyFor({ scheme: scheme.name, host: plan.host, port: plan.port }) : null
}

/** The proxy's URL with this login instead of its own. */
export function withLogin(proxy: string, { user, password }: Credentials): string {
  const [, protocol = 'http://', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(?:.*@)?(.*)$/is.exec(proxy) ?? []
  return `${protocol}${encodeOctets(utf8Octets(user))}:${encodeOctets(utf8Octets(password))}@${rest}`
}
