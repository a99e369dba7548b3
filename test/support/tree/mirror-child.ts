/** A process of its own that mirrors a URL into a folder, and tells its parent how many octets it has received. */
import { createClient } from '@retriever/fetchers'

const [url = '', folder = ''] = process.argv.slice(2)
const received = new Map<string, number>()
await using client = createClient({
  onEvent: (event) => {
    if (event.type !== 'progress') return
    received.set(event.url, event.received)
    process.send?.([...received.values()].reduce((sum, octets) => sum + octets, 0))
  },
})
const { failures } = await client.mirror(url, folder)
for (const { error } of failures) process.stderr.write(`${error.message}\n`)
process.exitCode = failures.length
