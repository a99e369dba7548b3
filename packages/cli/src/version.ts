import { builtinSchemes } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'

/** What is offered beyond the plain protocols, in curl's words. */
const features = [
  'brotli',
  'HTTP2',
  'HTTPS-proxy',
  'IDN',
  'IPv6',
  'Largefile',
  'libz',
  'SSL',
  'UnixSockets',
  ...(process.versions.zstd === undefined ? [] : ['zstd']),
]

/** The text of --version, in the form of curl's. */
export function versionText(version: string): string {
  const retrieved = builtinSchemes.filter(({ mechanism, handoff }) => builtinMechanisms.includes(mechanism) && !handoff)
  const protocols = retrieved.map(({ name }) => name).sort()
  return `retrieve ${version}\nProtocols: ${protocols.join(' ')}\nFeatures: ${features.join(' ')}\n`
}
