// node bare-gopher.mjs CONNECTIONS URL...: the items, so many at a time, by nothing but sockets, thrown away. It is
// the floor: no URL is checked, no error looked for, no deadline kept. With a parent that talks to it (resident.mjs):
// once for each message.
import { connect } from 'node:net'
import { serveRounds } from '../lib/resident.mjs'

const [, , connections, ...urls] = process.argv
const { hostname, port } = new URL(urls[0])
const requests = urls.map((url) => `${decodeURIComponent(new URL(url).pathname.slice(2))}\r\n`)

if (process.connected) serveRounds(all)
else await all()

async function all() {
  const left = requests.values()
  await Promise.all(
    Array.from({ length: Number(connections) }, async () => {
      for (const request of left) await receive(request)
    }),
  )
}

/** events.once would make an AbortSignal, and take as long as the connection. */
function receive(request) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, noDelay: true })
    socket.write(request, 'latin1')
    socket.resume().once('error', reject).once('close', resolve)
  })
}
