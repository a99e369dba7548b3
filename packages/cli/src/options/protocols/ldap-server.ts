import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files in which OpenLDAP's clients look for every user's server, on Debian and on Fedora. */
const systemFiles = ['/etc/openldap/ldap.conf', '/etc/ldap/ldap.conf']

/**
 * The server for LDAP URLs that name none, as in ldap.conf(5): the first URI of $LDAPURI, else of the files, of which
 * later ones override earlier ones. Files of the current folder are not read, since a downloaded folder must not choose
 * a server.
 */
export function defaultLdapServer(env: NodeJS.ProcessEnv): string | undefined {
  if (env.LDAPNOINIT !== undefined) return undefined
  if (env.LDAPURI) return firstServer(env.LDAPURI)
  const home = (name: string): string[] => (env.HOME ? [join(env.HOME, name), join(env.HOME, `.${name}`)] : [])
  const files = [
    ...systemFiles,
    ...home('ldaprc'),
    ...(env.LDAPCONF ? [env.LDAPCONF] : []),
    ...(env.LDAPRC && !env.LDAPRC.includes('/') ? home(env.LDAPRC) : []),
  ]
  return files.map(serverIn).findLast((server) => server !== undefined)
}

/** The server that a file names; its last line `URI` applies. */
function serverIn(file: string): string | undefined {
  const lines = textOf(file).split('\n')
  return lines
    .map((line) => firstServer(/^URI\s(.*)/is.exec(line)?.[1] ?? ''))
    .findLast((server) => server !== undefined)
}

/** The first LDAP URI of several that are separated by blanks; undefined if there is none. */
function firstServer(uris: string): string | undefined {
  return uris.split(/\s+/).find((uri) => /^ldap[si]?:\/\/[!-~]*$/i.test(uri))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
