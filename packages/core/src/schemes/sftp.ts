import type { SftpPlan } from '../plan.ts'
import type { Place, Scheme } from '../scheme.ts'
import type { Locator } from '../url/locator.ts'
import { decodeOctets } from '../url/percent.ts'

/**
 * draft-ietf-secsh-scp-sftp-ssh-uri: `sftp://user@host:port/path`; the path is absolute, `/~/` is the home directory
 * (curl).
 */
export const sftp: Scheme = {
  name: 'sftp',
  title: 'SSH File Transfer Protocol',
  spec: 'draft-ietf-secsh-scp-sftp-ssh-uri-04',
  mechanism: 'sftp',
  defaultPort: 22,
  tls: 'none',
  host: 'required',
  userinfo: 'allowed',
  query: false,
  // SSH sends the path with its length, so a line feed in a name does no harm.
  lineParts: ['user', 'password'],
  // The URL names no terminal session, but the program ssh takes the same arguments.
  program: true,
  resolve: sftpPlan,
}

function sftpPlan({ user, password, urlPath }: Locator, place: Place): SftpPlan {
  const { host, port } = place
  // Parameters such as ;fingerprint= belong to the login, not to its name (section 2.3 of the draft).
  const path = urlPath ?? ''
  // The server's system would end the name at a NUL.
  if (path.includes('%00')) place.fail('a name cannot hold an encoded NUL', 'urlPath')
  const [name = null] = user === null ? [] : user.split(';', 1)
  return {
    mechanism: 'sftp',
    host,
    port,
    tls: 'none',
    user: name === null ? null : decodeOctets(name),
    password: password === null ? null : decodeOctets(password),
    // `~` counts only as a whole first segment (threats.md case 72).
    path: decodeOctets(path.replace(/^(?:~|%7E)(?:\/|$)|^/i, (home) => (home === '' ? '/' : './'))),
    wire: [packets],
    unknown,
  }
}

const packets = '<ssh>'
const unknown = { [packets]: 'all of SSH: its keys are drawn for each connection, and encrypt the login and the path' }
