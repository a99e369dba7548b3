// node bare-undici.mjs CONNECTIONS URL...: pulls the bodies by undici.request alone, so many at a time, and throws them
// away. It is what the library is measured against: no URL is explained, no redirect followed, no status looked at.
// With a parent that talks to it (resident.mjs): once for each message.
import { Pool } from 'undici'
import { serveRounds } from '../lib/resident.mjs'

const [, , connections, ...urls] = process.argv

if (process.connected) serveRounds(all)
else await all()

async function all() {
  const { origin } = new URL(urls[0])
  const pool = new Pool(origin, { connections: Number(connections), pipelining: 1 })
  const paths = urls.map((url) => new URL(url).pathname).values()
  let octets = 0
  await Promise.all(
    Array.from({ length: Number(connections) }, async () => {
      for (const path of paths) {
        const { body } = await pool.request({ path, method: 'GET' })
        for await (const chunk of body) octets += chunk.length
      }
    }),
  )
  await pool.close()
  return octets
}
