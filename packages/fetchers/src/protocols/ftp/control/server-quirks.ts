/** What we learnt of one server while the fetcher lives. Undefined: not known yet, so we try the faster way. */
export interface FtpQuirks {
  /** Whether the server takes several commands at a time. Some servers throw away all commands after the first one. */
  pipelining: boolean | undefined
  /**
   * Whether EPSV for the next file may follow RETR at once. vsftpd, proftpd, pure-ftpd and inetutils answer it after
   * the transfer; pyftpdlib answers it at once and drops the transfer.
   */
  prefetching: boolean | undefined
  /** The command that opens data connections. It is EPSV until EPSV has failed. */
  passive: 'EPSV' | 'PASV'
  /** The command to try first. */
  readonly preferred: 'EPSV' | 'PASV'
  /** Whether a data connection by `passive` has been opened. */
  reached: boolean
  /** Whether files of several directories are retrieved. If so, we send PWD, so that a session can go back. */
  severalDirectories: boolean
  /** Whether FEAT lists UTF8. */
  utf8: boolean | undefined
  /** Whether the server reads the control connection as Telnet (RFC 959), where FF FF means an octet FF. */
  telnet: boolean
  /** Commands that the server does not know (500, 502). They are not sent again. */
  readonly unknown: Set<string>
}

/** What the fetcher's options decide in advance. */
export interface Preset {
  readonly epsv: boolean
  readonly pipelining: boolean
}

export function newFtpQuirks({ epsv, pipelining }: Preset): FtpQuirks {
  return {
    pipelining: pipelining ? undefined : false,
    prefetching: undefined,
    passive: epsv ? 'EPSV' : 'PASV',
    preferred: epsv ? 'EPSV' : 'PASV',
    reached: false,
    severalDirectories: false,
    utf8: undefined,
    telnet: true,
    unknown: new Set(),
  }
}
