// node drop-in-fetch.mjs URL...: code that knows only fetch reads ftp:, gopher: and news: as well.
import { createClient } from '@retriever/fetchers'

const client = createClient()
globalThis.fetch = client.fetch

/** Knows nothing of Retriever. */
async function title(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`)
  const [line = ''] = (await response.text()).split(/\r?\n/)
  return `${response.headers.get('content-type')}: ${line}`
}

for (const url of process.argv.slice(2)) console.log(await title(url))
await client.close()
