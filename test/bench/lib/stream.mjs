// node stream.mjs URL: pulls the body through the library, chunk by chunk, and throws it away.
import { createClient } from '../../../packages/fetchers/dist/index.js'

const client = createClient()
const representation = await client.retrieve(process.argv[2])
let length = 0
for await (const chunk of representation.body) length += chunk.length
if (length !== representation.size) throw new Error(`expected ${representation.size} octets, got ${length}`)
await client.close()
