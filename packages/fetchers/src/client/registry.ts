import { adviceText, type Mechanism, RetrievalError, type Scheme } from '@retriever/core'
import type { Fetcher, RetrievalContext } from '../contract/fetcher.ts'
import { invalidOption } from '../kit/limits.ts'
import { count, type OptionKind } from '../kit/options.ts'
import type { NfsOptions } from '../protocols/nfs/options.ts'
import { maxDepth } from '../protocols/nntp/connection/server-quirks.ts'
import type { SshOptions } from '../protocols/sftp/options.ts'
import { checkHonours } from './honoured.ts'

/** The client's options that built-in fetchers are made with. */
interface BuiltinSettings {
  readonly localHosts: readonly string[]
  readonly ssh: SshOptions
  readonly nfs: NfsOptions
}

/** The built-in fetchers by mechanism, one a line. Each is loaded on its first use. */
const builtin: { readonly [M in Mechanism]?: (settings: BuiltinSettings) => Promise<Fetcher<M>> } = {
  ftp: async () => (await import('../protocols/ftp/index.ts')).ftpFetcher(),
  http: async () => (await import('../protocols/http/index.ts')).httpFetcher(),
  gopher: async () => (await import('../protocols/gopher/index.ts')).gopherFetcher(),
  nntp: async () => (await import('../protocols/nntp/index.ts')).nntpFetcher(),
  ldap: async () => (await import('../protocols/ldap/index.ts')).ldapFetcher(),
  sftp: async ({ ssh }) => (await import('../protocols/sftp/index.ts')).sftpFetcher(ssh),
  nfs: async ({ nfs }) => (await import('../protocols/nfs/index.ts')).nfsFetcher(nfs),
  pop3: async () => (await import('../protocols/pop3/index.ts')).pop3Fetcher(),
  imap: async () => (await import('../protocols/imap/index.ts')).imapFetcher(),
  ws: async () => (await import('../protocols/ws/index.ts')).wsFetcher(),
  mqtt: async () => (await import('../protocols/mqtt/index.ts')).mqttFetcher(),
  telnet: async () => (await import('../protocols/telnet/index.ts')).telnetFetcher(),
  tn3270: async () => (await import('../protocols/tn3270/index.ts')).tn3270Fetcher(),
  urn: async () => (await import('../protocols/urn/index.ts')).urnFetcher(),
  mailto: async () => (await import('../protocols/mailto/index.ts')).mailtoFetcher(),
  mailserver: async () => (await import('../protocols/mailserver/index.ts')).mailserverFetcher(),
  message: async () => (await import('../protocols/message/index.ts')).messageFetcher(),
  data: async () => (await import('../protocols/data/index.ts')).dataFetcher(),
  finger: async () => (await import('../protocols/finger/index.ts')).fingerFetcher(),
  wais: async () => (await import('../protocols/wais/index.ts')).waisFetcher(),
  z3950: async () => (await import('../protocols/z3950/index.ts')).z3950Fetcher(),
  dict: async () => (await import('../protocols/dict/index.ts')).dictFetcher(),
  gemini: async () => (await import('../protocols/gemini/index.ts')).geminiFetcher(),
  rtsp: async () => (await import('../protocols/rtsp/index.ts')).rtspFetcher(),
  tftp: async () => (await import('../protocols/tftp/index.ts')).tftpFetcher(),
  prospero: async () => (await import('../protocols/prospero/index.ts')).prosperoFetcher(),
  file: async (settings) => (await import('../protocols/file/index.ts')).fileFetcher(settings),
  afs: async () => (await import('../protocols/afs/index.ts')).afsFetcher(),
  man: async () => (await import('../protocols/man/index.ts')).manFetcher(),
  info: async () => (await import('../protocols/info/index.ts')).infoFetcher(),
  whatis: async () => (await import('../protocols/whatis/index.ts')).whatisFetcher(),
  ghelp: async () => (await import('../protocols/ghelp/index.ts')).ghelpFetcher(),
  toc: async () => (await import('../protocols/toc/index.ts')).tocFetcher(),
}

