import { type FtpServerOptions, startFtpOn } from './ftp/server.ts'
import { type GopherServerOptions, startGopherOn } from './gopher/server.ts'
import { type HttpServerOptions, startHttpOn } from './http/server.ts'
import type { TestServer } from './listener.ts'
import { type NntpServerOptions, startNntpServer } from './nntp/server.ts'
import { type FileOptions, seedTree } from './seed.ts'
import { startTelnetServer, type TelnetServerOptions } from './telnet/server.ts'
import type { Tree } from './tree.ts'

/** The protocols that have a server here. */
export type ProtocolName = 'http' | 'ftp' | 'gopher' | 'nntp' | 'telnet'

/** Name protocols to start only those; name none to start all. The files are shared by HTTP, FTP and Gopher. */
export interface ServersOptions extends FileOptions {
  /** For all of them. Loopback only. Default 127.0.0.1. */
  readonly host?: string
  /** TLS from the first byte, for all of them. Default false. */
  readonly tls?: boolean
  readonly http?: true | Omit<HttpServerOptions, keyof FileOptions>
  readonly ftp?: true | Omit<FtpServerOptions, keyof FileOptions>
  readonly gopher?: true | Omit<GopherServerOptions, keyof FileOptions>
  readonly nntp?: true | NntpServerOptions
  readonly telnet?: true | TelnetServerOptions
}

type Named<Options> = Extract<keyof Options, ProtocolName>
type Started<Options> = [Named<Options>] extends [never] ? ProtocolName : Named<Options>

/** The running servers, those that were started. */
export type TestServers<Name extends ProtocolName = ProtocolName> = { readonly [Key in Name]: TestServer } & {
  /** Closes all of them. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Shared {
  readonly host?: string
  readonly tls?: boolean
}

const NAMES: readonly ProtocolName[] = ['http', 'ftp', 'gopher', 'nntp', 'telnet']

const starters: Readonly<Record<ProtocolName, (tree: Tree, options: object) => Promise<TestServer>>> = {
  http: startHttpOn,
  ftp: startFtpOn,
  gopher: startGopherOn,
  nntp: (_tree, options) => startNntpServer(options),
  telnet: (_tree, options) => startTelnetServer(options),
}

/** Starts test servers on loopback. If one of them cannot start, none is left running. */
export async function startServers<const Options extends ServersOptions = Record<never, never>>(
  options?: Options,
): Promise<TestServers<Started<Options>>> {
  const given: ServersOptions = options ?? {}
  checkNames(given)
  const named = NAMES.filter((name) => given[name] !== undefined)
  const names = named.length > 0 ? named : NAMES
  const tree = seedTree(given)
  const shared: Shared = pick(given)
  const outcomes = await Promise.allSettled(
    names.map((name) => {
      const own = given[name]
      return starters[name](tree, { ...shared, ...(typeof own === 'object' ? own : {}) })
    }),
  )
  const servers = outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value)
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()))
  }
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failure) {
    await close()
    throw failure.reason
  }
  const byName = Object.fromEntries(servers.map((server) => [server.protocol, server]))
  return { ...byName, close, [Symbol.asyncDispose]: close } as TestServers<Started<Options>>
}

function pick(options: ServersOptions): Shared {
  return {
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  }
}

function checkNames(options: ServersOptions): void {
  const known: readonly string[] = [...NAMES, 'files', 'bigSize', 'host', 'tls']
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`startServers: expected one of ${known.join(', ')}, got ${name}`)
  }
}
