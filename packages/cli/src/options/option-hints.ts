import type { Advice, Explanation, Finding } from '@retriever/core'
import { type AdvisedOption, adviceText, type Refusal } from '@retriever/core/internal'
import { options } from './index.ts'

type Words = string | ((value: Advice['value']) => string)

/**
 * The words to type for the options of the library that no plain flag sets, or one that people know by its letter. For
 * others they are the flags of the rows that set them.
 */
const special: Readonly<Partial<Record<AdvisedOption, Words>>> = {
  'policy.allow': (code) => `--allow ${code}`,
  'policy.allowPorts': (port) => `--allow-port ${port}`,
  'policy.schemes': (scheme) => (scheme === undefined ? '--proto' : `--proto +${scheme}`),
  'policy.redirectSchemes': (scheme) => `--proto-redir +${scheme}`,
  'limits.idleTimeout': 'a fixed limit',
  'limits.maxCollected': 'a fixed limit',
  'limits.maxListing': 'a fixed limit',
  'limits.maxReply': 'a fixed limit',
  'limits.maxRetryDelay': 'a fixed limit',
  'limits.unreadTimeout': 'a fixed limit',
  'tls.ca': '--cacert, $CURL_CA_BUNDLE or $SSL_CERT_FILE, or add it to those of this system (/etc/ssl/certs)',
  'tls.minVersion': '--tlsv1.2 or --tlsv1.3',
  'tls.proxy.curves': 'a program of your own with the library',
  'tls.proxy.maxVersion': 'a program of your own with the library',
  'defaults.ldapServer': '$LDAPURI, or by URI in ~/.ldaprc',
  'defaults.newsServer': '--news-server HOST, or by $NNTPSERVER',
  gateways: (scheme) => `--gateway ${scheme}=URL`,
  schemes: 'the list that `retrieve schemes` prints',
  fetchers: 'a program of your own with the library',
  builtins: 'a program of your own with the library',
  credentials: (kind) => (kind === 'token' ? '--oauth2-bearer' : kind === 'account' ? '--ftp-account' : '-u'),
  'network.family': (family) => (family === undefined ? '-4 or -6' : `-${family}`),
  'ssh.hostKeys': (fingerprint) => `--hostpubsha256 ${String(fingerprint).replace(/^SHA256:/, '')}`,
  proxy: (url) => (url === undefined ? 'the proxy (--proxy, or a variable such as $ftp_proxy)' : '--proxy-user'),
  base: '--base FILE-OR-URL',
  range: '-r',
  resumeFrom: '-C',
  ifChangedSince: '-z',
  ifUnchangedSince: '-z',
  form: '--form NAME=VALUE',
  jsonMessages: '--json',
  headers: fieldOption,
  'http.virtualHost': "-H 'Host: ...'",
  login: '-u',
  'http.autoReferer': "-e ';auto'",
  cookies: "-b ''",
  head: '-I',
  folders: 'mkdir -p',
  'error.response': '-v',
}

/** The words for an option of the library; undefined: the command does not set it. */
export function wordsFor(option: AdvisedOption): Words | undefined {
  const row = special[option] === undefined ? options.find(({ sets }) => sets?.includes(option)) : undefined
  return row === undefined ? special[option] : `--${row.long}`
}

function fieldOption(field: Advice['value']): string {
  if (field === undefined) return '-H, -A or -e'
  return `-H '${field}: ...'${field === 'Authorization' ? ' or --oauth2-bearer' : ''}`
}

/** The library's message with the command's words instead of the library's option. */
export function inFlags(message: string, advice: Advice | undefined): string {
  if (advice === undefined) return message
  const words = wordsFor(advice.option)
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
