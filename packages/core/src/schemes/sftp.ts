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
  lineParts: ['user', 'password', 'urlPath'],
  // The URL names no terminal session, but ssh would get the same arguments.
  program: true,
  resolve: sftpPlan,
}

function sftpPlan({ user, password, urlPath }: Locator, { host, port }: Place): SftpPlan {
  // Parameters such as ;fingerprint= belong to the login, not to its name (the draft's 2.3).
  const path = urlPath ?? ''
  const [name = null] = user === null ? [] : user.split(';', 1)
  return {
    mechanism: 'sftp',
    host,
    port,
    tls: 'none',
    user: name === null ? null : decodeOctets(name),
    password: password === null ? null : decodeOctets(password),
    // `~` counts only as a whole first segment (security.md case 72).
    path: decodeOctets(path.replace(/^(?:~|%7E)(?:\/|$)|^/i, (home) => (home === '' ? '/' : './'))),
    wire: [],
  }
}
