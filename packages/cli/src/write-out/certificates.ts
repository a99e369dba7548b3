import { type KeyObject, X509Certificate } from 'node:crypto'

/** The certificates of a server as curl prints them for `%{certs}`, its own first. */
export function certificatesText(chain: readonly Uint8Array[]): string {
  return chain.map(certificateText).join('')
}

/** One line for each fact, and the certificate in PEM. curl's lines for X.509v3 extensions are left out. */
function certificateText(der: Uint8Array): string {
  const certificate = new X509Certificate(der)
  const { version, signatureAlgorithm, publicKeyAlgorithm, signature } = unread(der)
  const lines = [
    `Subject:${oneLine(certificate.subject)}`,
    `Issuer:${oneLine(certificate.issuer)}`,
    `Version:${version}`,
    `Serial Number:${certificate.serialNumber.toLowerCase()}`,
    `Signature Algorithm:${signatureAlgorithm}`,
    `Public Key Algorithm:${publicKeyAlgorithm}`,
    `Start date:${certificate.validFrom}`,
    `Expire date:${certificate.validTo}`,
    ...rsaLines(certificate),
    `Signature:${[...signature].map((octet) => `${octet.toString(16).padStart(2, '0')}:`).join('')}`,
  ]
  return `${lines.join('\n')}\n${certificate.toString()}`
}

function rsaLines(certificate: X509Certificate): string[] {
  const publicKey = publicKeyOf(certificate)
  if (publicKey?.asymmetricKeyType !== 'rsa') return []
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const hex = (number: string): string => Buffer.from(number, 'base64url').toString('hex').toUpperCase()
  return [
    `RSA Public Key:${publicKey.asymmetricKeyDetails?.modulusLength ?? ''}`,
    `rsa(n):${hex(n)}`,
    `rsa(e):${hex(e).replace(/^0+/, '')}`,
  ]
}

/**
 * The key of a certificate; null if OpenSSL does not know its kind, or if it is broken. Servers may send any
 * certificates of issuers.
 */
function publicKeyOf(certificate: X509Certificate): KeyObject | null {
  try {
    return certificate.publicKey
  } catch {
    return null
  }
}

/**
 * A name on one line. Node writes `CN=a\, b` with each attribute on its own line; curl writes `CN = "a, b", O = c`, and
 * octets beyond ASCII as `\C3`.
 */
function oneLine(name: string): string {
  const attributes = (name ?? '').split('\n').filter((attribute) => attribute !== '')
  return attributes
    .map((attribute) => {
      const equals = attribute.indexOf('=')
      const escaped = attribute.slice(equals + 1)
      const value = escaped.replace(/\\([^0-9A-F])/g, '$1')
      const quoted = /^[ #]|[,+"<>;\\]| $/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
      return `${attribute.slice(0, equals)} = ${quoted.replace(/[^\0-\x7F]+/g, octetsOf)}`
    })
    .join(', ')
}

function octetsOf(text: string): string {
  return [...Buffer.from(text)].map((octet) => `\\${octet.toString(16).toUpperCase()}`).join('')
}

/** OpenSSL's names for the algorithms of certificates; other algorithms are shown by number. */
const algorithms: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.1': 'rsaEncryption',
  '1.2.840.113549.1.1.5': 'sha1WithRSAEncryption',
  '1.2.840.113549.1.1.10': 'rsassaPss',
  '1.2.840.113549.1.1.11': 'sha256WithRSAEncryption',
  '1.2.840.113549.1.1.12': 'sha384WithRSAEncryption',
  '1.2.840.113549.1.1.13': 'sha512WithRSAEncryption',
  '1.2.840.10045.2.1': 'id-ecPublicKey',
  '1.2.840.10045.4.1': 'ecdsa-with-SHA1',
  '1.2.840.10045.4.3.2': 'ecdsa-with-SHA256',
  '1.2.840.10045.4.3.3': 'ecdsa-with-SHA384',
  '1.2.840.10045.4.3.4': 'ecdsa-with-SHA512',
  '1.3.101.112': 'ED25519',
  '1.3.101.113': 'ED448',
}

/** The facts that Node does not give (RFC 5280 4.1). OpenSSL has already read the certificate, so its form is right. */
function unread(der: Uint8Array) {
  const [tbs, algorithm, signature] = elementsOf(elementsOf(der)[0]?.content)
  const fields = elementsOf(tbs?.content)
  const hasVersion = fields[0]?.tag === 0xa0
  const keyInfo = elementsOf(fields[hasVersion ? 6 : 5]?.content)[0]
  return {
    // Version 3 is written as 2; a certificate of version 1 states none.
    version: hasVersion ? (elementsOf(fields[0]?.content)[0]?.content[0] ?? 0) : 0,
    signatureAlgorithm: algorithmOf(algorithm),
    publicKeyAlgorithm: algorithmOf(keyInfo),
    // The first octet only counts unused bits.
    signature: signature?.content.subarray(1) ?? new Uint8Array(),
  }
}

interface DerElement {
  readonly tag: number
  readonly content: Uint8Array
}

/** The elements of DER that stand side by side (X.690 8.1). */
function elementsOf(octets: Uint8Array | undefined): DerElement[] {
  const elements: DerElement[] = []
  for (let rest = octets ?? new Uint8Array(); rest.length >= 2; ) {
    const [tag = 0, first = 0] = rest
    const long = first > 0x7f ? first & 0x7f : 0
    const length = long === 0 ? first : rest.subarray(2, 2 + long).reduce((sum, octet) => sum * 256 + octet, 0)
    elements.push({ tag, content: rest.subarray(2 + long, 2 + long + length) })
    rest = rest.subarray(2 + long + length)
  }
  return elements
}

/** The name of an AlgorithmIdentifier, which begins with an object identifier (X.690 8.19). */
function algorithmOf(element: DerElement | undefined): string {
  const parts: number[] = []
  let part = 0
  for (const octet of elementsOf(element?.content)[0]?.content ?? []) {
    part = part * 128 + (octet & 0x7f)
    if (octet > 0x7f) continue
    parts.push(part)
    part = 0
  }
  const [first = 0, ...others] = parts
  const top = Math.min(2, Math.floor(first / 40))
  const number = [top, first - 40 * top, ...others].join('.')
  return algorithms[number] ?? number
}
