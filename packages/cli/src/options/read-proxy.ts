import { BlockList, isIP } from 'node:net'
import { encodeOctets, utf8Octets } from '@retriever/core'
import type { Credentials, ProxyTarget } from '@retriever/fetchers'
import type { CommandLine } from '../parse.ts'
import type { OptionName } from './index.ts'

/** A proxy's URL as the library reads it; null: none. */
export type ProxyChooser = (target: ProxyTarget) => string | null

/** Of these the last one typed counts, as in curl. */
const options: Readonly<Partial<Record<OptionName, string>>> = {
  proxy: '',
  socks5: 'socks5://',
  'socks5-hostname': 'socks5h://',
}

/** From the options, else from the environment, by curl's rules; --noproxy and $no_proxy are for either. */
export function proxyChooser(line: CommandLine, env: NodeJS.ProcessEnv): ProxyChooser {
  const typed = line.given.filter(({ name }) => Object.hasOwn(options, name)).at(-1)
  const exempt = line.value('noproxy') ?? env.no_proxy ?? env.NO_PROXY ?? ''
  return ({ scheme, host }) => {
    const proxy = typed === undefined ? fromEnvironment(scheme, env) : `${options[typed.name] ?? ''}${typed.value}`
    return proxy === '' || isExempt(host, exempt) ? null : proxy
  }
}

/** `ftp_proxy`, `FTP_PROXY`, `all_proxy`, `ALL_PROXY`; one that is set to nothing means none. */
function fromEnvironment(scheme: string, env: NodeJS.ProcessEnv): string {
  const name = `${scheme}_proxy`
  // HTTP_PROXY is what a web server makes of a field `Proxy:` that somebody sends to a CGI program (CVE-2016-5385).
  const upper = scheme === 'http' ? undefined : env[name.toUpperCase()]
  return env[name] ?? upper ?? env.all_proxy ?? env.ALL_PROXY ?? ''
}

/** `localhost,example.org,.example.net,10.0.0.0/8,::1`; a name stands for all below it too. `*` alone is everything. */
function isExempt(host: string, list: string): boolean {
  const name = host.replace(/%.*$|\.$/, '')
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '')
  const covers = isIP(name) === 0 ? coversName : coversAddress
  return list.trim() === '*' || entries.some((entry) => covers(entry, name))
}

function coversName(entry: string, name: string): boolean {
  const domain = entry.toLowerCase().replace(/^\.|\.$/g, '')
  return name === domain || name.endsWith(`.${domain}`)
}

/** An address, or a network in CIDR notation (RFC 4632). */
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

/** The proxy's URL with this login in place of its own. */
export function withLogin(proxy: string, { user, password }: Credentials): string {
  const [, protocol = 'http://', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(?:.*@)?(.*)$/is.exec(proxy) ?? []
  return `${protocol}${encodeOctets(utf8Octets(user))}:${encodeOctets(utf8Octets(password))}@${rest}`
}
