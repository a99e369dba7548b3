/** A user of client.fetch; types.test.ts compiles it with the types of Node and with those of browsers. */
import { type Client, createClient } from '@retriever/fetchers'

const client: Client = createClient()

/** The two types are assignable to each other. */
export const toGlobal: typeof globalThis.fetch = client.fetch
export const fromGlobal: Client['fetch'] = globalThis.fetch

export async function use(url: URL): Promise<string> {
  const request = new Request(url, { headers: { accept: 'text/plain' } })
  const { signal } = new AbortController()
  const response: Response = await client.fetch(request, { redirect: 'manual', integrity: '', signal, body: null })
  return response.clone().text()
}
