import { randomFillSync } from 'node:crypto'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { bareUndici, library, many, peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const mebibytes = 1024

const limits = (cwd) => ({ cwd, limit: 300 })

const contestants = [
  { name: 'retrieve -o FILE', run: (url, cwd) => retrieve(['-o', 'out', url], limits(cwd)) },
  { name: 'curl -o FILE', run: (url, cwd) => peer('curl', ['-o', 'out', url], limits(cwd)) },
  { name: 'wget2 -O FILE', run: (url, cwd) => peer('wget2', ['-O', 'out', url], limits(cwd)) },
  { name: 'aria2c', run: (url, cwd) => peer('aria2c', ['-o', 'out', url], limits(cwd)) },
  { name: 'retrieve > /dev/null', run: (url, cwd) => retrieve([url], limits(cwd)) },
  { name: 'library, writeTo', run: (url, cwd) => many(1, [url], limits(cwd)) },
  { name: 'library, body', run: (url, cwd) => library([url], limits(cwd)) },
  { name: 'bare undici', run: (url, cwd) => bareUndici(1, [url], limits(cwd)) },
  { name: 'curl', run: (url, cwd) => peer('curl', [url], limits(cwd)) },
]

export async function gigabyte([runs = '5']) {
  const installed = presentPeers(['curl', 'wget2', 'aria2c'])
  if (presentServers(['nginx']).length === 0) return
  const present = contestants.filter(({ name }) => isOurs(name) || installed.includes(name.split(' ')[0]))
  const parent = memoryDirectory(3 * mebibytes)
  const server = await startRealServer('nginx', parent)
  try {
    const url = `http://127.0.0.1:${server.port}/files/gigabyte`
    const piece = randomFillSync(Buffer.alloc(2 ** 20))
    for (let written = 0; written < mebibytes; written++) server.write('files/gigabyte', piece)
    const cwd = server.scratch()
    // The machine may have to find memory for the file once; after that it is there.
    await present[0].run(url, cwd)
    server.empty(cwd)
    const samples = await rounds(present, Number(runs), async ({ run }) => {
      try {
        return await run(url, cwd)
      } finally {
        server.empty(cwd)
      }
    })
    tell(present, samples, runs, parent)
  } finally {
    await server.stop()
  }
}

const isOurs = (name) => /^(?:retrieve|library|bare)/.test(name)

function tell(present, samples, runs, parent) {
  const middle = (name, key) => median(samples.get(name).map((one) => one[key]))
  const rate = (name) => mebibytes / middle(name, 'seconds')
  const ratio = (name, to) => (samples.has(to) ? (rate(name) / rate(to)).toFixed(2) : '-')
  process.stdout.write(
    `\n${mebibytes} MiB from nginx on loopback, both files in ${parent ?? 'the temporary directory'}, median of ${runs} runs, start of the process included\n\n`,
  )
  printTable(
    ['', 'MiB/s', 'of curl', 'of bare undici', 'peak RSS MiB'],
    present.map(({ name }) => [
      name,
      rate(name).toFixed(0),
      ratio(name, name.includes(' -') || name === 'aria2c' ? 'curl -o FILE' : 'curl'),
      name.includes(' -') || name === 'aria2c' ? '-' : ratio(name, 'bare undici'),
      isOurs(name) ? middle(name, 'peak').toFixed(0) : '-',
    ]),
  )
}
