import type { Faults, Stall } from '../faults.ts'
import type { TestServer } from '../test-server.ts'

/** The fields of an event that the suite reads. */
export interface ContractEvent {
  readonly type: string
}

/** The options that the suite gives to clients. */
export interface ContractClientOptions {
  readonly fetchers?: readonly []
  readonly schemes?: readonly []
  readonly policy?: Readonly<Record<never, never>>
  readonly tls?: Readonly<Record<never, never>>
  readonly limits?: {
    readonly idleTimeout?: number
    readonly totalTimeout?: number
    readonly maxRetries?: number
    readonly maxSize?: number
  }
  readonly defaults?: { readonly newsServer?: string }
  readonly onEvent?: (event: ContractEvent) => void
}

/** The members of a representation that the suite uses. */
export interface ContractRepresentation extends AsyncDisposable, AsyncIterable<Uint8Array> {
  readonly url: string
  readonly kind: string
  readonly size: number | null
  readonly completeness: string
  readonly body: {
    getReader(): { read(): Promise<{ readonly value?: Uint8Array | undefined }>; cancel(): Promise<void> }
  }
  bytes(): Promise<Uint8Array>
  cancel(): Promise<void>
  entries(): AsyncIterable<{ readonly name: string; readonly kind: string; readonly url: string | null }>
}

/** Options of a retrieval that change what is sent. */
export interface ContractRequest {
  readonly head?: boolean
  readonly range?: readonly [number, number | null]
  readonly limit?: number
  readonly accept?: string
  readonly acceptLanguage?: string
  readonly http?: { readonly compressed?: boolean }
  readonly headers?: Readonly<Record<string, string | null>>
  readonly ifChangedSince?: Date
  readonly login?: { readonly user: string; readonly password: string }
  readonly digest?: boolean
  readonly count?: number
  readonly jsonMessages?: boolean
}

/** What a client explains about a URL; without a plan, the URL is wrong. */
export interface ContractExplanation {
  readonly url: string
  readonly plan?: { readonly wire: readonly string[]; readonly unknown?: Readonly<Record<string, string>> }
}

/** The members of a client of `@retriever/fetchers` that the suite uses. */
export interface ContractClient extends AsyncDisposable {
  retrieve(
    url: string,
    options?: { readonly signal?: AbortSignal; readonly base?: string } & ContractRequest,
  ): Promise<ContractRepresentation>
  explain(url: string, options?: ContractRequest): Promise<ContractExplanation>
  resolve(url: string): unknown
  close(): Promise<void>
}

/** A place to retrieve from, for one test: usually its own server, which is closed afterwards. */
export interface Place extends Partial<AsyncDisposable> {
  /** Absent if the mechanism connects to nothing. */
  readonly server?: TestServer
  /** The server that gets what is sent, if `server` is absent because its sockets outlive the retrievals. */
  readonly recipient?: TestServer
  /** The URL of an object that holds `bytes`. */
  readonly object: string
  /** The URL of something that does not exist. Absent if the protocol cannot tell. */
  readonly missing?: string
  /** The URL of a listing that has `entries`. Absent if the protocol has no listings. */
  readonly listing?: string
  /** The URL of an object whose retrieval logs in with this user and password, which the server does not know. */
  login?(user: string, password: string): string
}

/** What the suite needs to know about a mechanism. */
export interface Subject {
  /** The mechanism's name, for the names of the tests. */
  readonly mechanism: string
  /**
   * Makes a client that has the fetcher: `(options) => createClient({ ...options, schemes: [...], fetchers: [...] })`.
   */
  createClient(options?: ContractClientOptions): ContractClient
  /** Makes a place for one test, whose server plays the faults. */
  start(faults?: Faults): Promise<Place>
  /** The object's octets as the fetcher gives them, at least two. */
  readonly bytes: Uint8Array
  /** Some names in the listing. Default none. */
  readonly entries?: readonly string[]
  /**
   * Where a server goes silent, with the phase that the timeout must name. Absent if the mechanism connects to nothing.
   */
  readonly stalls?: readonly (readonly [stall: Stall, phase: string])[]
  /**
   * How many octets early a body ends although the server claims success; the client must notice it. Absent if only the
   * end of the connection ends a body.
   */
  readonly short?: number
  /** Further sets of options with which the object is retrieved, since they change what is sent. Default none. */
  readonly asked?: readonly ContractRequest[]
  /** What the client sends, when it is closed, to end a session that it kept: `QUIT`. Default nothing. */
  readonly farewell?: string
  /** Whether any octets are a valid answer, so that nothing shows a server of another protocol. Default false. */
  readonly unframed?: boolean
  /**
   * Whether a retrieval that ends early leaves the connection usable. The client then keeps it for others, and closes
   * it when it is closed itself. Default false.
   */
  readonly multiplexed?: boolean
}

/** The test functions of vitest, of node:test, or of a similar runner. */
export interface TestFunctions {
  describe(name: string, body: () => void): unknown
  test(name: string, body: () => Promise<void>): unknown
}

/** What each part of the suite gets. */
export interface Suite {
  readonly subject: Subject
  readonly test: TestFunctions['test']
  start(faults?: Faults): Promise<Place & AsyncDisposable>
}
