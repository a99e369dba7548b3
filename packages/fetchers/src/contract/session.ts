import type { Duplex } from 'node:stream'

/**
 * An interactive service as a stream. What is written goes to the service; what is read is its text in the octets that
 * it sent, with CR LF as the end of a line. `end()` says that no more input comes; the service may still answer.
 * `destroy()` ends the connection at once. An error of the connection is a RetrievalError.
 *
 * The event `mode` comes each time that `echoes` changes.
 */
export interface Session extends Duplex {
  /** The URL without its password. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** The user that the URL suggests (RFC 4248 2); it is not sent. Null: none. */
  readonly user: string | null
  /** Whether the service shows what is typed. The app must not show it then. */
  readonly echoes: boolean
  /** Whether written octets are sent as they are, without conversion of line ends. */
  readonly binary: boolean
  /** The names of the protocol's options that are in force, such as `server ECHO` and `client NAWS`. */
  readonly options: readonly string[]
  /** How many octets of text have arrived. */
  readonly received: number
  /**
   * Tells the service the size of the terminal, now or when it asks. Throws `invalid-option` unless both are whole
   * numbers from 1 to 65535.
   */
  resize(columns: number, rows: number): void
  /** Sends a control function, which is no text (RFC 854). After the session has ended, it sends nothing. */
  signal(name: SessionSignal): void
}

/** The control functions: Are You There, Break, Interrupt Process, Abort Output, No Operation. */
export type SessionSignal = 'are-you-there' | 'break' | 'interrupt' | 'abort-output' | 'nop'

/** What the service may learn of the user's side. It is told nothing else, and only if it asks. */
export interface SessionOptions {
  /**
   * True: the service may echo what is typed, and gets it character by character, as on a terminal. Default false: it
   * is asked not to echo.
   */
  readonly echo?: boolean
  /** The width of the terminal in characters, 1 to 65535. Needs `rows`. */
  readonly columns?: number
  readonly rows?: number
  /** The type of the terminal, such as `xterm` (RFC 1091). */
  readonly terminalType?: string
  /** The X display, such as `host:0` (RFC 1096). */
  readonly displayLocation?: string
  /** Environment variables (RFC 1572), by name. */
  readonly environment?: Readonly<Record<string, string>>
  /** True: asks for octets without conversion in both directions (RFC 856). Default false. */
  readonly binary?: boolean
}
