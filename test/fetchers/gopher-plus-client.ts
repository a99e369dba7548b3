import type { RetrievalError } from '@retriever/core'
import {
  type ClientOptions,
  createClient,
  type Entry,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { type GopherServerOptions, startGopherServer, type TestServer } from '@retriever/servers'

/** A client, and a server of its own, for one test. */
export interface Pair extends AsyncDisposable {
  readonly server: TestServer
  /** Of the server's root, with its last slash. */
  readonly url: string
  readonly events: RetrievalEvent[]
  remarks(): string[]
  text(path: string, options?: RetrieveOptions): Promise<string>
  list(path: string, options?: RetrieveOptions): Promise<Entry[]>
  open(path: string, options?: RetrieveOptions): ReturnType<ReturnType<typeof createClient>['retrieve']>
  failure(path: string, options?: RetrieveOptions): Promise<RetrievalError>
}

export async function startPair(options: GopherServerOptions = {}, clientOptions: ClientOptions = {}): Promise<Pair> {
  const server = await startGopherServer(options)
  const events: RetrievalEvent[] = []
  const client = createClient({
    limits: { idleTimeout: 1000, maxRetries: 0 },
    onEvent: (event) => events.push(event),
    ...clientOptions,
  })
  const { url } = server
  const open = (path: string, wishes?: RetrieveOptions) => client.retrieve(`${url}${path}`, wishes)
  return {
    server,
    url,
    events,
    open,
    remarks: () => events.flatMap((event) => (event.type === 'remark' ? event.message : [])),
    text: async (path, wishes) => Buffer.from(await (await open(path, wishes)).bytes()).toString('latin1'),
    async list(path, wishes) {
      const entries: Entry[] = []
      for await (const entry of (await open(path, wishes)).entries()) entries.push(entry)
      return entries
    },
    async failure(path, wishes) {
      try {
        await (await open(path, wishes)).bytes()
      } catch (error) {
        return error as RetrievalError
      }
      throw new Error(`${path} was retrieved`)
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.waitForConnections(0)
      await server.close()
    },
  }
}

/** A server that answers one request line so. */
export function replying(
  replies: Readonly<Record<string, string>>,
  options: GopherServerOptions = {},
): GopherServerOptions {
  return { ...options, faults: { ...options.faults, replies } }
}
