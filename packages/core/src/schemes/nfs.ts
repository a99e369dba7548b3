import type { NfsPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'

/** RFC 2224: `nfs://host:port/path`, by the public filehandle of WebNFS (RFC 2054, 2055). */
export const nfs: Scheme = {
  name: 'nfs',
  title: 'Network File System, as WebNFS',
  spec: 'RFC 2224',
  mechanism: 'nfs',
  defaultPort: 2049,
  tls: 'none',
  host: 'required',
  userinfo: 'forbidden',
  query: false,
  // XDR frames everything, and the path is sent with its escapes.
  lineParts: [],
  hint: 'Mount the export, or use nfs-cat of libnfs.',
  resolve: nfsPlan,
}

/**
 * The plan. The path is relative to the public filehandle, absolute where it begins with a second slash. It is sent
 * with its escapes (RFC 2054 6.1): `%2f` is a slash within a name.
 */
function nfsPlan({ urlPath }: Locator, place: Place): NfsPlan {
  const path = urlPath ?? ''
  if (path.includes('%00')) place.fail('a name cannot hold an encoded NUL', 'urlPath')
  const { host, port } = place
  return { mechanism: 'nfs', host, port, tls: 'none', path: path === '' ? '.' : path, wire: [] }
}
