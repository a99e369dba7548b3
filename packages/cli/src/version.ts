/** The features beyond the plain protocols, in curl's words. */
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

/** The text of --version, in curl's form. */
export function versionText(version: string, schemes: string): string {
  return `retrieve ${version}\nProtocols: ${schemes}\nFeatures: ${features.join(' ')}\n`
}
