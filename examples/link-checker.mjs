// node link-checker.mjs FILE: checks each URL of a text, and prints those that do not answer.
import { readFile } from 'node:fs/promises'
import { extractUrls } from '@retriever/core'
import { createClient } from '@retriever/fetchers'

const text = await readFile(process.argv[2], 'utf8')
const urls = new Set(Array.from(extractUrls(text), ({ url }) => url))
const client = createClient({ limits: { totalTimeout: 20_000 } })
let dead = 0
// head: metadata alone. For HTTP that is a HEAD request, for FTP no transfer.
for await (const { url, error } of client.retrieveAll(urls, { head: true })) {
  if (error === null) continue
  dead++
  console.log(`${url}\n  ${error.code}: ${error.message}`)
}
console.log(`${urls.size - dead} of ${urls.size} answer.`)
process.exitCode = dead === 0 ? 0 : 1
await client.close()
