/**
 * The schemes that Retriever retrieves. The table of schemes takes long to load, so this is a copy, and a test compares
 * them.
 */
const protocols = [
  'afs cid data dict file finger ftp ftpes ftps gemini ghelp gopher gophers help http https imap imaps info',
  'ldap ldapi ldaps mailserver mailto man mid mqtt mqtts news nfs nntp nntps pop pop3 pop3s prospero rtsp',
  'rtsps sftp snews telnet telnets tftp tn3270 toc urn wais whatis ws wss z39.50r',
].join(' ')

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
export function versionText(version: string): string {
  return `retrieve ${version}\nProtocols: ${protocols}\nFeatures: ${features.join(' ')}\n`
}