/** The Fetcher.inFlight of built-in fetchers, which is needed before they are loaded. */
const inFlight: { readonly [M in Mechanism]?: number } = { nntp: maxDepth }

/** The mechanisms of the built-in fetchers. */
export const builtinMechanisms: readonly Mechanism[] = Object.keys(builtin).filter((name) => isBuiltin(name))

function isBuiltin(name: string): name is Mechanism {
  return Object.hasOwn(builtin, name)
}

/** Makes a fetcher of the same mechanism that stands before another one. */
type Wrap = <M extends Mechanism>(fetcher: Fetcher<M>) => Fetcher<M>

/** The fetchers of each client. */
const registries = new WeakMap<object, Registry>()

/** The fetchers of a client; undefined if this copy of the package did not make it. */
export function registryOf(client: object): Registry | undefined {
  return registries.get(client)
}

/** ClientOptions.builtins. */
export const builtinList: OptionKind = [
  `false, or an array of mechanisms: ${builtinMechanisms.join(', ')}`,
  (value) => value === false || (Array.isArray(value) && value.every((each) => builtinMechanisms.includes(each))),
]

/** The number of open clients that have each of the callers' fetchers: one fetcher may be given to several. */
const clients = new WeakMap<Fetcher, number>()

/** The fetchers of one client. The caller's own take precedence over the built-in ones. */
export class Registry {
  readonly #own: readonly Fetcher[]
  readonly #settings: BuiltinSettings
  /** The built-in fetchers that this client has. */
  readonly #builtins: ReadonlySet<string>
  #loaded: { [M in Mechanism]?: Promise<Fetcher<M>> } = {}
  readonly #inFlight: { [M in Mechanism]?: number } = {}
  readonly #observers = new Set<Wrap>()

