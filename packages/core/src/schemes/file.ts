import { type Finding, finding } from '../finding.ts'
import type { FilePlan } from '../plan.ts'
import type { Inspection, Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/** RFC 8089 (RFC 1738 3.10): `file:///path`, `file://localhost/path`, `file:/path`. */
export const file: Scheme = {
  name: 'file',
  title: 'Files and directories of this machine',
  spec: 'RFC 8089',
  mechanism: 'file',
  defaultPort: null,
  tls: 'none',
  host: 'optional',
  userinfo: 'forbidden',
  query: true,
  lineParts: [],
  resolve: filePlan,
  inspect: foreignHost,
}

function filePlan(locator: Locator, place: Place): FilePlan {
  if (locator.port !== null) place.fail('file URLs have no port', 'port')
  if (locator.query !== null) place.fail('file URLs have no query; write a ? of the name as %3F', 'query')
  const path = locator.urlPath ?? ''
  if (locator.host === null && !path.startsWith('/')) {
    place.fail('the path must be absolute, as in file:///path; a relative one needs no file:', 'urlPath')
  }
  // A name cannot contain these octets, and a decoded / would name another file.
  if (/%(?:2F|00)/i.test(path)) place.fail('%2F and %00 cannot stand in the name of a file', 'urlPath')
  const rooted = locator.host === null ? path : `/${path}`
  return { mechanism: 'file', host: locator.host === null ? null : place.host, path: decodeOctets(rooted), wire: [] }
}

/**
 * The finding for a host other than this machine (RFC 8089 2). Retriever never contacts it; clients of the days of RFC
 * 1738 tried FTP, and Windows tries SMB.
 */
function foreignHost({ plan, place, span }: Inspection): Finding[] {
  if (plan.mechanism !== 'file' || !plan.host || plan.host === 'localhost') return []
  if (place.defaults.localHosts?.includes(plan.host)) return []
  const message = `The URL places the file on ${plan.host}, which is not known to be this machine.`
  return [finding('foreign-file-host', message, span('host'), 'RFC 8089 2')]
}
