import { type AccountOptions, type Accounts, accountChecks, seedAccounts } from '../accounts.ts'
import { FileListener } from '../files/file-listener.ts'
import { type FileOptions, fileChecks, ServedFiles } from '../files/served-files.ts'
import { normalize } from '../files/tree.ts'
import { type Checks, checkOptions, flag, text, word } from '../options.ts'
import { type FileServer, type ServerOptions, serverChecks, tlsOrExplicit } from '../test-server.ts'
import { octets } from '../text.ts'
import { FtpSession } from './session.ts'

export interface FtpServerOptions extends Omit<ServerOptions, 'tls'>, FileOptions, AccountOptions {
  /** true: TLS from the first octet (ftps). 'explicit': the server offers AUTH TLS (RFC 4217). Default false. */
  readonly tls?: boolean | 'explicit'
  /**
   * The answer to `CWD ` with an empty argument. 'stay': 250, and the directory stays; 'refuse': 501. Default 'stay'.
   */
  readonly nullCwd?: 'stay' | 'refuse'
  /** The directory after login. Default `/`. */
  readonly home?: string
  /**
   * Whether data connections must resume the TLS session of their control connection, as vsftpd and proftpd demand.
   * Default false.
   */
  readonly sessionReuse?: boolean
}

type OwnOptions = Omit<FtpServerOptions, keyof FileOptions>

export const ftpChecks: Checks<OwnOptions> = {
  ...serverChecks,
  ...accountChecks,
  tls: tlsOrExplicit,
  nullCwd: word('stay', 'refuse'),
  home: text,
  sessionReuse: flag,
}

/** bob needs the third step of RFC 959, 5.4: he gets 332, then sends ACCT. Any account is accepted. */
const SEED_ACCOUNTS: Accounts = { ...seedAccounts, bob: 'secret' }

/**
 * An FTP server: RFC 959 with EPSV (RFC 2428), MLSD, SIZE, MDTM, REST (RFC 3659) and TLS (RFC 4217). Passive mode only.
 */
export async function startFtpServer(options: FtpServerOptions = {}): Promise<FileServer> {
  checkOptions('startFtpServer', options, { ...ftpChecks, ...fileChecks })
  return startFtpOn(new ServedFiles(options), options)
}

/** Starts a server; its options must have been checked. */
export async function startFtpOn(tree: ServedFiles, options: OwnOptions): Promise<FileServer> {
  const { nullCwd = 'stay', sessionReuse = false, auth = 'none', accounts } = options
  const home = octets(options.home ?? '/')
  if (tree.get(home)?.kind !== 'directory') throw new TypeError(`home: expected a directory of the tree, got ${home}`)
  const settings = {
    tree,
    nullCwd,
    home: normalize(home),
    sessionReuse,
    explicitTls: options.tls === 'explicit',
    anonymous: auth === 'none',
    accounts: accounts ?? SEED_ACCOUNTS,
    wantsAccount: accounts === undefined ? 'bob' : undefined,
  }
  const listener = new FileListener(
    {
      name: 'ftp',
      scheme: 'ftp',
      ownTlsContexts: sessionReuse,
      serve: (connection, server) => new FtpSession(connection, server, settings).run(),
    },
    { ...options, tls: options.tls === true },
    tree,
  )
  return listener.listen(options.port ?? 0)
}
