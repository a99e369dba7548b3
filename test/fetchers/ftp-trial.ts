/** What the tests of FTP share: a client beside a server, and what has happened between them. */
import { type FtpPlan, findScheme, RetrievalError, type Scheme } from '@retriever/core'
import {
  type Client,
  type ClientOptions,
  createClient,
  type Entry,
  type Representation,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { type Faults, type FtpServerOptions, startFtpServer, type TestServer, testCa } from '@retriever/servers'
import { expect } from 'vitest'
import { type Script, type ScriptedFtp, scriptedFtp } from './scripted-ftp.ts'

/** 12 KiB in which no piece comes twice: octets that are lost, doubled or from elsewhere show. */
export const octets: Buffer = scrambled(12 * 1024)

export const files: Readonly<Record<string, Uint8Array>> = { '/pub/data.bin': octets }

/** Every way in which segments may be cut that makes a difference; the list is as good as random. */
export const chunkings: readonly NonNullable<Faults['chunking']>[] = [
  'whole',
  'bytes',
  'split-crlf',
  'glued',
  [3, 1, 40, 7, 2, 19, 1, 1, 90],
]

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

/** Tries something with an embedded server. Nothing may be open once the client is closed. */
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
  const client = createClient({ ...options, onEvent: (event) => events.push(event) })
  const url: Scene['url'] = (path, user) => `${user === undefined ? root : root.replace('//', `//${user}@`)}${path}`
  const retrieve: Scene['retrieve'] = (path, request) => client.retrieve(absolute(path, url), request)
  const get: Get = async (path, request) => Buffer.from(await (await retrieve(path, request)).bytes())
  const failure: Scene['failure'] = (path, request) => errorOf(get(path, request))
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

export async function errorOf(promise: Promise<unknown>): Promise<RetrievalError> {
  const error = await promise.then(
    (value) => expect.fail(`expected an error, got ${String(value).slice(0, 100)}`),
    (reason: unknown) => reason,
  )
  return RetrievalError.is(error) ? error : expect.fail(`expected a RetrievalError, got ${String(error)}`)
}

/** toEqual would look at each octet, and print them all. */
export function expectSame(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.length).toBe(expected.length)
  expect(Buffer.compare(actual, expected), 'the same octets').toBe(0)
}

export async function entriesOf(listing: Representation): Promise<readonly Entry[]> {
  const all: Entry[] = []
  for await (const entry of listing.entries()) all.push(entry)
  return all
}

/** The errors of the events that say something is tried again. */
export function retries(events: readonly RetrievalEvent[]): readonly RetrievalError[] {
  return events.flatMap((event) => (event.type === 'retried' ? [event.error] : []))
}

export function remarks(events: readonly RetrievalEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))
}

/** The ports that were dialled, in order. */
export function dialled(events: readonly RetrievalEvent[]): readonly number[] {
  return events.flatMap((event) => (event.type === 'connected' ? [event.port] : []))
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

function scrambled(length: number): Buffer {
  let state = 1738
  return Buffer.from(
    Array.from({ length }, () => {
      // Numerical Recipes' generator: all that matters is that it repeats itself late.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 24
    }),
  )
}

function ftpScheme(): Scheme {
  return findScheme('ftp') ?? expect.fail('no scheme ftp')
}
