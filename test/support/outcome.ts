/** The outcome of one retrieval by a client of its own, which is closed afterwards. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import {
  type Client,
  type ClientOptions,
  createClient,
  type Entry,
  type Representation,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { entriesOf } from './entries.ts'

export interface Told<T> {
  /** Null where it failed. */
  readonly got: T | null
  readonly error: RetrievalError | null
  readonly events: readonly RetrievalEvent[]
}

type Use<T> = (client: Client) => Promise<T>

/** Does something with a client that trusts the test servers and tries nothing twice, unless the options say so. */
export async function told<T>(use: Use<T>, options: ClientOptions = {}): Promise<Told<T>> {
  const events: RetrievalEvent[] = []
  await using client = createClient({
    tls: { ca: testCa },
    ...options,
    limits: { maxRetries: 0, idleTimeout: 5000, ...options.limits },
    onEvent: (event) => events.push(event),
  })
  try {
    return { got: await use(client), error: null, events }
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return { got: null, error, events }
  }
}

/** The whole body. */
export function body(url: string, options?: ClientOptions, request?: RetrieveOptions): Promise<Told<Buffer>> {
  return told(async (client) => Buffer.from(await (await client.retrieve(url, request)).bytes()), options)
}

export function listed(url: string, options?: ClientOptions, request?: RetrieveOptions): Promise<Told<Entry[]>> {
  return told(async (client) => {
    return entriesOf(await client.retrieve(url, request))
  }, options)
}

/** The facts about a body before it is read, and the body. */
export function described(url: string, options?: ClientOptions): Promise<Told<readonly [Representation, Buffer]>> {
  return told(async (client) => {
    const representation = await client.retrieve(url)
    return [representation, Buffer.from(await representation.bytes())] as const
  }, options)
}

/** Saves to `item` in a folder of its own, without keeping a part; what the folder holds then, by name. */
export async function saved(
  url: string,
  options?: ClientOptions,
): Promise<Told<null> & { files: Readonly<Record<string, string>> }> {
  const folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
  try {
    const outcome = await told(async (client) => {
      await (await client.retrieve(url)).saveTo(join(folder, 'item'), { resumable: false })
      return null
    }, options)
    const names = await readdir(folder)
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))
    return { ...outcome, files: Object.fromEntries(names.map((name, index) => [name, contents[index] ?? ''])) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** By every door of the client. */
export function everyDoor(url: string, options?: ClientOptions): Promise<readonly Told<unknown>[]> {
  const doors: readonly Use<unknown>[] = [
    (client) => client.retrieve(url),
    (client) => client.open(url),
    async (client) => {
      for await (const { error } of client.retrieveAll([url])) if (error !== null) throw error
    },
    async (client) => {
      const error = await client.fetch(url).then(
        () => null,
        (reason: unknown) => reason,
      )
      if (error === null) return
      throw RetrievalError.is(error) ? error : (error as Error).cause
    },
  ]
  return Promise.all(doors.map((use) => told(use, options)))
}
