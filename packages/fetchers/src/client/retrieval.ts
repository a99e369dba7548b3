import {
  type AccessPlan,
  adviceText,
  type ErrorCode,
  type Explained,
  explainResolution,
  formatLocator,
  type Mechanism,
  maskResolution,
  type Resolution,
  type ResolveOptions,
  RetrievalError,
  redact,
  resolve,
} from '@retriever/core'
import { Body } from '../body/body.ts'
import { type Hop, Representation } from '../body/representation.ts'
import { forgotten, tooLarge, withoutBody } from '../body/unread.ts'
import type { Deadline } from '../contract/deadline.ts'
import type { EmittedEvent } from '../contract/events.ts'
import type {
  AcceptedLogins,
  ErrorExtras,
  Fetcher,
  Handoff,
  Outcome,
  Redirect,
  RequestLogin,
  RequestOptions,
  RetrievalContext,
  Retrieved,
} from '../contract/fetcher.ts'
import type { Limits } from '../contract/limits.ts'
import type { NestedOptions } from '../contract/nested.ts'
import type { CookieStore, Network, ProxyServer, TlsOptions } from '../contract/network.ts'
import type { Retries, RetryOn } from '../contract/retries.ts'
import type { Session, SessionOptions } from '../contract/session.ts'
import { withDeadline } from '../kit/deadline.ts'
import { resumePoint } from '../kit/request-options.ts'
import { RetryBudget } from '../kit/retry.ts'
import { StepStopwatch } from '../kit/stopwatch.ts'
import { knownCharset } from '../kit/text/text.ts'
import { askCredentials, type Questions } from './credentials.ts'
import { type EventListener, EventSink } from './event-sink.ts'
import { checkHandoff, handoffError } from './handoff/handoff.ts'
import { handoffOf } from './handoff/handoff-of.ts'
import { tellPassedOver } from './honoured.ts'
import { checkNested, type Nesting, nest, outerIsOver, outermost } from './nested.ts'
import type { AddressBook } from './network/addresses.ts'
import type { ProxyChoice } from './network/proxy.ts'
import { remarkOf, route, tunnelIfMoved } from './network/route.ts'
import {
  enforce,
  enforceAccess,
  enforceDirect,
  enforceNetwork,
  enforceRedirect,
  proxyAddresses,
  type Rules,
} from './policy.ts'
import {
  isFromHere,
  isSameOrigin,
  redirectTarget,
  remarkLeftOut,
  requestForOtherOrigin,
  tlsForOtherOrigin,
  tooManyRedirects,
  withReferer,
} from './redirect.ts'
import { isService, noFetcher, type Registry } from './registry.ts'
import type { Rostered } from './roster.ts'
import { noSession } from './service.ts'
import { isTraced, Trace } from './trace.ts'

/** The settings that a client gives to each of its retrievals. */
export interface Settings {
  readonly registry: Registry
  readonly policy: Rules
  readonly limits: Limits
  /** The limits that the caller has set, for calls that change some of them. */
  readonly givenLimits: Partial<Limits>
  readonly resolving: ResolveOptions
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
  readonly onHead?: RetrievalContext['onHead']
  readonly onBody?: ((octets: Uint8Array, id: number) => void) | undefined
  /** The number of the next retrieval. */
  readonly nextId: () => number
}

/**
 * The outcome of one hop, and the mechanism that brought it; it differs from the plan's if a proxy is asked for the
 * URL.
 */
interface Hopped {
  readonly outcome: Outcome
  readonly mechanism: Mechanism
  readonly context: RetrievalContext
}

interface Way {
  /** Undefined for a service that no fetcher knows. */
  readonly fetcher: Fetcher | undefined
  readonly routed: AccessPlan
  readonly proxy: ProxyServer | null
}

/** One retrieval under one deadline, from a resolution over all redirects to its outcome. */
export class Retrieval implements Rostered {
  slot = -1
  readonly #settings: Settings
  #request: RequestOptions
  #nesting: Nesting
  readonly #deadline: Deadline
  readonly #redirects: Hop[] = []
  readonly #finished: () => void
  readonly #retries: Retries
  /** The retrievals that its fetchers have begun, and that are not over. */
  #nested: Set<Retrieval> | undefined
  #isOver = false
  readonly #id: number
  readonly #events: EventSink
  readonly #stopwatch = new StepStopwatch()
  #trace: Trace | undefined
  /** The body of the representation that run() has given; null: there is none, or not yet. */
  body: Body | null = null
  /** True: a redirect set cookies. */
  #cookiesCame = false

