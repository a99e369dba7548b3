// node batch.mjs FILE: retrieves the URLs of a list, one a line, and shows how far it is.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createClient } from '@retriever/fetchers'

const client = createClient({ concurrency: 8, perHost: 4 })
// The list is read as places become free: it may be endless.
const urls = createInterface({ input: createReadStream(process.argv[2]) })
let done = 0
let octets = 0
const failed = []
for await (const { url, representation, error } of client.retrieveAll(urls)) {
  try {
    if (error !== null) throw error
    octets += (await representation.bytes()).length
  } catch (failure) {
    failed.push(`${url}: ${failure.code}`)
  }
  done++
  if (process.stderr.isTTY) process.stderr.write(`\r${done} done, ${octets} octets, ${failed.length} failed`)
}
console.log(`${done} URLs, ${octets} octets, ${failed.length} failed`)
for (const line of failed) console.log(`  ${line}`)
await client.close()
