import type { RetrievalError } from '@retriever/core'
import {
  type ClientOptions,
  createClient,
  type Entry,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { type GopherServerOptions, startGopherServer, type TestServer } from '@retriever/servers'
import { entriesOf } from '../../../support/entries.ts'
import { remarks } from '../../../support/events.ts'

/** A client, and a server of its own, for one test. */
export interface Pair extends AsyncDisposable {
  readonly server: TestServer
  /** The URL of the server's root, with its last slash. */
  readonly url: string
  readonly events: RetrievalEvent[]
  remarks(): readonly string[]
  text(path: string, options?: RetrieveOptions): Promise<string>
  list(path: string, options?: RetrieveOptions): Promise<Entry[]>
  open(path: string, options?: RetrieveOptions): ReturnType<ReturnType<typeof createClient>['retrieve']>
  failure(path: string, options?: RetrieveOptions): Promise<RetrievalError>
}

export async function startPair(options: GopherServerOptions = {}, clientOptions: ClientOptions = {}): Promise<Pair> {
  const server = await startGopherServer(options)
  const events: RetrievalEvent[] = []
  const client = createClient({
    limits: { idleTimeout: 2000, maxRetries: 0 },
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
    remarks: () => remarks(events),
    text: async (path, wishes) => Buffer.from(await (await open(path, wishes)).bytes()).toString('latin1'),
    list: async (path, wishes) => entriesOf(await open(path, wishes)),
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

/** The answer to `!` of an item that has a form, and perhaps views. */
export function asking(questions: readonly string[], views: readonly string[] = []): string {
  const block = (name: string, lines: readonly string[]): string =>
    `+${name}:\r\n${lines.map((line) => ` ${line}\r\n`).join('')}`
  return `+-1\r\n+INFO: 0x\t/x\th\t70\t?\r\n${views.length > 0 ? block('VIEWS', views) : ''}${block('ASK', questions)}.\r\n`
}
