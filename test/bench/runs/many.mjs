// node many.mjs CONNECTIONS URL...: pulls the bodies through the library, so many at a time, and throws them away.
// With a parent that talks to it (resident.mjs): once for each message.
import { createClient } from '../../../packages/fetchers/dist/index.js'
import { serveRounds } from '../lib/resident.mjs'

const [, , connections, ...urls] = process.argv

if (process.connected) serveRounds(all)
else await all()

async function all() {
  const client = createClient({ concurrency: Number(connections), perHost: Number(connections) })
  const bodies = []
  let octets = 0
  for await (const { representation, error } of client.retrieveAll(urls)) {
    if (error !== null) throw error
    bodies.push(
      representation.writeTo((chunk) => {
        octets += chunk.length
      }),
    )
  }
  await Promise.all(bodies)
  await client.close()
  return octets
}
