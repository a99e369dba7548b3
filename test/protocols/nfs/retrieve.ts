import { type ClientOptions, createClient, type Representation } from '@retriever/fetchers'
import type { RequestOptions } from '@retriever/fetchers/internal'
import { type NfsServerOptions, startNfsServer } from '@retriever/servers'

/** What came of one retrieval from a server of its own, and what the server was asked. */
export interface Result {
  readonly representation: Representation
  readonly octets: Uint8Array
  readonly received: readonly string[]
}

/** Retrieves a path below a server with these options, whose portmapper is at its own port. */
export async function retrieve(
  path: string,
  server: NfsServerOptions = {},
  client: ClientOptions = {},
  request: RequestOptions = {},
): Promise<Result> {
  await using running = await startNfsServer(server)
  await using own = createClient({
    limits: { maxRetries: 0, idleTimeout: 2000 },
    ...client,
    nfs: { portmapPort: running.port, ...client.nfs },
  })
  try {
    const representation = await own.retrieve(running.url + path, request)
    const octets = await representation.bytes()
    return { representation, octets, received: [...running.received] }
  } finally {
    await running.waitForConnections(0)
  }
}

/** The entries of a listing. */
export async function list(path: string, server: NfsServerOptions = {}): Promise<readonly Entry[]> {
  await using running = await startNfsServer(server)
  await using client = createClient({ nfs: { portmapPort: running.port }, limits: { maxRetries: 0 } })
  const entries: Entry[] = []
  for await (const { name, kind, url, size, details } of (await client.retrieve(running.url + path)).entries()) {
    entries.push({ name, kind, url: url?.replace(running.url, '/') ?? null, size, target: details?.target })
  }
  await running.waitForConnections(0)
  return entries
}

export interface Entry {
  readonly name: string
  readonly kind: string
  readonly url: string | null
  readonly size: number | undefined
  readonly target: unknown
}
