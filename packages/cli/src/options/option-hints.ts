import {
  type Advice,
  type AdvisedOption,
  adviceText,
  type Explanation,
  type Finding,
  type Refusal,
} from '@retriever/core'

type Words = string | ((value: Advice['value']) => string)

/** The words to type for each option of the library that a message may name; a plain name if nothing can be typed. */
const typed: Readonly<Partial<Record<AdvisedOption, Words>>> = {
  'policy.allow': (code) => `--allow ${code}`,
  'policy.allowPorts': (port) => `--allow-port ${port}`,
  'policy.allowDowngrade': '--allow-downgrade',
  'policy.allowInward': '--allow-inward',
  'policy.publicOnly': '--public-only',
  'policy.allowAddresses': '--allow-address',
  'policy.schemes': (scheme) => (scheme === undefined ? '--proto' : `--proto +${scheme}`),
  'policy.redirectSchemes': (scheme) => `--proto-redir +${scheme}`,
  'limits.connectTimeout': '--connect-timeout',
  'limits.idleTimeout': 'a fixed limit',
  'limits.totalTimeout': '--max-time',
  'limits.minSpeed': '--speed-limit',
  'limits.minSpeedTime': '--speed-time',
  'limits.maxSize': '--max-filesize',
  'limits.maxCollected': 'a fixed limit',
  'limits.maxListing': 'a fixed limit',
  'limits.maxReply': 'a fixed limit',
  'limits.maxRetryDelay': 'a fixed limit',
  'limits.unreadTimeout': 'a fixed limit',
  'tls.ca': '--cacert, $CURL_CA_BUNDLE or $SSL_CERT_FILE, or add it to those of this system (/etc/ssl/certs)',
  'tls.proxyCa': '--proxy-cacert',
  'tls.cert': '--cert',
  'tls.key': '--key',
  'tls.passphrase': '--pass',
  'tls.minVersion': '--tlsv1.2 or --tlsv1.3',
  'tls.maxVersion': '--tls-max',
  'tls.ciphers': '--ciphers',
  'tls.cipherSuites': '--tls13-ciphers',
  'tls.curves': '--curves',
  'tls.pins': '--pinnedpubkey',
  'tls.crl': '--crlfile',
  'tls.proxy.cert': '--proxy-cert',
  'tls.proxy.key': '--proxy-key',
  'tls.proxy.passphrase': '--proxy-pass',
  'tls.proxy.ciphers': '--proxy-ciphers',
  'tls.proxy.cipherSuites': '--proxy-tls13-ciphers',
  'tls.proxy.curves': 'a program of your own with the library',
  'tls.proxy.maxVersion': 'a program of your own with the library',
  'tls.proxy.pins': '--proxy-pinnedpubkey',
  'tls.proxy.crl': '--proxy-crlfile',
  'defaults.ldapServer': '$LDAPURI, or by URI in ~/.ldaprc',
  'defaults.newsServer': '--news-server HOST, or by $NNTPSERVER',
  'defaults.requireTls': '--ssl-reqd',
  gateways: (scheme) => `--gateway ${scheme}=URL`,
  schemes: 'the list that `retrieve schemes` prints',
  fetchers: 'a program of your own with the library',
  builtins: 'a program of your own with the library',
  credentials: (kind) => (kind === 'token' ? '--oauth2-bearer' : kind === 'account' ? '--ftp-account' : '-u'),
  addresses: '--resolve',
  'network.family': (family) => (family === undefined ? '-4 or -6' : `-${family}`),
  'network.interface': '--interface',
  'network.localAddress': '--interface',
  'network.localPort': '--local-port',
  'network.socketPath': '--unix-socket',
  'network.connectTo': '--connect-to',
  'nfs.uid': '--nfs-uid',
  'nfs.mountPort': '--nfs-mount-port',
  'ssh.hostKeys': (fingerprint) => `--hostpubsha256 ${String(fingerprint).replace(/^SHA256:/, '')}`,
  'ssh.privateKey': '--key',
  'ssh.passphrase': '--pass',
  proxy: (url) => (url === undefined ? 'the proxy (--proxy, or a variable such as $ftp_proxy)' : '--proxy-user'),
  proxyTunnel: '--proxytunnel',
  proxyHeaders: '--proxy-header',
  'httpFetcher.http2': '--http1.1',
  base: '--base FILE-OR-URL',
  range: '-r',
  resumeFrom: '-C',
  ifChangedSince: '-z',
  ifUnchangedSince: '-z',
  'http.ifNoneMatch': '--etag-compare',
  accept: '--accept',
  acceptLanguage: '--accept-language',
  form: '--form NAME=VALUE',
  limit: '--limit',
  count: '--count',
  jsonMessages: '--json',
  headers: fieldOption,
  'http.virtualHost': "-H 'Host: ...'",
  login: '-u',
  digest: '--digest',
  'http.autoReferer': "-e ';auto'",
  cookies: "-b ''",
  head: '-I',
  'http.compressed': '--compressed',
  'http.fail': '--no-fail',
  'http.split': '--split',
  'prospero.followAccess': '--follow-access',
  'wais.relevantTo': '--relevant-to',
  charset: '--charset',
  folders: 'mkdir -p',
  delete: '--delete',
  'error.response': '-v',
}

function fieldOption(field: Advice['value']): string {
  if (field === undefined) return '-H, -A or -e'
  return `-H '${field}: ...'${field === 'Authorization' ? ' or --oauth2-bearer' : ''}`
}

/** The library's message with the command's words instead of the library's option. */
export function inFlags(message: string, advice: Advice | undefined): string {
  if (advice === undefined) return message
  const words = typed[advice.option]
  if (words === undefined) return message
  return message.replaceAll(adviceText(advice), () => (typeof words === 'string' ? words : words(advice.value)))
}

/** A finding as the command shows it: its message includes the remedy, and `advice` is left out. */
export function shownFinding({ code, severity, message, remedy, span, rule, advice }: Finding): ShownFinding {
  return { code, severity, message: inFlags(`${message} ${remedy}`, advice), span, rule }
}

type ShownFinding = Omit<Finding, 'remedy' | 'advice'>

/** An explanation as the command shows it. */
export function shownExplanation(explanation: Explanation): Explanation {
  if ('error' in explanation) {
    const { advice, ...error } = explanation.error
    return { ...explanation, error: { ...error, message: inFlags(error.message, advice) } }
  }
  const findings = explanation.findings.map(({ advice, ...rest }) => {
    return { ...rest, message: inFlags(rest.message, advice) }
  })
  const { refused, gateway } = explanation
  return {
    ...explanation,
    findings,
    ...(refused !== undefined && { refused: shownRefusal(refused) }),
    ...(gateway !== undefined && { gateway: shownExplanation(gateway) }),
  }
}

function shownRefusal({ advice, ...refused }: Refusal): Refusal {
  return { ...refused, message: inFlags(refused.message, advice) }
}
