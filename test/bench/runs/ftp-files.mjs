import { readdirSync, rmSync } from 'node:fs'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'
import { writeSmallFiles } from './small-files.mjs'

const count = 1000
const limit = 300

/**
 * Each as one would do it who is in a hurry: wget -i would log in for every file. `saves`: there must be files where it
 * ran.
 */
const contestants = [
  { name: 'retrieve > /dev/null', run: ({ urls }, limits) => retrieve(urls, limits) },
  {
    name: 'retrieve --output-dir DIR -O',
    run: ({ urls }, limits) => retrieve(['--output-dir', limits.cwd, '--remote-name-all', ...urls], limits),
    saves: true,
  },
  { name: 'curl', run: ({ directory }, limits) => peer('curl', [`${directory}f[1-${count}]`], limits) },
  {
    name: 'curl -Z',
    run: ({ directory }, limits) => peer('curl', ['-Z', '--no-progress-meter', `${directory}f[1-${count}]`], limits),
  },
  { name: 'wget f*', run: ({ directory }, limits) => peer('wget', ['-O', '/dev/null', `${directory}f*`], limits) },
  {
    name: 'lftp mget -P 8',
    run: ({ directory }, limits) =>
      peer('lftp', ['set ftp:ssl-allow no', 'set ftp:use-mode-z no', `mget -P 8 ${directory}f*`], limits),
    saves: true,
  },
  { name: 'aria2c -j 16', run: ({ list }, limits) => peer('aria2c', ['-j', '16', '-i', list], limits), saves: true },
]
const peers = ['curl', 'wget', 'lftp', 'aria2c']

export async function files([runs = '5']) {
  const installed = presentPeers(peers)
  if (presentServers(['proftpd']).length === 0) return
  const present = contestants.filter(
    ({ name }) => name.startsWith('retrieve') || installed.includes(name.split(' ')[0]),
  )
  const parent = memoryDirectory(64)
  const server = await startRealServer('proftpd', parent)
  try {
    const site = writeSmallFiles(server, 'pub/files/', `ftp://127.0.0.1:${server.port}/pub/files/`, count)
    const samples = await rounds(present, Number(runs), (contestant) => measure(contestant, site, server))
    tell(present, samples, runs, parent)
  } finally {
    await server.stop()
  }
}

async function measure({ name, run, saves }, site, server) {
  const cwd = server.scratch()
  await server.idle()
  const { seconds } = await run(site, { cwd, limit })
  const saved = readdirSync(cwd).length
  if (saved !== (saves ? count : 0)) throw new Error(`${name} left ${saved} files`)
  rmSync(cwd, { recursive: true })
  return seconds
}

function tell(present, samples, runs, parent) {
  const time = (name) => median(samples.get(name))
  const ratio = (name, to) => (samples.has(to) ? (time(name) / time(to)).toFixed(2) : '-')
  process.stdout.write(`
${count} files of 1 KiB from proftpd on loopback, to /dev/null or where told to files, in ${parent ?? 'the temporary directory'}. Median of ${runs}
runs, start of the process included. Where curl needs tens of ms a file, it slept: curl 7.88 waits a second for a reply that has
come already, as on loopback it may, when the machine is busy. wget f* takes the same steps over one connection, and does not.

`)
  printTable(
    ['', 'ms a file', 'of curl', 'of wget f*'],
    present.map(({ name }) => [
      name,
      ((time(name) * 1000) / count).toFixed(2),
      ratio(name, 'curl'),
      ratio(name, 'wget f*'),
    ]),
  )
}
