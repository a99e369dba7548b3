import type { FindingOptions } from '@retriever/core/internal'
import type { AcceptedLogins, RequestLogin, RetrievalContext } from '../contract/fetcher.ts'
import type { Limits } from '../contract/limits.ts'
import type { CookieStore, Network, TlsOptions } from '../contract/network.ts'
import type { RetryOn } from '../contract/retries.ts'
import type { Step } from '../contract/steps.ts'
import type { EventListener } from '../kit/listeners.ts'
import type { Questions } from './credentials.ts'
import type { AddressBook } from './network/addresses.ts'
import type { ProxyChoice } from './network/proxy.ts'
import type { Rules } from './policy.ts'
import type { Registry } from './registry.ts'
import type { Steps } from './steps/index.ts'

/** The settings that a client gives to each of its retrievals. */
export interface Settings {
  readonly registry: Registry
  /** What happens to each URL. */
  readonly steps: Steps
  /** The caller's own among them. */
  readonly use: readonly Step[]
  readonly policy: Rules
  readonly limits: Limits
  /** The limits that the caller has set, for calls that change some of them. */
  readonly givenLimits: Partial<Limits>
  readonly resolving: FindingOptions
  readonly tls: TlsOptions
  readonly proxyFor: ProxyChoice
  readonly network: Network | undefined
  readonly addresses: AddressBook
  readonly credentials: Questions
  readonly acceptedLogins: AcceptedLogins
  readonly redirectLogin: ((url: string) => RequestLogin | null) | undefined
  readonly cookies: CookieStore | undefined
  readonly retryOn: RetryOn | undefined
  readonly onEvent: EventListener | undefined
  /** Undefined in the client's own. A copy that gets a further member takes V8 seven times as long. */
  readonly onHead: RetrievalContext['onHead']
  readonly onBody: ((octets: Uint8Array, id: number) => void) | undefined
  /** The number of the next retrieval. */
  readonly nextId: () => number
}
