// node news.mjs GROUP-URL [--overview]: the entries of a newsgroup through the library, and then the articles that
// they name, thrown away.
import { createClient } from '../../../packages/fetchers/dist/index.js'

const [, , url, overview] = process.argv
const client = createClient()
const group = await client.retrieve(url)
const urls = []
for await (const entry of group.entries()) urls.push(entry.url)
const bodies = []
if (overview === undefined) {
  for await (const { representation, error } of client.retrieveAll(urls)) {
    if (error !== null) throw error
    bodies.push(representation.writeTo(() => {}))
  }
}
await Promise.all(bodies)
await client.close()
