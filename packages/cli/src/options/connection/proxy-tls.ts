import type { AdvisedOption } from '@retriever/core/internal'
import type { TlsRules } from '@retriever/fetchers/internal'
import { connecting, type GivenOptions, type OptionRow } from '../option.ts'
import { readLists, readPins, readRevoked } from './tls-rules.ts'

export type ProxyTlsOption =
  | 'proxy-cacert'
  | 'proxy-capath'
  | 'proxy-cert'
  | 'proxy-key'
  | 'proxy-pass'
  | 'proxy-insecure'
  | 'proxy-crlfile'
  | 'proxy-pinnedpubkey'
  | 'proxy-ciphers'
  | 'proxy-tls13-ciphers'

const set: Readonly<Partial<Record<ProxyTlsOption, AdvisedOption>>> = {
  'proxy-cacert': 'tls.proxyCa',
  'proxy-cert': 'tls.proxy.cert',
  'proxy-key': 'tls.proxy.key',
  'proxy-pass': 'tls.proxy.passphrase',
  'proxy-crlfile': 'tls.proxy.crl',
  'proxy-pinnedpubkey': 'tls.proxy.pins',
  'proxy-ciphers': 'tls.proxy.ciphers',
  'proxy-tls13-ciphers': 'tls.proxy.cipherSuites',
}

const row = <Name extends ProxyTlsOption>(
  long: Name,
  arg: string | undefined,
  help: string,
  value: string,
): OptionRow<Name> => ({
  long,
  ...(set[long] && { sets: [set[long]] }),
  sent: false,
  ...(arg !== undefined && { arg }),
  help: `For an https proxy: ${help}`,
  commands: connecting,
  example: `retrieve --${long}${value === '' ? '' : ` ${value}`} -x https://proxy.example http://www.example.org/`,
})

export const proxyTlsOptions: readonly OptionRow<ProxyTlsOption>[] = [
  row('proxy-cacert', 'FILE', 'trust the certificates in FILE (PEM); default: what --cacert says', 'ca.pem'),
  row('proxy-capath', 'DIR', 'trust the certificates in DIR, as --capath', '/etc/ssl/certs'),
  row('proxy-cert', 'FILE[:PASSWORD]', 'client certificate (PEM), as --cert', 'me.pem'),
  row('proxy-key', 'FILE', 'the private key of --proxy-cert (PEM)', 'me.key --proxy-cert me.pem'),
  row('proxy-pass', 'PHRASE', 'the passphrase of the private key', 'secret --proxy-cert me.pem'),
  row('proxy-insecure', undefined, 'do not verify its certificate: anybody may get its login', ''),
  row('proxy-crlfile', 'FILE', 'refuse revoked certificates, as --crlfile', 'revoked.pem'),
  row('proxy-pinnedpubkey', 'FILE|HASHES', 'accept only this public key, as --pinnedpubkey', 'key.pem'),
  row('proxy-ciphers', 'LIST', 'offer these ciphers within TLS 1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'),
  row('proxy-tls13-ciphers', 'LIST', 'offer these cipher suites within TLS 1.3', 'TLS_AES_256_GCM_SHA384'),
]

/** The rules for TLS with proxies. Throws what readRules() throws. */
export function readProxyRules(line: GivenOptions<ProxyTlsOption>): TlsRules {
  return {
    ...readLists(line, { ciphers: 'proxy-ciphers', cipherSuites: 'proxy-tls13-ciphers' }),
    ...readPins(line, 'proxy-pinnedpubkey', 'tls.proxy.pins'),
    ...readRevoked(line, 'proxy-crlfile', 'tls.proxy.crl'),
    ...(line.has('proxy-insecure') && { insecure: true }),
  }
}
