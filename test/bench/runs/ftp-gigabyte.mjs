import { randomFillSync } from 'node:crypto'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { bareSockets, library, peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const mebibytes = 1024
const limits = { limit: 300 }

/** lftp's `get -o` might replace /dev/null, and it would rather take TLS and MODE Z; aria2c writes to files alone. */
const contestants = [
  { name: 'retrieve -o /dev/null', run: (url) => retrieve(['-o', '/dev/null', url], limits) },
  { name: 'retrieve > /dev/null', run: (url) => retrieve([url], limits) },
  { name: 'library', run: (url) => library([url], limits) },
  { name: 'bare sockets', run: (url) => bareSockets([url], limits) },
  { name: 'curl', run: (url) => peer('curl', ['-o', '/dev/null', url], limits) },
  { name: 'wget', run: (url) => peer('wget', ['-O', '/dev/null', url], limits) },
  { name: 'lftp', run: (url) => peer('lftp', ['set ftp:ssl-allow no', 'set ftp:use-mode-z no', `cat ${url}`], limits) },
]
const peers = ['curl', 'wget', 'lftp']

export async function gigabyte([runs = '5']) {
  const installed = presentPeers(peers)
  const present = contestants.filter(({ name }) => installed.includes(name) || !peers.includes(name))
  const parent = memoryDirectory(2 * mebibytes)
  const results = []
  for (const name of presentServers(['proftpd', 'vsftpd'])) {
    const server = await startRealServer(name, parent)
    try {
      const url = `ftp://127.0.0.1:${server.port}/pub/gigabyte`
      const piece = randomFillSync(Buffer.alloc(2 ** 20))
      for (let written = 0; written < mebibytes; written++) server.write('pub/gigabyte', piece)
      results.push({
        name,
        samples: await rounds(present, Number(runs), async ({ run }) => {
          await server.idle()
          return run(url)
        }),
      })
    } finally {
      await server.stop()
    }
  }
  process.stdout.write(
    `\nA file of ${mebibytes} MiB to /dev/null on loopback, median of ${runs} runs, start of the process included; the file is in ${parent ?? 'the temporary directory'}\n`,
  )
  for (const { name, samples } of results) tell(name, present, samples)
}

function tell(server, present, samples) {
  const middle = (name, key) => median(samples.get(name).map((one) => one[key]))
  const rate = (name) => mebibytes / middle(name, 'seconds')
  process.stdout.write('\n')
  printTable(
    [server, 'MiB/s', 'of curl', 'peak RSS MiB'],
    present.map(({ name }) => [
      name,
      rate(name).toFixed(0),
      samples.has('curl') ? (rate(name) / rate('curl')).toFixed(2) : '-',
      peers.includes(name) ? '-' : middle(name, 'peak').toFixed(0),
    ]),
  )
}
