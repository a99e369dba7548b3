/** Shared by the tests of FTP: a client beside a server, and what has happened between them. */
import { findScheme, type RetrievalError, type Scheme } from '@retriever/core'
import type { FtpPlan } from '@retriever/core/internal'
import {
  type Client,
  type ClientOptions,
  createClient,
  type Representation,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { type FtpServerOptions, startFtpServer, type TestServer, testCa } from '@retriever/servers'
import { expect } from 'vitest'
import { failure as failureOf } from '../../../support/failure.ts'
import { octets } from '../../../support/octets.ts'
import { type Script, type ScriptedFtp, scriptedFtp } from './scripted-ftp.ts'

export const files: Readonly<Record<string, Uint8Array>> = { '/pub/data.bin': octets }

/** FTP with AUTH TLS, whether or not a built-in scheme has it. */
export const explicitTls: Scheme = {
  ...ftpScheme(),
  name: 'ftpes',
  resolve: (locator, place) => ({ ...(ftpScheme().resolve(locator, place) as FtpPlan), tls: 'explicit' }),
}

/** A retrieval's whole body, by path below the server's root. */
type Get = (path: string, options?: RetrieveOptions) => Promise<Buffer>

interface Scene {
  readonly client: Client
  readonly events: readonly RetrievalEvent[]
  /** The URL of a path; `user` is `name:password`. */
  url(path: string, user?: string): string
  get: Get
  retrieve(path: string, options?: RetrieveOptions): Promise<Representation>
  /** The error with which a retrieval of the path ends, whenever it comes. */
  failure(path: string, options?: RetrieveOptions): Promise<RetrievalError>
}

export interface Trial extends Scene {
  readonly server: TestServer
}

/** Tries something with an embedded server. All connections must be closed once the client is. */
export async function trial<T>(
  options: FtpServerOptions,
  use: (trial: Trial) => Promise<T>,
  clientOptions: ClientOptions = {},
): Promise<T> {
  await using server = await startFtpServer(options)
  const secure = options.tls ? { tls: { ca: testCa }, schemes: [explicitTls] } : {}
  const root = options.tls === 'explicit' ? server.url.replace('ftp:', 'ftpes:') : server.url
  return await onStage(
    { ...secure, ...clientOptions },
    root,
    (scene) => use({ ...scene, server }),
    () => server.waitForConnections(0),
  )
}

export interface ScriptedTrial extends Scene {
  readonly server: ScriptedFtp
}

/** Tries something with a server that follows a script. */
export async function scriptedTrial<T>(
  script: Script,
  use: (trial: ScriptedTrial) => Promise<T>,
  clientOptions: ClientOptions = {},
): Promise<T> {
  await using server = await scriptedFtp(script)
  return await onStage(
    clientOptions,
    server.url,
    (scene) => use({ ...scene, server }),
    () => server.closed(),
  )
}

async function onStage<T>(
  options: ClientOptions,
  root: string,
  use: (scene: Scene) => Promise<T>,
  allClosed: () => Promise<void>,
): Promise<T> {
  const events: RetrievalEvent[] = []
  // Second tries follow at once, except in tests of the waits themselves.
  const limits = { maxRetryDelay: 1, ...options.limits }
  const client = createClient({ ...options, limits, onEvent: (event) => events.push(event) })
  const url: Scene['url'] = (path, user) => `${user === undefined ? root : root.replace('//', `//${user}@`)}${path}`
  const retrieve: Scene['retrieve'] = (path, request) => client.retrieve(absolute(path, url), request)
  const get: Get = async (path, request) => Buffer.from(await (await retrieve(path, request)).bytes())
  const failure: Scene['failure'] = (path, request) => failureOf(get(path, request))
  try {
    const result = await use({ client, events, url, get, retrieve, failure })
    await client.close()
    await inTime(allClosed())
    return result
  } finally {
    await client.close()
  }
}

/** For a message in place of the test's time limit. */
async function inTime(closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('A connection is open after client.close().')), 5000)
  })
  await Promise.race([closed, late]).finally(() => clearTimeout(timer))
}

function absolute(path: string, url: Scene['url']): string {
  return path.includes('://') ? path : url(path)
}

/** The commands of each control connection, which a USER begins (AUTH, where it comes first). */
export function dialogues(received: readonly string[], first = 'USER '): readonly (readonly string[])[] {
  const all: string[][] = []
  for (const line of received) {
    if (line.startsWith(first)) all.push([])
    all.at(-1)?.push(line)
  }
  return all
}

/** The whole number behind the first of these lines that begins so; undefined where none does. */
export function numberIn(lines: readonly string[], verb: string): number | undefined {
  const line = lines.find((candidate) => candidate.startsWith(`${verb} `))
  return line === undefined ? undefined : Number(line.slice(verb.length + 1))
}

function ftpScheme(): Scheme {
  return findScheme('ftp') ?? expect.fail('no scheme ftp')
}
