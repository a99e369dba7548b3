/** The schemes that are retrieved; a test compares them with the table, which takes long to load. */
const protocols = 'data file ftp ftpes ftps gopher gophers http https news nntp nntps snews'

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

/** The text of --version, in the form of curl's. */
export function versionText(version: string): string {
  return `retrieve ${version}\nProtocols: ${protocols}\nFeatures: ${features.join(' ')}\n`
}