  constructor(
    settings: Settings,
    request: RequestOptions,
    deadline: Deadline,
    finished: () => void,
    nesting: Nesting = outermost(settings.tls),
  ) {
    this.#settings = settings
    this.#retries = new RetryBudget(settings.retryOn)
    this.#request = request
    this.#nesting = nesting
    this.#finished = finished
    this.#deadline = deadline
    this.#id = settings.nextId()
    this.#events = new EventSink(settings.onEvent, this.#id, this.#deadline)
  }

  /** Ends the retrieval in any state. */
  abort(error: RetrievalError): void {
    this.#deadline.fail(error)
  }

  run(first: Resolution): Promise<Representation | Handoff> {
    if (!isTraced()) return this.#run(first)
    this.#trace = new Trace({ id: this.#id, url: redact(first.url), mechanism: first.plan.mechanism })
    return this.#trace.run(() => this.#run(first))
  }

  /** Opens the service that a URL names. The retrieval is over when the session is. */
  async connect(resolution: Resolution, options: SessionOptions): Promise<Session> {
    const context = this.#context(resolution)
    try {
      if (context.hasListener) context.emit(this.#resolved(resolution, context.url))
      enforce(this.#settings.policy, resolution)
      const { fetcher, routed, proxy } = await this.#way(resolution, context)
      if (fetcher?.connect === undefined) throw noSession(resolution, context)
      const session = await fetcher.connect(routed, { ...context, proxy }, options)
      session.once('close', () => {
        const { errored } = session
        this.#done(RetrievalError.is(errored) ? errored : null, session.received, context)
      })
      return session
    } catch (error) {
      const failure = RetrievalError.is(error) ? error : unexpected(context, error)
      return this.#end(failure, context, Promise.reject<never>(failure))
    }
  }

  async #run(first: Resolution): Promise<Representation | Handoff> {
    let resolution = first
    try {
      while (true) {
        resolution = this.#throughGateway(resolution)
        const hop = await this.#hop(resolution, this.#context(resolution))
        const { outcome, context } = hop
        if (outcome.outcome === 'redirect') resolution = this.#follow(resolution, outcome, context)
        else if (outcome.outcome === 'retrieved') return await this.#represent(first, resolution, outcome, hop)
        else if (outcome.outcome === 'handoff') return this.#end(null, context, checkHandoff(outcome, context))
        else
          throw new TypeError(
            `expected retrieved, redirect or handoff as the outcome of the fetcher "${hop.mechanism}"`,
          )
      }
    } catch (error) {
      const context = this.#context(resolution)
      const failure = RetrievalError.is(error) ? error : unexpected(context, error)
      return this.#end(failure, context, Promise.reject<never>(failure))
    }
  }

  /** Performs one hop, and tries it again after an error that may pass: the caller has received nothing yet. */
  async #hop(resolution: Resolution, context: RetrievalContext): Promise<Hopped> {
    if (context.hasListener) context.emit(this.#resolved(resolution, context.url))
    enforce(this.#settings.policy, resolution)
    while (true) {
      const deadline = this.#deadline.attempt()
      const trying = withDeadline(context, deadline)
      try {
        const tried = await this.#attempt(resolution, trying)
        if (tried.outcome.outcome !== 'retrieved') deadline.end()
        return { ...tried, context: trying }
      } catch (error) {
        deadline.end()
        this.#endNested()
        this.#deadline.throwIfAborted()
        const offset = resumePoint(this.#request)?.offset
        if (!(await this.#retries.again(error, context, offset))) throw this.#retries.final(error)
        this.#stopwatch.again('retried')
      }
    }
  }

  /** The plan is masked when a listener looks at it: that takes as long as many steps of a small retrieval. */
  #resolved(resolution: Resolution, url: string): EmittedEvent {
    const { resolving } = this.#settings
    let plan: AccessPlan | undefined
    let explanation: Explained | undefined
    return {
      type: 'resolved',
      url,
      get plan() {
        plan ??= maskResolution(resolution, resolving).plan
        return plan
      },
      findings: resolution.findings.map((finding) => ({ ...finding, message: redact(finding.message) })),
      get explanation() {
        explanation ??= explainResolution(resolution, resolving)
        return explanation
      },
    }
  }

  async #attempt(resolution: Resolution, context: RetrievalContext): Promise<Omit<Hopped, 'context'>> {
    const { fetcher, routed, proxy } = await this.#way(resolution, context)
    if (fetcher === undefined) return { outcome: handoffOf(resolution), mechanism: routed.mechanism }
    const outcome = await fetcher.retrieve(routed, { ...context, proxy })
    const remark = outcome.outcome === 'retrieved' ? remarkOf(resolution.plan, routed, proxy) : null
    if (remark !== null) context.emit({ type: 'remark', url: context.url, ...remark })
    tellPassedOver(fetcher, this.#settings.registry.about(fetcher.mechanism), outcome, context)
    return { outcome, mechanism: routed.mechanism }
  }

  /** The fetcher for a URL, its plan, and the proxy on the way. A service without a fetcher has a program. */
  async #way(resolution: Resolution, context: RetrievalContext): Promise<Way> {
    const { policy, registry, network } = this.#settings
    const { plan, scheme } = resolution
    enforceNetwork(policy, resolution, network)
    const proxy = await this.#proxyFor(resolution)
    enforceDirect(policy, resolution, proxy, await proxyAddresses(policy, proxy, context))
    const routed = route(plan, proxy)
    const fetcher = await registry.get(routed.mechanism)
    this.#deadline.throwIfAborted()
    if (fetcher === undefined && !isService(scheme, registry)) {
      throw noFetcher(scheme, routed.mechanism, registry, context)
    }
    return { fetcher, routed, proxy }
  }

  /** Chooses the proxy for each hop: one host's proxy and its login are not used for another (threats.md case 50). */
  async #proxyFor({ plan, scheme }: Resolution): Promise<ProxyServer | null> {
    const { network } = this.#settings
    if (!('port' in plan) || plan.host === null || plan.host === '' || network?.socketPath !== undefined) return null
    const target = { scheme: scheme.name, host: plan.host, port: plan.port }
    const chosen = this.#settings.proxyFor(target)
    const proxy = await (chosen instanceof Promise ? this.#deadline.unlimited(() => chosen) : chosen)
    return tunnelIfMoved(proxy, network)
  }

  /** The resolution of the URL at the gateway, which is another origin; without a gateway, the same resolution. */
  #throughGateway(resolution: Resolution): Resolution {
    const { gateway } = resolution
    if (gateway === undefined) return resolution
    const context = this.#context(resolution)
    if (context.hasListener) context.emit(this.#resolved(resolution, context.url))
    enforce(this.#settings.policy, resolution)
    const { gateways: _gateways, ...resolving } = this.#settings.resolving
    this.#request = requestForOtherOrigin(this.#request)
    const tls = tlsForOtherOrigin(this.#nesting.tls)
    this.#nesting = { ...this.#nesting, isOtherOrigin: true, isAtGateway: true, tls }
    return resolve(gateway, resolving)
  }

  #noLoginForGateway(url: string): null {
    const advice = { option: 'gateways', value: 'SCHEME' } as const
    const message = `The gateway wants a login of its own, and gets none of yours: write it in ${adviceText(advice)}.`
    this.#events.emit({ type: 'remark', url, message, advice }, () => url)
    return null
  }

  /** Follows a redirect (RFC 9110 15.4) by the rules of the policy. */
  #follow(from: Resolution, redirect: Redirect, context: RetrievalContext): Resolution {
    const { location, status } = redirect
    const { policy, limits, resolving } = this.#settings
    this.#cookiesCame ||= redirect.setsCookies === true && this.#settings.cookies === undefined
    const maxRedirects = Math.min(limits.maxRedirects, redirect.maxRedirects ?? limits.maxRedirects)
    if (this.#redirects.length >= maxRedirects) {
      throw tooManyRedirects(redirect, this.#cookiesCame, { ...context, limits: { ...limits, maxRedirects } })
    }
    const to = redirectTarget(from, redirect, resolving, context)
    const isFromInside = isFromHere(from, redirect)
    if (redirect.isAccess === true) {
      enforceAccess(policy, from, to, isFromInside)
      const { followAccess: _done, ...request } = this.#request
      this.#request = request
    } else enforceRedirect(policy, from, to, isFromInside)
    const isPointedTo = !isFromInside && !policy.allowInward
    this.#nesting = { ...this.#nesting, isPointedTo, isNamedByServer: true, base: undefined }
    if (!isSameOrigin(from, to)) {
      // The dropped fields stay dropped, even if a later redirect leads back (threats.md case 15).
      const request = requestForOtherOrigin(this.#request)
      remarkLeftOut(this.#request, request, to, context)
      const login = this.#settings.redirectLogin?.(to.url) ?? null
      this.#request = login === null ? request : { ...request, login }
      this.#nesting = { ...this.#nesting, isOtherOrigin: true, tls: tlsForOtherOrigin(this.#nesting.tls) }
    }
    this.#request = withReferer(this.#request, from, to)
    this.#redirects.push({ url: context.url, status, location: redact(location) })
    this.#stopwatch.again('redirected')
    context.emit({ type: 'redirected', url: context.url, location: to.url, status })
    return to
  }

  async #represent(
    requested: Resolution,
    resolution: Resolution,
    outcome: Retrieved,
    { mechanism, context }: Hopped,
  ): Promise<Representation> {
    this.#stopwatch.responded()
    const { head, charset, range, resumeFrom } = this.#request
    const named = charset === undefined ? outcome : { ...outcome, charset: knownCharset(charset) }
    const retrieved = head === true ? await withoutBody(named) : named
    if (head !== true && (named.size ?? 0) > context.limits.maxSize) throw await tooLarge(named, context)
    const body = new Body(retrieved, context, (error, received) => this.#done(error, received, context))
    this.body = body
    // The body is empty, so the caller need not read or cancel it, not even in a batch.
    if (head === true) body.finish()
    const { maxCollected } = this.#settings.limits
    const representation = new Representation(retrieved, body, {
      url: context.url,
      requested,
      mechanism,
      findings: resolution.findings,
      redirects: this.#redirects,
      stopwatch: this.#stopwatch,
      maxCollected,
      asked: range !== undefined ? 'range' : resumeFrom !== undefined ? 'rest' : 'whole',
    })
    if (!body.isOver) forgotten.register(representation, body)
    // The type of the mechanism's fetcher has checked the metadata.
    return representation as Representation
  }

  /** Carries out RetrievalContext.retrieve for the fetcher of `from`. */
  async #retrieveWithin(from: Resolution, url: string, options: NestedOptions = {}): Promise<Representation> {
    checkNested(options)
    this.#deadline.throwIfAborted()
    if (this.#isOver) throw outerIsOver()
    const { pointedTo: _, ...request } = options
    const { to, nesting } = nest(from, url, options, this.#nesting, this.#settings)
    const all = this.#nested ?? new Set()
    this.#nested = all
    const over = (): boolean => all.delete(nested)
    const nested = new Retrieval(this.#settings, request, this.#deadline.attempt(to.url), over, nesting)
    all.add(nested)
    const opened = await nested.run(to)
    if (opened instanceof Representation) return opened
    throw handoffError(to.url, opened)
  }

  #endNested(): void {
    for (const nested of this.#nested ?? []) nested.abort(outerIsOver())
  }

  #end<T>(error: RetrievalError | null, context: RetrievalContext, result: T): T {
    this.#done(error, 0, context)
    return result
  }

  #done(error: RetrievalError | null, received: number, context: RetrievalContext): void {
    this.#deadline.end()
    this.#isOver = true
    this.#endNested()
    this.#stopwatch.ended()
    // The same error may end several retrievals, such as that of the caller's signal.
    if (error !== null && error.redirects.length === 0) {
      error.redirects = this.#redirects.map((hop) => ({ ...hop, url: redact(hop.url) }))
    }
    if (context.hasListener || this.#trace !== undefined) {
      const { timings } = this.#stopwatch
      context.emit({ type: 'done', url: context.url, received, error, timings })
      this.#trace?.done(error, received, timings)
    }
    this.#finished()
  }

  #context(resolution: Resolution): RetrievalContext {
    const deadline = this.#deadline
    const { limits, credentials, acceptedLogins, addresses, onBody } = this.#settings
    const url = formatLocator({ ...resolution.locator, password: null })
    let redacted: string | undefined
    // Only events and errors show it.
    const shownUrl = (): string => {
      redacted ??= redact(url)
      return redacted
    }
    return {
      url,
      deadline,
      limits,
      tls: this.#nesting.tls,
      proxy: null,
      network: this.#settings.network,
      addresses: this.#nesting.isPointedTo ? addresses.pointedTo : addresses.asked,
      request: this.#request,
      retries: this.#retries,
      stopwatch: this.#stopwatch,
      isOtherOrigin: this.#nesting.isOtherOrigin,
      isAtGateway: this.#nesting.isAtGateway,
      base: this.#nesting.base,
      // RFC 1738 4: the caller's logins are for the URL's own server, even if the gateway has the same host and port.
      ...(this.#nesting.isAtGateway
        ? { credentials: async () => this.#noLoginForGateway(shownUrl()) }
        : { credentials: (challenge) => askCredentials(credentials, challenge, deadline), acceptedLogins }),
      retrieve: (reference, options) => this.#retrieveWithin(resolution, reference, options),
      handoff: () => handoffOf(resolution),
      emit: (event) => this.#events.emit(event, shownUrl),
      cookies: this.#settings.cookies,
      onHead: this.#settings.onHead,
      onBody: onBody && ((octets) => onBody(octets, this.#id)),
      hasListener: this.#events.isHeard,
      error: (code: ErrorCode, message: string, extras: ErrorExtras = {}) =>
        new RetrievalError(code, `${shownUrl()}: ${redact(message)}`, {
          phase: deadline.phase,
          url,
          ...extras,
          // A server's reply may repeat secrets of the request.
          ...(extras.reply !== undefined && { reply: redact(extras.reply) }),
        }),
    }
  }
}

/** The error for any other error of a fetcher, which is a defect: fetchers must throw RetrievalErrors. */
function unexpected(context: RetrievalContext, cause: unknown): RetrievalError {
  return context.error('receive-failed', `Unexpected error (${String(cause)}); please report it.`, { cause })
}
