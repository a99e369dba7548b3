import type { Duplex } from 'node:stream'

/**
 * An interactive service as a stream: what is written goes to the service, and what is read is its text, in the octets
 * that it sent, with CR LF as the end of a line. `end()` says that no more input comes; the service may still answer.
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
  /** Whether the service shows what is typed, so that the app must not. */
  readonly echoes: boolean
  /** Whether the octets that are written go out as they are, without conversion of line ends. */
  readonly binary: boolean
  /** The names of the protocol's options that are in force, such as `server ECHO` and `client NAWS`. */
  readonly options: readonly string[]
  /** The octets of text that have come. */
  readonly received: number
  /**
   * Tells the service the size of the terminal, if it wants to know it, now or later. Throws `invalid-option` unless
   * both are whole numbers from 1 to 65535.
   */
  resize(columns: number, rows: number): void
  /** Sends a control function that is no text (RFC 854). Nothing is sent once the session has ended. */
  signal(name: SessionSignal): void
}

/** The control functions: Are You There, Break, Interrupt Process, Abort Output, No Operation. */
export type SessionSignal = 'are-you-there' | 'break' | 'interrupt' | 'abort-output' | 'nop'

/** The facts that the service may know of the user's side. Nothing but this is told, and only if the service asks. */
export interface SessionOptions {
  /**
   * True: the service may show what is typed, and get it character by character, as on a terminal. Default false: it is
   * asked to send no echo.
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
