import { createHash, createPublicKey } from 'node:crypto'
import { RetrievalError } from '@retriever/core'
import type { AdvisedOption } from '@retriever/core/internal'
import type { TlsOptions } from '@retriever/fetchers'
import type { TlsRules, TlsVersion } from '@retriever/fetchers/internal'
import { usageError } from '../../exit-codes.ts'
import { connecting, type GivenOptions, type OptionRow } from '../option.ts'
import { readPem, readTlsFile } from './pem.ts'

export type TlsRuleOption =
  | 'tlsv1.2'
  | 'tlsv1.3'
  | 'tls-max'
  | 'ciphers'
  | 'tls13-ciphers'
  | 'curves'
  | 'pinnedpubkey'
  | 'capath'
  | 'crlfile'
  | 'no-alpn'

export const tlsRuleOptions: readonly OptionRow<TlsRuleOption>[] = [
  {
    long: 'capath',
    sent: false,
    arg: 'DIR',
    help: 'Trust the certificates in DIR, as `openssl rehash` names them, alone or beside those of --cacert',
    commands: connecting,
    example: 'retrieve --capath /etc/ssl/certs https://h.example/',
  },
  {
    long: 'crlfile',
    sets: ['tls.crl'],
    sent: false,
    arg: 'FILE',
    help: 'Refuse the certificates that the lists in FILE (PEM) call revoked; each CA of the chain needs a list',
    commands: connecting,
    example: 'retrieve --crlfile revoked.pem https://h.example/',
  },
  {
    long: 'pinnedpubkey',
    sets: ['tls.pins'],
    sent: false,
    arg: 'FILE|HASHES',
    help: "Accept only this public key of the server: a file (PEM or DER), or 'sha256//BASE64;sha256//...'",
    commands: connecting,
    example: 'retrieve --pinnedpubkey key.pem https://h.example/',
  },
  {
    long: 'tlsv1.2',
    sent: false,
    help: 'Accept TLS 1.2 or newer, which is the default',
    commands: connecting,
    example: 'retrieve --tlsv1.2 https://h.example/',
  },
  {
    long: 'tlsv1.3',
    sent: false,
    help: 'Accept TLS 1.3 or newer only',
    commands: connecting,
    example: 'retrieve --tlsv1.3 https://h.example/',
  },
  {
    long: 'tls-max',
    sets: ['tls.maxVersion'],
    sent: false,
    arg: '1.2|1.3',
    help: 'Offer no newer TLS than this',
    commands: connecting,
    example: 'retrieve --tls-max 1.2 https://h.example/',
  },
  {
    long: 'ciphers',
    sets: ['tls.ciphers'],
    sent: false,
    arg: 'LIST',
    help: "Offer these ciphers within TLS 1.2, as OpenSSL's list",
    commands: connecting,
    example: 'retrieve --ciphers ECDHE-ECDSA-AES256-GCM-SHA384 https://h.example/',
  },
  {
    long: 'tls13-ciphers',
    sets: ['tls.cipherSuites'],
    sent: false,
    arg: 'LIST',
    help: 'Offer these cipher suites within TLS 1.3',
    commands: connecting,
    example: 'retrieve --tls13-ciphers TLS_AES_256_GCM_SHA384 https://h.example/',
  },
  {
    long: 'curves',
    sets: ['tls.curves'],
    sent: false,
    arg: 'LIST',
    help: 'Offer these groups for the key exchange',
    commands: connecting,
    example: 'retrieve --curves X25519:P-256 https://h.example/',
  },
  {
    long: 'no-alpn',
    sent: true,
    help: 'Offer no protocols within TLS, so that HTTP/1.1 is spoken',
    commands: connecting,
    example: 'retrieve --no-alpn https://h.example/',
  },
]

/** The rules for TLS with servers. Throws `invalid-option`, or `file-failed` for a file that cannot be read. */
export function readRules(line: GivenOptions<TlsRuleOption>): TlsOptions {
  const oldest = line.given.findLast(({ name }) => name === 'tlsv1.2' || name === 'tlsv1.3')?.name
  const newest = line.value('tls-max')
  const maxVersion = newest === undefined ? undefined : readVersion(newest)
  return {
    ...(oldest === 'tlsv1.3' && { minVersion: 'TLSv1.3' }),
    ...(maxVersion !== undefined && { maxVersion }),
    ...readLists(line, { ciphers: 'ciphers', cipherSuites: 'tls13-ciphers', curves: 'curves' }),
    ...readPins(line, 'pinnedpubkey', 'tls.pins'),
    ...readRevoked(line, 'crlfile', 'tls.crl'),
    ...(line.has('no-alpn') && { alpn: false }),
  }
}

function readVersion(text: string): TlsVersion | undefined {
  if (text === 'default') return undefined
  if (text === '1.2' || text === '1.3') return `TLSv${text}`
  const old = /^1\.[01]$/.test(text) ? `TLS ${text} is not safe and not spoken.` : `It is not ${JSON.stringify(text)}.`
  throw usageError(`--tls-max needs a version of TLS, 1.2 or 1.3. ${old}`)
}

/** The lists of names that were typed. The library checks them. */
export function readLists<Name extends string>(
  line: GivenOptions<Name>,
  options: Readonly<Partial<Record<'ciphers' | 'cipherSuites' | 'curves', Name>>>,
): TlsRules {
  const typed = Object.entries(options).map(([rule, name]) => [rule, line.value(name)] as const)
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined))
}

/** The lists of revoked certificates in a file. */
export function readRevoked<Name extends string>(
  line: GivenOptions<Name>,
  option: Name,
  advised: AdvisedOption,
): TlsRules {
  const file = line.value(option)
  return file === undefined ? {} : { crl: readPem(option, file, 'list of revoked certificates', advised) }
}

/** Reads `sha256//BASE64;sha256//...`, or the name of a file with a public key, as curl does. */
export function readPins<Name extends string>(
  line: GivenOptions<Name>,
  option: Name,
  advised: AdvisedOption,
): TlsRules {
  const text = line.value(option)
  if (text === undefined) return {}
  if (text.startsWith('sha256//')) return { pins: text.split(';').map((pin) => pin.trim()) }
  const wanted = 'a file with a public key in PEM or DER form, or sha256//BASE64'
  const octets = Buffer.from(readTlsFile(option, text, wanted, advised), 'latin1')
  try {
    const isPem = octets.includes('-----BEGIN ')
    const key = createPublicKey(isPem ? octets : { key: octets, format: 'der', type: 'spki' })
    const hash = createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('base64')
    return { pins: [`sha256//${hash}`] }
  } catch (cause) {
    const advice = { option: advised }
    throw new RetrievalError('file-failed', `--${option} ${text} holds no public key; give ${wanted}.`, {
      phase: 'resolve',
      advice,
      cause,
    })
  }
}
