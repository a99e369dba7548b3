/**
 * The options of the library that a message may name, and the property of an error that says more. The list is closed:
 * a program with options of its own translates each of them.
 */
export type AdvisedOption =
  | 'policy.allow'
  | 'policy.allowPorts'
  | 'policy.allowDowngrade'
  | 'policy.allowInward'
  | 'policy.publicOnly'
  | 'policy.allowAddresses'
  | 'policy.schemes'
  | 'policy.redirectSchemes'
  | 'limits.connectTimeout'
  | 'limits.idleTimeout'
  | 'limits.totalTimeout'
  | 'limits.minSpeed'
  | 'limits.minSpeedTime'
  | 'limits.maxSize'
  | 'limits.maxCollected'
  | 'limits.maxListing'
  | 'limits.maxReply'
  | 'limits.maxRetryDelay'
  | 'limits.unreadTimeout'
  | 'tls.ca'
  | 'tls.proxyCa'
  | 'tls.cert'
  | 'tls.key'
  | 'tls.passphrase'
  | 'tls.minVersion'
  | 'tls.maxVersion'
  | 'tls.ciphers'
  | 'tls.cipherSuites'
  | 'tls.curves'
  | 'tls.pins'
  | 'tls.crl'
  | 'tls.proxy.cert'
  | 'tls.proxy.key'
  | 'tls.proxy.passphrase'
  | 'tls.proxy.ciphers'
  | 'tls.proxy.cipherSuites'
  | 'tls.proxy.curves'
  | 'tls.proxy.maxVersion'
  | 'tls.proxy.pins'
  | 'tls.proxy.crl'
  | 'defaults.newsServer'
  | 'defaults.ldapServer'
  | 'defaults.requireTls'
  | 'schemes'
  | 'gateways'
  | 'fetchers'
  | 'builtins'
  | 'credentials'
  | 'addresses'
  | 'network.family'
  | 'network.interface'
  | 'network.localAddress'
  | 'network.localPort'
  | 'network.socketPath'
  | 'network.connectTo'
  | 'nfs.uid'
  | 'nfs.mountPort'
  | 'ssh.hostKeys'
  | 'ssh.privateKey'
  | 'ssh.passphrase'
  | 'proxy'
  | 'proxyTunnel'
  | 'proxyHeaders'
  | 'httpFetcher.http2'
  | 'base'
  | 'range'
  | 'resumeFrom'
  | 'ifChangedSince'
  | 'ifUnchangedSince'
  | 'ifNoneMatch'
  | 'accept'
  | 'acceptLanguage'
  | 'form'
  | 'limit'
  | 'count'
  | 'jsonMessages'
  | 'headers'
  | 'virtualHost'
  | 'autoReferer'
  | 'login'
  | 'digest'
  | 'cookies'
  | 'head'
  | 'compressed'
  | 'fail'
  | 'split'
  | 'followAccess'
  | 'relevantTo'
  | 'charset'
  | 'folders'
  | 'delete'
  | 'error.response'

/** The advice of a message: an option to set, or one to leave out. */
export interface Advice {
  readonly option: AdvisedOption
  /** The value to set, the element of a list, or the name of a field: false, 25, "Cookie". */
  readonly value?: string | number | boolean
}

/** The option as the library's messages contain it, in backquotes: `policy.allowPorts: [25]`. */
export function adviceText({ option, value }: Advice): string {
  return `\`${option}${valueText(option, value)}\``
}

/** Options whose value names one field, credential or host. */
const keyed = /^(?:headers|credentials|addresses|gateways)$|connectTo$/
/** Options that are lists: `builtins`, and of the policy `allow`, `allowPorts`, `schemes` and `redirectSchemes`. */
const lists = /^builtins$|(?:\.allow|Ports|chemes|hostKeys)$/

function valueText(option: AdvisedOption, value: Advice['value']): string {
  if (value === undefined) return ''
  const text = JSON.stringify(value)
  if (keyed.test(option)) return `[${text}]`
  return lists.test(option) ? `: [${text}]` : `: ${text}`
}
