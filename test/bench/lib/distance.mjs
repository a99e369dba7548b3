import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('./latency-proxy.mjs', import.meta.url))

/**
 * Puts a server of FTP, or of a protocol that has no data connections, `roundTrip` milliseconds away; opening a
 * connection costs `handshake` round trips, as latency-proxy.mjs tells.
 */
export async function startDistance(port, roundTrip, handshake, protocol = 'ftp') {
  const proxy = fork(script, [port, roundTrip, handshake, protocol].map(String))
  const [{ port: far }] = await once(proxy, 'message')
  return {
    port: far,
    /**
     * Runs something that retrieves through it, and tells the milliseconds from the first SYN until the last file was
     * whole, and until the program ended, which is never for one that had to be killed; and how many connections it
     * made, FTP's for data not counted.
     */
    async measure(run) {
      const { ended } = await run()
      proxy.send('told')
      const [{ accepted, whole, connections }] = await once(proxy, 'message')
      if (whole === null) throw new Error('No file came through the proxy')
      return { whole: whole - accepted, ended: ended - accepted, connections }
    },
    async stop() {
      if (!proxy.connected) return
      proxy.disconnect()
      await once(proxy, 'exit')
    },
  }
}
