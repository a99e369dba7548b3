import { checkFaults, type Faults } from './faults.ts'
import type { Files } from './files/served-files.ts'
import { checkPort, loopbackAddress } from './loopback.ts'
import { type Check, type Checks, flag, word } from './options.ts'
import type { RecordedRequest } from './request.ts'

/** Options of every server. */
export interface ServerOptions {
  /** Loopback only: 127.0.0.0/8, ::1 or localhost. Default 127.0.0.1. */
  readonly host?: string
  /** The port. Default 0: a free one. */
  readonly port?: number
  /** Whether TLS begins with the first octet, with a certificate that `testCa` signed. Default false. */
  readonly tls?: boolean
  readonly faults?: Faults
  /** Whether to keep `requests`, `received` and `failures`. Default true. Set it to false if a server runs for days. */
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

/** For servers that can also begin TLS in mid-session. */
export const tlsOrExplicit: Check = word(true, false, 'explicit')

/** A running server. */
export interface TestServer {
  readonly protocol: string
  readonly host: string
  readonly port: number
  /** The URL of the root, with a slash at its end: `ftp://127.0.0.1:40123/`. */
  readonly url: string
  readonly tls: boolean
  /** Every command or request line, in order, without its line end, one char an octet. */
  readonly received: readonly string[]
  /** The same requests, each with its parts: method, target, header fields, time, connection. */
  readonly requests: readonly RecordedRequest[]
  /**
   * The errors that ended connections, unless they only mean that the client left: octets that the server cannot read,
   * and errors of your own `serve`.
   */
  readonly failures: readonly Error[]
  /** How many sockets are open now, with FTP data connections. A test sees here that an abort closed them. */
  readonly connections: number
  /** How many connections were accepted so far, without FTP data connections. */
  readonly accepted: number
  readonly faults: Faults
  /** Replaces all faults from now on. */
  setFaults(faults: Faults): void
  /**
   * Forgets what was recorded and counted, and restores the faults, files and routes with which the server started.
   * Open connections stay. Use it between two tests.
   */
  reset(): void
  /** Resolves when exactly `count` sockets are open. */
  waitForConnections(count: number): Promise<void>
  /** Destroys open sockets, and stops the server. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A running server that has files: HTTP, FTP, Gopher. */
export interface FileServer extends TestServer {
  /** From now on shows the seed and these files, instead of the `files` given before. */
  setFiles(files: Files): void
}
