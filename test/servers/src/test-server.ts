import { checkFaults, type Faults } from './faults.ts'
import type { Files } from './files/served-files.ts'
import { checkPort, loopbackAddress } from './loopback.ts'
import { type Check, type Checks, flag, word } from './options.ts'
import type { RecordedRequest } from './request.ts'

/** Options of every server. */
export interface ServerOptions {
  /** Loopback only: 127.0.0.0/8, ::1 or localhost. Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free port. */
  readonly port?: number
  /** TLS from the first byte, with a certificate signed by `testCa`. Default false. */
  readonly tls?: boolean
  readonly faults?: Faults
  /** Whether `requests`, `received` and `failures` are kept. Default true; false for a server that runs for days. */
  readonly record?: boolean
}

/** The checks of the options that all servers have. */
export const serverChecks: Checks<ServerOptions> = {
  host: (_name, value) => void loopbackAddress(value as string),
  port: (_name, value) => void checkPort(value as number),
  tls: flag,
  faults: checkFaults,
  record: flag,
}

/** For servers that offer TLS in mid-session, too. */
export const tlsOrExplicit: Check = word(true, false, 'explicit')

/** A running server. */
export interface TestServer {
  readonly protocol: string
  readonly host: string
  readonly port: number
  /** The root, with a slash at its end: `ftp://127.0.0.1:40123/`. */
  readonly url: string
  readonly tls: boolean
  /** Every command or request line, in order, without its line end, one char an octet. */
  readonly received: readonly string[]
  /** The same, each with its parts: method, target, header fields, time, connection. */
  readonly requests: readonly RecordedRequest[]
  /**
   * The errors that have ended connections, other than that the client left: octets which the server cannot read, and
   * errors of a `serve` of yours.
   */
  readonly failures: readonly Error[]
  /** Sockets open now, FTP data connections included: lets a test see that an abort closed them. */
  readonly connections: number
  /** Connections accepted so far, FTP data connections not included. */
  readonly accepted: number
  readonly faults: Faults
  /** Replaces all faults, for what happens from now on. */
  setFaults(faults: Faults): void
  /**
   * Forgets what was recorded and counted, and goes back to the faults, files and routes with which the server was
   * started. Open connections stay. For use between two tests.
   */
  reset(): void
  /** Settles when exactly `count` sockets are open. */
  waitForConnections(count: number): Promise<void>
  /** Destroys open sockets and stops. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A running server with files: HTTP, FTP, Gopher. */
export interface FileServer extends TestServer {
  /** Shows the seed and these files from now on, in place of the `files` that were given before. */
  setFiles(files: Files): void
}
