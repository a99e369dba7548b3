// A program that runs already, as a library does in a server: neither its start nor the compiler's first look is
// measured.
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts a script that serves by `serveRounds`, with these arguments. */
export function startResident(script, args) {
  const child = fork(script, args.map(String))
  let told = () => {}
  let failed = () => {}
  child.on('message', (message) => told(message))
  child.once('exit', (code) => failed(new Error(`${script} ended with ${code}`)))
  return {
    /** One round: its seconds, and its octets if the script counts them. */
    run() {
      return new Promise((resolve, reject) => {
        told = resolve
        failed = reject
        child.send('round')
      })
    },
    async stop() {
      if (!child.connected) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** Within the script: does `work` once for each round, until the benchmark has ended. */
export function serveRounds(work) {
  process.on('message', async () => {
    const begin = performance.now()
    const octets = await work()
    process.send({ seconds: (performance.now() - begin) / 1000, octets })
  })
}
