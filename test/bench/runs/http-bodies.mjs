import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { bareUndici, many, peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'
import { writeSmallFiles } from './small-files.mjs'

const count = 10_000
const connections = 16
const limits = { limit: 300 }

const contestants = [
  { name: 'library, 16 connections', run: ({ urls }) => many(connections, urls, limits) },
  { name: 'bare undici, 16 connections', run: ({ urls }) => bareUndici(connections, urls, limits) },
  { name: 'retrieve', run: ({ urls }) => retrieve(urls, limits) },
  { name: 'curl', run: ({ directory }) => peer('curl', [`${directory}f[1-${count}]`], limits) },
  {
    name: 'curl -Z, 16 connections',
    run: ({ directory }) =>
      peer(
        'curl',
        ['-Z', '--parallel-max', String(connections), '--no-progress-meter', `${directory}f[1-${count}]`],
        limits,
      ),
  },
  {
    name: 'wget2, 16 threads',
    run: ({ list }) => peer('wget2', ['--max-threads', String(connections), '-O', '/dev/null', '-i', list], limits),
  },
]

export async function bodies([runs = '5']) {
  const installed = presentPeers(['curl', 'wget2'])
  if (presentServers(['nginx']).length === 0) return
  const present = contestants.filter(
    ({ name }) => !/^(?:curl|wget2)/.test(name) || installed.includes(/^\w+/.exec(name)[0]),
  )
  const parent = memoryDirectory(128)
  const server = await startRealServer('nginx', parent)
  try {
    const site = writeSmallFiles(server, 'files/small/', `http://127.0.0.1:${server.port}/files/small/`, count)
    const samples = await rounds(present, Number(runs), ({ run }) => run(site))
    tell(present, samples, runs)
  } finally {
    await server.stop()
  }
}

function tell(present, samples, runs) {
  const middle = (name, key) => median(samples.get(name).map((one) => one[key]))
  const rate = (name) => count / middle(name, 'seconds')
  const ratio = (name, to) => (samples.has(to) ? (rate(name) / rate(to)).toFixed(2) : '-')
  process.stdout.write(
    `\n${count} bodies of 1 KiB from nginx on loopback to /dev/null, median of ${runs} runs, start of the process included\n\n`,
  )
  printTable(
    ['', 'bodies a second', 'of bare undici', 'of curl', 'peak RSS MiB'],
    present.map(({ name }) => [
      name,
      rate(name).toFixed(0),
      ratio(name, 'bare undici, 16 connections'),
      ratio(name, 'curl'),
      /^(?:curl|wget2)/.test(name) ? '-' : middle(name, 'peak').toFixed(0),
    ]),
  )
}
