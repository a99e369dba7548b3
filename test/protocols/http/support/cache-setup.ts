import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Client,
  type ClientOptions,
  createClient,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { type CacheOption, type DirectoryCache, httpFetcher } from '@retriever/fetchers/http'
import { afterEach, beforeEach, vi } from 'vitest'
import { cacheable } from './http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from './scripted-http.ts'

/** Each test gets its own server, folder and clients, and a clock that begins on the first of May 2024. */
export interface CacheSetup {
  readonly server: ScriptedHttp
  readonly folder: string
  /** The events of all clients. */
  readonly events: RetrievalEvent[]
  clientWith(cache: CacheOption, options?: ClientOptions): Client
  inFolder(more?: Partial<DirectoryCache>): DirectoryCache
  /** Retrieves a path of the server as text. */
  read(client: Client, path?: string, options?: RetrieveOptions): Promise<string>
  /** The `how` of all `cached` events: `stored`, `hit`, ... */
  cacheEvents(): string[]
}

/** Call at the top of a test file. */
export function cacheSetup(): CacheSetup {
  let server: ScriptedHttp
  let folder = ''
  const events: RetrievalEvent[] = []
  const clients: Client[] = []

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2024-05-01T00:00:00Z') })
    folder = mkdtempSync(join(tmpdir(), 'retriever-cache-'))
    server = await scriptedHttp(cacheable('body', { 'cache-control': 'max-age=60' }))
    events.length = 0
  })

  afterEach(async () => {
    vi.useRealTimers()
    for (const client of clients.splice(0)) await client.close()
    await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    get server() {
      return server
    },
    get folder() {
      return folder
    },
    events,
    clientWith(cache, options = {}) {
      const fetchers = [httpFetcher({ cache })]
      const limits = { maxRetries: 0, ...options.limits }
      const client = createClient({ ...options, limits, fetchers, onEvent: (event) => events.push(event) })
      clients.push(client)
      return client
    },
    inFolder: (more = {}) => ({ directory: folder, ...more }),
    read: async (client, path = '', options = {}) => (await client.retrieve(server.url + path, options)).text(),
    cacheEvents: () => events.flatMap((event) => (event.type === 'cached' ? [event.how] : [])),
  }
}

export const later = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000)
/** A date of HTTP, so many seconds from now. */
export const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString()

export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (error: unknown) => error,
  )
