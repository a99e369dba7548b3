import { Listener, type ServerOptions, type TestServer } from '../listener.ts'
import { type FileOptions, seedTree } from '../seed.ts'
import { normalize, type Tree } from '../tree.ts'
import { FtpSession } from './session.ts'

export interface FtpServerOptions extends Omit<ServerOptions, 'tls'>, FileOptions {
  /** true: TLS from the first byte (ftps). 'explicit': AUTH TLS is offered (RFC 4217). Default false. */
  readonly tls?: boolean | 'explicit'
  /** The answer to `CWD ` with an empty argument: 250 and no move, or 501. Default 'stay'. */
  readonly nullCwd?: 'stay' | 'refuse'
  /** The directory after the login. Default `/`. */
  readonly home?: string
  /**
   * Data connections must resume the TLS session of their control connection, as vsftpd and proftpd demand. Default
   * false.
   */
  readonly sessionReuse?: boolean
}

/** An FTP server: RFC 959 with EPSV (RFC 2428), MLSD, SIZE, MDTM, REST (RFC 3659) and TLS (RFC 4217). Passive only. */
export async function startFtpServer(options: FtpServerOptions = {}): Promise<TestServer> {
  return startFtpOn(seedTree(options), options)
}

export async function startFtpOn(tree: Tree, options: FtpServerOptions): Promise<TestServer> {
  const { nullCwd = 'stay', sessionReuse = false } = options
  const home = Buffer.from(options.home ?? '/', 'utf8').toString('latin1')
  if (tree.get(home)?.kind !== 'directory') throw new TypeError(`home: expected a directory of the tree, got ${home}`)
  const settings = { tree, nullCwd, home: normalize(home), sessionReuse, explicitTls: options.tls === 'explicit' }
  const listener = new Listener(
    {
      name: 'ftp',
      scheme: 'ftp',
      ownTlsContexts: sessionReuse,
      serve: (connection, server) => new FtpSession(connection, server, settings).run(),
    },
    { ...options, tls: options.tls === true },
  )
  return listener.listen(options.port ?? 0)
}
