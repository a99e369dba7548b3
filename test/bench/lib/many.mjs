// node many.mjs CONNECTIONS URL...: pulls the bodies through the library, so many at a time, and throws them away.
import { createClient } from '../../../packages/fetchers/dist/index.js'

const [, , connections, ...urls] = process.argv
const client = createClient({ concurrency: Number(connections), perHost: Number(connections) })
const bodies = []
for await (const { representation, error } of client.retrieveAll(urls)) {
  if (error !== null) throw error
  bodies.push(representation.writeTo(() => {}))
}
await Promise.all(bodies)
await client.close()