  /** Throws `invalid-option` if two fetchers have the same mechanism, or one is not a fetcher. */
  constructor(
    own: readonly Fetcher[] = [],
    localHosts: readonly string[] = [],
    builtins: readonly string[] | false = builtinMechanisms,
    ssh: SshOptions = {},
    nfs: NfsOptions = {},
  ) {
    this.#settings = { localHosts, ssh, nfs }
    this.#builtins = new Set(builtins === false ? [] : builtins)
    for (const fetcher of own) {
      if (typeof fetcher?.mechanism !== 'string' || typeof fetcher.retrieve !== 'function') {
        throw invalidOption('fetchers', 'a list of objects with `mechanism` and `retrieve`', fetcher)
      }
      if (Object.hasOwn(this.#loaded, fetcher.mechanism)) {
        throw invalidOption('fetchers', `one fetcher for "${fetcher.mechanism}"`, 'two')
      }
      if (fetcher.inFlight !== undefined && !count[1](fetcher.inFlight)) {
        throw invalidOption(`${fetcher.mechanism}.inFlight`, count[0], fetcher.inFlight)
      }
      checkHonours(fetcher)
      this.#keep(fetcher.mechanism, Promise.resolve(fetcher))
      this.#inFlight[fetcher.mechanism] = fetcher.inFlight ?? 1
    }
    this.#own = [...own]
  }

  /** The mechanisms of the caller's fetchers. */
  get own(): readonly Mechanism[] {
    return this.#own.map(({ mechanism }) => mechanism)
  }

  /** Makes each retrieval from now on pass `wrap`'s fetchers. The function returned ends that. */
  observe(wrap: Wrap): () => void {
    this.#observers.add(wrap)
    return () => this.#observers.delete(wrap)
  }

  /** Counts the client as one that has these fetchers, until dispose(). */
  hold(client: object): void {
    registries.set(client, this)
    for (const fetcher of this.#own) clients.set(fetcher, (clients.get(fetcher) ?? 0) + 1)
  }

  /** The number of retrievals that share one connection. */
  inFlight(mechanism: Mechanism): number {
    return this.#inFlight[mechanism] ?? inFlight[mechanism] ?? 1
  }

  /** The fetcher of a mechanism, behind its observers; undefined if there is none. */
  get<M extends Mechanism>(mechanism: M): Promise<Fetcher<M>> | undefined {
    const found = this.#find(mechanism)
    if (this.#observers.size === 0) return found
    return found?.then((fetcher) => [...this.#observers].reduce((inner, wrap) => wrap(inner), fetcher))
  }

  #find<M extends Mechanism>(mechanism: M): Promise<Fetcher<M>> | undefined {
    if (Object.hasOwn(this.#loaded, mechanism)) return this.#loaded[mechanism]
    const loading = this.#builtins.has(mechanism) ? builtin[mechanism]?.(this.#settings) : undefined
    if (loading === undefined) return
    const loaded = loading.catch((cause) => Promise.reject(notLoaded(mechanism, cause)))
    this.#keep(mechanism, loaded)
    return loaded
  }

  /** Whether a built-in fetcher exists that this client does not have. */
  isSwitchedOff(mechanism: Mechanism): boolean {
    return Object.hasOwn(builtin, mechanism) && !this.#builtins.has(mechanism)
  }

  #keep<M extends Mechanism>(mechanism: M, fetcher: Promise<Fetcher<M>>): void {
    this.#loaded = { ...this.#loaded, [mechanism]: fetcher }
  }

  /**
   * Disposes of all fetchers, even if one fails; then rejects with the first failure. Fetchers that another open client
   * has too are left to that client.
   */
  async dispose(): Promise<void> {
    // A fetcher that could not be loaded has failed its retrieval already, and holds nothing.
    const loading: Promise<Fetcher>[] = Object.values(this.#loaded)
    this.#loaded = {}
    const loaded = await Promise.allSettled(loading)
    const fetchers = loaded.flatMap((each) => (each.status === 'fulfilled' && isLast(each.value) ? [each.value] : []))
    const ended = await Promise.allSettled(fetchers.map(async (fetcher) => fetcher.dispose?.()))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
}

/** The error for a bundle that lacks a module, or `require`. */
function notLoaded(mechanism: Mechanism, cause: unknown): RetrievalError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const advice = 'If this program is a bundle, see "Bundling" in the guide of the library.'
  const message = `The fetcher for "${mechanism}" could not be loaded: ${reason}. ${advice}`
  return new RetrievalError('no-fetcher', message, { phase: 'resolve', cause })
}

/** Removes one client from a fetcher's count, and says whether it was the last. */
function isLast(fetcher: Fetcher): boolean {
  const others = (clients.get(fetcher) ?? 1) - 1
  clients.set(fetcher, others)
  return others === 0
}

/** Whether a URL without a fetcher is handed over: its scheme names a service, and no fetcher was left out. */
export function isService({ handoff = false, mechanism }: Scheme, registry: Registry): boolean {
  return handoff && !registry.isSwitchedOff(mechanism)
}

/** The error for a URL that no fetcher of the client retrieves. */
export function noFetcher(
  scheme: Scheme,
  mechanism: Mechanism,
  registry: Registry,
  context: RetrievalContext,
): RetrievalError {
  const understood = `${scheme.name} URLs are understood, but nothing here retrieves them.`
  if (registry.isSwitchedOff(mechanism)) {
    const advice = { option: 'builtins', value: mechanism } as const
    const what = `${understood} This client is made without its own for "${mechanism}"`
    return context.error('no-fetcher', `${what}; ${adviceText(advice)} adds it.`, { phase: 'resolve', advice })
  }
  const advice = { option: 'fetchers' } as const
  const hint = scheme.hint ?? `Retrieve "${mechanism}" by ${adviceText(advice)}.`
  const details = { phase: 'resolve', ...(scheme.hint === undefined && { advice }) } as const
  return context.error('no-fetcher', `${understood} ${hint}`, details)
}
