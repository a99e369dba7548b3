import type { Phase } from '@retriever/core'
import type { Faults, Stall, TestServer } from '@retriever/servers'

/** A place to retrieve from, for one test: usually a server of its own. */
export interface Place extends AsyncDisposable {
  /** Absent where nothing is connected to. */
  readonly server?: TestServer
  /** `object` holds `bytes`; `missing` is not there; `listing` has `entries`. */
  readonly object: string
  readonly missing: string
  /** Absent where the protocol knows no listings: HTTP. */
  readonly listing?: string
  /** An object whose retrieval logs in with this user and password; the server does not know them. */
  login?(user: string, password: string): string
}

/** The facts about a mechanism that the contract needs. */
export interface Subject {
  readonly mechanism: string
  start(faults?: Faults): Promise<Place>
  /** The object's octets, as the fetcher gives them. */
  readonly bytes: Uint8Array
  /** Some of the listing's names. */
  readonly entries: readonly string[]
  /** Where a server goes silent, and the phase that the timeout must name. */
  readonly stalls?: readonly (readonly [Stall, Phase])[]
  /** So many octets that a body ends early, though success is claimed, and that this must be noticed. */
  readonly short?: number
}

/** A place that is one server and the URLs under it. */
export function serverPlace(server: TestServer, urls: Omit<Place, 'server' | typeof Symbol.asyncDispose>): Place {
  return { ...urls, server, [Symbol.asyncDispose]: () => server.close() }
}
