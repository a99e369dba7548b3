import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const missing = 5
const limit = 300

/** The exit status of each for a list with missing URLs: curl's -f and ours 22, aria2c's 3. */
const contestants = [
  {
    name: 'retrieve --from',
    run: (site) => retrieve(['-O', '--from', site.list], { limit, status: 22, cwd: site.cwd }),
  },
  {
    name: 'retrieve -Z --from',
    run: (site) => retrieve(['-ZO', '--from', site.list], { limit, status: 22, cwd: site.cwd }),
  },
  {
    name: 'curl -Z',
    run: (site) =>
      peer('curl', ['-sfZ', '--no-progress-meter', '-K', site.config], { limit, status: 22, cwd: site.cwd }),
  },
  {
    name: 'aria2c -j16',
    run: (site) => peer('aria2c', ['-q', '-j16', '-i', site.aria2], { limit, status: 3, cwd: site.cwd }),
  },
]

/** Saves a list of so many URLs of so many octets, 5 of which are missing, in files. */
export async function list([count = '100', size = '1024', runs = '5']) {
  const installed = presentPeers(['curl', 'aria2c'])
  if (presentServers(['nginx']).length === 0) return
  const present = contestants.filter(({ name }) => {
    return name.startsWith('retrieve') || installed.includes(/^\w+/.exec(name)[0])
  })
  const server = await startRealServer('nginx', memoryDirectory(128 + (2 * count * size) / 2 ** 20))
  try {
    const site = writeSite(server, Number(count), Number(size))
    const samples = await rounds(present, Number(runs), async ({ run }) => {
      server.empty(site.cwd)
      return run(site)
    })
    const middle = (name) => median(samples.get(name).map(({ seconds }) => seconds))
    process.stdout.write(
      `\n${count} URLs of ${size} octets, ${missing} missing, from nginx on loopback to files, median of ${runs} runs, ` +
        'start of the process included\n\n',
    )
    printTable(
      ['', 'seconds', 'of curl -Z'],
      present.map(({ name }) => {
        const ratio = samples.has('curl -Z') ? (middle(name) / middle('curl -Z')).toFixed(2) : '-'
        return [name, middle(name).toFixed(3), ratio]
      }),
    )
  } finally {
    await server.stop()
  }
}

/** The files of the server, and the list in the form that each contestant takes. */
function writeSite(server, count, size) {
  const directory = `http://127.0.0.1:${server.port}/files/list/`
  const names = Array.from({ length: count }, (_, index) => `f${index + 1}`)
  for (const name of names.slice(0, count - missing)) server.write(`files/list/${name}`, Buffer.alloc(size, name))
  const lists = server.scratch()
  const write = (file, line) => {
    writeFileSync(join(lists, file), names.map((name) => `${line(directory + name, name)}\n`).join(''))
    return join(lists, file)
  }
  return {
    cwd: server.scratch(),
    list: write('list', (url, name) => `${url}\t${name}`),
    aria2: write('aria2', (url, name) => `${url}\n out=${name}`),
    config: write('config', (url, name) => `url = "${url}"\noutput = "${name}"`),
  }
}
