import type { Accounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { accounts, type Checks, checkOptions, flag, listOf } from '../options.ts'
import { serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer, tlsOrExplicit } from '../test-server.ts'
import { ImapSession } from './session.ts'

export interface ImapServerOptions extends Omit<ServerOptions, 'tls'> {
  /** true: TLS from the first octet (imaps). 'explicit': the server offers STARTTLS. Default false. */
  readonly tls?: boolean | 'explicit'
  /** Passwords by user. Default: alice with the password secret. */
  readonly accounts?: Accounts
  /** The logins that are offered: LOGIN, AUTHENTICATE PLAIN (RFC 4616), ANONYMOUS (RFC 4505). Default the first two. */
  readonly logins?: readonly ('login' | 'plain' | 'anonymous')[]
  /** Whether AUTHENTICATE takes its message in the command (RFC 4959), not only on the next line. Default true. */
  readonly initialResponse?: boolean
}

export const imapChecks: Checks<ImapServerOptions> = {
  ...serverChecks,
  tls: tlsOrExplicit,
  accounts,
  logins: listOf('login', 'plain', 'anonymous'),
  initialResponse: flag,
}

/** A read-only IMAP server (RFC 3501) with the same messages as the POP3 server. */
export async function startImapServer(options: ImapServerOptions = {}): Promise<TestServer> {
  checkOptions('startImapServer', options, imapChecks)
  const listener = new Listener(
    {
      name: 'imap',
      scheme: 'imap',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await new ImapSession(serverConnection(connection, server), options).run()
      },
    },
    { ...options, tls: options.tls === true },
  )
  return listener.listen(options.port ?? 0)
}
