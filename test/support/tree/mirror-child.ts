/** A process of its own that mirrors a URL into a folder. */
import { createClient } from '@retriever/fetchers'

const [url = '', folder = ''] = process.argv.slice(2)
await using client = createClient()
const { failures } = await client.mirror(url, folder)
for (const { error } of failures) process.stderr.write(`${error.message}\n`)
process.exitCode = failures.length
