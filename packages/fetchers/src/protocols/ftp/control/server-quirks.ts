/** Known behaviour of one server, for the life of a fetcher. Undefined: not known yet; the quicker way is tried. */
export interface FtpQuirks {
  /** Whether the server takes several commands at a time. Some servers throw away all commands behind the first one. */
  pipelining: boolean | undefined
  /**
   * Whether EPSV for the next file may follow RETR at once. vsftpd, proftpd, pure-ftpd and inetutils answer it after
   * the transfer; pyftpdlib answers it at once, and drops the transfer.
   */
  prefetching: boolean | undefined
  /** The command that opens data connections; EPSV until it has failed. */
  passive: 'EPSV' | 'PASV'
  /** The command that is tried first. */
  readonly preferred: 'EPSV' | 'PASV'
  /** Whether a data connection by `passive` has been opened. */
  reached: boolean
  /** Whether files are retrieved from several directories: then PWD is sent, so that a session can go back. */
  severalDirectories: boolean
  /** Whether FEAT lists UTF8. */
  utf8: boolean | undefined
  /** Whether the server reads the control connection as Telnet (RFC 959): FF FF stands for an octet FF. */
  telnet: boolean
  /** Commands that the server does not know (500, 502): they are not sent again. */
  readonly unknown: Set<string>
}

/** Decisions that the fetcher's options make beforehand. */
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
