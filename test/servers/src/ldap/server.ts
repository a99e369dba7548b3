import { type AccountOptions, accountChecks, seedAccounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { type Checks, checkOptions, flag, wholeNumber } from '../options.ts'
import { type ServerOptions, serverChecks, type TestServer, tlsOrExplicit } from '../test-server.ts'
import { seedEntries } from './directory.ts'
import { LdapSession, type LdapSettings } from './session.ts'

export interface LdapServerOptions extends Omit<ServerOptions, 'tls'>, AccountOptions {
  /** true: TLS from the first octet (ldaps). 'explicit': the server offers StartTLS (RFC 4511 4.14). Default false. */
  readonly tls?: boolean | 'explicit'
  /** The most entries of one search; more give sizeLimitExceeded. Default 0: no limit. */
  readonly sizeLimit?: number
  /** The most entries of a page (RFC 2696); a larger page gives adminLimitExceeded. Default 0: no pages. */
  readonly pageLimit?: number
  /** Whether a bind by SASL EXTERNAL logs in. If not, it gives authMethodNotSupported. Default false. */
  readonly external?: boolean
}

export const ldapChecks: Checks<LdapServerOptions> = {
  ...serverChecks,
  ...accountChecks,
  tls: tlsOrExplicit,
  sizeLimit: wholeNumber,
  pageLimit: wholeNumber,
  external: flag,
}

/** A read-only directory: searches, simple binds and StartTLS (RFC 4511). It misbehaves below ou=misbehaviour. */
export async function startLdapServer(options: LdapServerOptions = {}): Promise<TestServer> {
  checkOptions('startLdapServer', options, ldapChecks)
  return startLdapOn(options)
}

/** Starts a server; its options must have been checked. */
export async function startLdapOn(options: LdapServerOptions): Promise<TestServer> {
  const settings: LdapSettings = {
    entries: seedEntries,
    accounts: options.accounts ?? seedAccounts,
    authRequired: options.auth === 'required',
    explicitTls: options.tls === 'explicit',
    sizeLimit: options.sizeLimit ?? 0,
    pageLimit: options.pageLimit ?? 0,
    external: options.external ?? false,
  }
  const listener = new Listener(
    {
      name: 'ldap',
      scheme: 'ldap',
      serve: (connection, server) => new LdapSession(connection, server, settings).run(),
    },
    { ...options, tls: options.tls === true },
  )
  return listener.listen(options.port ?? 0)
}
