import type { Faults, Stall } from '../faults.ts'
import type { TestServer } from '../test-server.ts'

/** The part of an event that the suite looks at. */
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

/** A retrieved resource, as the suite uses it. */
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
  readonly compressed?: boolean
  readonly headers?: Readonly<Record<string, string | null>>
  readonly ifChangedSince?: Date
  readonly login?: { readonly user: string; readonly password: string }
  readonly digest?: boolean
  readonly count?: number
  readonly jsonMessages?: boolean
}

/** What a client says about a URL; without a plan, the URL is wrong. */
export interface ContractExplanation {
  readonly url: string
  readonly plan?: { readonly wire: readonly string[]; readonly unknown?: Readonly<Record<string, string>> }
}

/** A client of `@retriever/fetchers`, as the suite uses it. */
export interface ContractClient extends AsyncDisposable {
  retrieve(
    url: string,
    options?: { readonly signal?: AbortSignal; readonly base?: string } & ContractRequest,
  ): Promise<ContractRepresentation>
  explain(url: string, options?: ContractRequest): Promise<ContractExplanation>
  resolve(url: string): unknown
  close(): Promise<void>
}

/** A place to retrieve from, for one test: usually a server of its own, which is closed afterwards. */
export interface Place extends Partial<AsyncDisposable> {
  /** Absent where nothing is connected to. */
  readonly server?: TestServer
  /** The server that gets what is sent, where `server` is absent because its sockets outlive the retrievals. */
  readonly recipient?: TestServer
  /** The URL of an object that holds `bytes`. */
  readonly object: string
  /** The URL of something that is not there. Absent where the protocol does not tell. */
  readonly missing?: string
  /** The URL of a listing that has `entries`. Absent where the protocol knows no listings. */
  readonly listing?: string
  /** The URL of an object whose retrieval logs in with this user and password; the server does not know them. */
  login?(user: string, password: string): string
}

/** The facts about a mechanism that the suite needs. */
export interface Subject {
  /** Its name, for the names of the tests. */
  readonly mechanism: string
  /** A client that has the fetcher: `(options) => createClient({ ...options, schemes: [...], fetchers: [...] })`. */
  createClient(options?: ContractClientOptions): ContractClient
  /** A place of its own for each test, whose server plays the faults. */
  start(faults?: Faults): Promise<Place>
  /** The object's octets, as the fetcher gives them: at least two. */
  readonly bytes: Uint8Array
  /** Some of the listing's names. Default none. */
  readonly entries?: readonly string[]
  /** Where a server goes silent, and the phase that the timeout must name. Absent where nothing is connected to. */
  readonly stalls?: readonly (readonly [stall: Stall, phase: string])[]
  /**
   * So many octets that a body ends early, though success is claimed, and that the client must notice. Absent where
   * only the end of the connection ends a body.
   */
  readonly short?: number
  /** Options with which the object is retrieved, too, since they change what is sent. Default none. */
  readonly asked?: readonly ContractRequest[]
  /** What ends a session that was kept for the next retrieval, when the client is closed: `QUIT`. Default nothing. */
  readonly farewell?: string
  /** Whether any octets are a right answer, so that a server of another protocol is not noticed. Default false. */
  readonly unframed?: boolean
  /**
   * Whether a retrieval that ends early leaves a connection in good order, which is kept for others and closes with the
   * client. Default false.
   */
  readonly multiplexed?: boolean
}

/** The test functions of vitest, of node:test, or of a like runner. */
export interface TestFunctions {
  describe(name: string, body: () => void): unknown
  test(name: string, body: () => Promise<void>): unknown
}

/** The values that the parts of the suite are given. */
export interface Suite {
  readonly subject: Subject
  readonly test: TestFunctions['test']
  start(faults?: Faults): Promise<Place & AsyncDisposable>
}
