// node batch-servers.mjs COUNT, with a parent: HTTP servers that count how many requests they have at a time. They
// stand on loopback addresses of their own, since hosts are told apart by name.
import { once } from 'node:events'
import { createServer } from 'node:http'

const octets = Buffer.alloc(1024, 'x')
let running = 0
let counts = { most: 0, mostOfOne: 0 }

/** Answers after a turn of the event loop, so that requests overlap. */
async function startServer(at) {
  let own = 0
  const server = createServer((request, response) => {
    counts.most = Math.max(counts.most, ++running)
    counts.mostOfOne = Math.max(counts.mostOfOne, ++own)
    setImmediate(() => {
      running--
      own--
      response.writeHead(request.url.endsWith('00') ? 404 : 200, { 'content-length': octets.length }).end(octets)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, `127.0.1.${at + 1}`)
  await once(server, 'listening')
  return `http://127.0.1.${at + 1}:${server.address().port}/`
}

const urls = []
for (let at = 0; at < Number(process.argv[2]); at++) urls.push(await startServer(at))
process.send(urls)
process.on('message', () => {
  process.send(counts)
  counts = { most: 0, mostOfOne: 0 }
})
process.on('disconnect', () => process.exit())
