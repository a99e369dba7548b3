// A worker of a queue in a process of its own, for queue.test.ts: `node queue-worker.mjs OPTIONS`, as JSON. It prints
// a line when it works, and its counts at the end.
import { folderStore, openQueue } from '@retriever/queue'

const { connection, name, folder, ...options } = JSON.parse(process.argv[2] ?? '{}')
const queue = await openQueue({ connection, name })
const ended = new AbortController()
process.once('SIGTERM', () => ended.abort())
process.stdout.write('works\n')
const counts = await queue.work({ ...options, store: folderStore(folder), signal: ended.signal, untilDone: true })
process.stdout.write(`${JSON.stringify(counts)}\n`)
await queue.close()
