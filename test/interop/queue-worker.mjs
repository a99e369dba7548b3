// A worker of a queue in a process of its own, for queue.test.ts: `node queue-worker.mjs OPTIONS`, as JSON. It prints
// a line when it works, and its counts at the end.
import { folderStore, openQueue } from '@retriever/queue'

const { connection, name, folder, ...options } = JSON.parse(process.argv[2] ?? '{}')
// A secret that is in no list.
const logins = (user) => ({ user, password: 'hunter2' })
const queue = await openQueue({ connection, name })
const ended = new AbortController()
process.once('SIGTERM', () => ended.abort())
process.stdout.write('works\n')
const work = { ...options, logins, store: folderStore(folder), signal: ended.signal, untilDone: true }
const counts = await queue.work(work).catch(({ code }) => ({ code }))
process.stdout.write(`${JSON.stringify(counts)}\n`)
await queue.close()
