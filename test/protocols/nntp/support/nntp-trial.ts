import {
  type BatchOutcome,
  type Client,
  type ClientOptions,
  createClient,
  type Entry,
  type RetrievalEvent,
} from '@retriever/fetchers'
import { type NntpServerOptions, startNntpServer, type TestServer, testCa } from '@retriever/servers'
import { expect } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'

export interface Trial {
  readonly server: TestServer
  readonly client: Client
  readonly events: readonly RetrievalEvent[]
  /** The URL of an article of retriever.many. */
  url(number: number | string): string
}

/** Something with a server and a client; nothing may be open once the client is closed. */
export async function trial(
  options: NntpServerOptions,
  use: (trial: Trial) => Promise<void>,
  { limits, ...clientOptions }: ClientOptions = {},
): Promise<void> {
  await using server = await startNntpServer({ articles: 200, ...options })
  const events: RetrievalEvent[] = []
  const client = createClient({
    tls: { ca: testCa },
    onEvent: (event) => events.push(event),
    limits: { maxRetries: 0, idleTimeout: 5000, ...limits },
    ...clientOptions,
  })
  try {
    await use({ server, client, events, url: (number) => `${server.url}retriever.many/${number}` })
  } finally {
    await client.close()
  }
  await server.waitForConnections(0)
}

/** Retrieves articles all at once, and checks that each is the one that was asked for. */
export async function retrieveAll(client: Client, urls: readonly string[]): Promise<BatchOutcome[]> {
  const outcomes: BatchOutcome[] = []
  for await (const outcome of client.retrieveAll(urls)) {
    if (outcome.error === null) await expectArticle(outcome.url, await outcome.representation.text())
    outcomes.push(outcome)
  }
  return outcomes
}

export async function expectArticle(url: string, text: string): Promise<void> {
  const number = url.split('/').at(-1)
  expect(text).toContain(`Message-ID: <many-${number}@example.net>\r\n`)
  expect(text).toContain(`\r\n\r\nThis is article ${number}.\r\n.\r\n..\r\n.${number}\r\n`)
  expect(text).toMatch(/characters\.\r\n$/)
}

export function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

export async function list(client: Client, url: string, limit?: number): Promise<Entry[]> {
  return entriesOf(await client.retrieve(url, limit === undefined ? {} : { limit }))
}

export function commands({ received }: TestServer, verb: string): string[] {
  return received.filter((line) => line.startsWith(verb))
}
