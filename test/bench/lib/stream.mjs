// node stream.mjs URL...: pulls the bodies through the library, one after another, chunk by chunk, and throws them
// away.
import { createClient } from '../../../packages/fetchers/dist/index.js'

const client = createClient()
for (const url of process.argv.slice(2)) {
  const representation = await client.retrieve(url)
  let length = 0
  for await (const chunk of representation.body) length += chunk.length
  const { size } = representation
  if (size !== null && length !== size) throw new Error(`expected ${size} octets, got ${length}`)
}
await client.close()
