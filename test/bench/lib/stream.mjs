// node stream.mjs [--write-to] URL...: pulls the bodies through the library, one after another, chunk by chunk, and
// throws them away. Each chunk is the caller's own, or with --write-to it is there until the next one.
import { createClient } from '../../../packages/fetchers/dist/index.js'

const given = process.argv.slice(2)
const isWritten = given[0] === '--write-to'
const client = createClient()
for (const url of isWritten ? given.slice(1) : given) {
  const representation = await client.retrieve(url)
  let length = 0
  const count = (chunk) => {
    length += chunk.length
  }
  if (isWritten) await representation.writeTo(count)
  else for await (const chunk of representation.body) count(chunk)
  const { size } = representation
  if (size !== null && length !== size) throw new Error(`expected ${size} octets, got ${length}`)
}
await client.close()
