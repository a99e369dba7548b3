import { readdirSync, rmSync } from 'node:fs'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { bareGopher, many, peer, residentBareGopher, residentMany, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'
import { writeSmallFiles } from './small-files.mjs'

const count = 1000
const connections = 16
const limit = 120
const resident = 'library, running already'
const residentBare = 'bare sockets, running already'

/** `saves`: there must be files where it ran. */
const contestants = [
  { name: resident, run: ({ library }) => library.run() },
  { name: residentBare, run: ({ bare }) => bare.run() },
  { name: 'library', run: ({ urls }, limits) => many(connections, urls, limits) },
  { name: 'bare sockets', run: ({ urls }, limits) => bareGopher(connections, urls, limits) },
  { name: 'retrieve > /dev/null', run: ({ urls }, limits) => retrieve(urls, limits) },
  {
    name: 'retrieve --output-dir DIR -O',
    run: ({ urls }, limits) => retrieve(['--output-dir', limits.cwd, '--remote-name-all', ...urls], limits),
    saves: true,
  },
  { name: 'curl', run: ({ directory }, limits) => peer('curl', [`${directory}f[1-${count}]`], limits) },
  {
    name: 'curl -Z',
    run: ({ directory }, limits) =>
      peer(
        'curl',
        ['-Z', '--parallel-max', String(connections), '--no-progress-meter', `${directory}f[1-${count}]`],
        limits,
      ),
  },
]

/**
 * Real Gopher servers begin a process for each request, and nothing but that would be measured. nginx answers `GET /f1
 * CR LF` in the words of HTTP/0.9, which are those of Gopher: one line, and then octets to the end of the connection.
 */
export async function items([runs = '9']) {
  const installed = presentPeers(['curl'])
  if (presentServers(['nginx']).length === 0) return
  const present = contestants.filter(({ name }) => !name.startsWith('curl') || installed.includes('curl'))
  const parent = memoryDirectory(64)
  const server = await startRealServer('nginx', parent)
  const site = writeSmallFiles(server, 'files/small/', `gopher://127.0.0.1:${server.port}/0GET%20/files/small/`, count)
  const residents = { library: residentMany(connections, site.urls), bare: residentBareGopher(connections, site.urls) }
  try {
    // For the compiler.
    for (let round = 0; round < 5; round++) for (const one of Object.values(residents)) await one.run()
    const samples = await rounds(present, Number(runs), (contestant) =>
      measure(contestant, { ...site, ...residents }, server),
    )
    tell(present, samples, runs)
  } finally {
    await Promise.all(Object.values(residents).map((one) => one.stop()))
    await server.stop()
  }
}

async function measure({ name, run, saves }, site, server) {
  const cwd = server.scratch()
  const { seconds } = await run(site, { cwd, limit })
  const saved = readdirSync(cwd).length
  if (saved !== (saves ? count : 0)) throw new Error(`${name} left ${saved} files`)
  rmSync(cwd, { recursive: true })
  return seconds
}

function tell(present, samples, runs) {
  const rate = (name) => count / median(samples.get(name))
  const ratio = (name, to) => (samples.has(to) ? (rate(name) / rate(to)).toFixed(2) : '-')
  process.stdout.write(`
${count} texts of 1 KiB by Gopher on loopback, from nginx, which begins no process for each. Median of ${runs} runs,
start of the process included but where one runs already, and is warm. ${connections} connections at a time; one for
retrieve, and for curl without -Z.

`)
  printTable(
    ['', 'items a second', 'of curl', 'of curl -Z', 'of bare sockets'],
    present.map(({ name }) => [
      name,
      rate(name).toFixed(0),
      ratio(name, 'curl'),
      ratio(name, 'curl -Z'),
      ratio(name, name === resident ? residentBare : 'bare sockets'),
    ]),
  )
}
