/**
 * What has been found out about one server, for the life of a fetcher: how it likes to be spoken to. Undefined: not known yet,
 * so the quicker way is tried.
 */
export interface ServerQuirks {
  /** Whether it takes several commands at a time. Some throw away what has come behind the first one. */
  pipelining: boolean | undefined
  /**
   * Whether EPSV may follow RETR at once, for the next file. vsftpd, proftpd, pure-ftpd and inetutils answer it after the
   * transfer; pyftpdlib does so at once, and drops the transfer.
   */
  ahead: boolean | undefined
  /** Which of the two opens data connections; EPSV until it has failed. */
  passive: 'EPSV' | 'PASV'
  /** The one to begin with. */
  readonly preferred: 'EPSV' | 'PASV'
  /** Whether data connections by `passive` have come about. */
  reached: boolean
  /** Whether its files are retrieved out of several directories, so that one must be able to go back: PWD is asked for. */
  severalDirectories: boolean
  /** Whether FEAT lists UTF8. */
  utf8: boolean | undefined
  /** Whether it reads the control connection as RFC 959 has it, as a Telnet one: FF FF for an octet FF. */
  telnet: boolean
  /** Commands that it does not know (500, 502): not asked again. */
  readonly unknown: Set<string>
}

/** What a fetcher's options settle beforehand. */
export interface Preset {
  readonly epsv: boolean
  readonly pipelining: boolean
}

/** The quirks of all servers that a fetcher has met, by host and port. */
export class QuirksByServer {
  readonly #servers = new Map<string, ServerQuirks>()
  readonly #preset: Preset

  constructor(preset: Preset) {
    this.#preset = preset
  }

  of(server: string): ServerQuirks {
    const known = this.#servers.get(server)
    if (known !== undefined) return known
    const { epsv, pipelining } = this.#preset
    const quirks: ServerQuirks = {
      pipelining: pipelining ? undefined : false,
      ahead: undefined,
      passive: epsv ? 'EPSV' : 'PASV',
      preferred: epsv ? 'EPSV' : 'PASV',
      reached: false,
      severalDirectories: false,
      utf8: undefined,
      telnet: true,
      unknown: new Set(),
    }
    this.#servers.set(server, quirks)
    return quirks
  }
}
