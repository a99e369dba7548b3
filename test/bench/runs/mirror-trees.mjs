import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const perFolder = 100
const limit = 300

const wget = ({ url }, limits) => peer('wget', ['-m', '-np', '-nH', '-e', 'robots=off', url], limits)
const lftp =
  (parallel) =>
  ({ url }, limits) =>
    peer('lftp', ['set ftp:ssl-allow no', 'set ftp:use-mode-z no', `mirror -P ${parallel} ${url} .`], limits)
const oursTo = (more) => (site, limits) => retrieve(['mirror', ...more(site), site.url, limits.cwd], limits)
const ours = { name: 'retrieve mirror', run: oursTo(() => []) }

export const http = (args) =>
  mirrors('nginx', 'root/files/tree', (port) => `http://127.0.0.1:${port}/files/tree/`, args, [
    ours,
    { name: 'wget -m', needs: 'wget', run: wget, goal: 1.5 },
  ])

export const ftp = (args) =>
  mirrors('proftpd', 'root/pub/tree', (port) => `ftp://127.0.0.1:${port}/pub/tree/`, args, [
    ours,
    { name: 'wget -m', needs: 'wget', run: wget },
    ...[1, 4, 8].map((parallel) => ({
      name: `lftp mirror -P ${parallel}`,
      needs: 'lftp',
      run: lftp(parallel),
      goal: 1,
    })),
  ])

export const sftp = (args) =>
  mirrors('sshd', 'files/tree', (port, path) => `sftp://127.0.0.1:${port}${path}/`, args, [
    { name: ours.name, run: oursTo(hostKey) },
    { name: 'sftp -r', needs: 'sftp', run: sftpRecursive, goal: 1.5 },
  ])

function hostKey({ dir }) {
  const [, sum] = execFileSync('ssh-keygen', ['-lf', join(dir, 'host.pub')], { encoding: 'utf8' }).split(' ')
  return ['--key', join(dir, 'client'), '--hostpubsha256', sum.replace('SHA256:', '')]
}

function sftpRecursive({ dir, port, path }, limits) {
  const known = `UserKnownHostsFile=${join(dir, 'known_hosts')}`
  const options = ['-F', 'none', '-i', join(dir, 'client'), '-o', known, '-o', 'IdentitiesOnly=yes']
  return peer('sftp', ['-q', '-r', '-P', String(port), ...options, `127.0.0.1:${path}`, '.'], limits)
}

async function mirrors(program, below, urlOf, [runs = '5', files = '5000'], contestants) {
  const count = Number(files)
  const installed = presentPeers([...new Set(contestants.flatMap(({ needs }) => needs ?? []))])
  if (presentServers([program]).length === 0) return
  const present = contestants.filter(({ needs }) => needs === undefined || installed.includes(needs))
  const parent = memoryDirectory(512)
  const server = await startRealServer(program, parent)
  try {
    const path = join(server.dir, below)
    for (let at = 0; at < count; at++) server.write(join(path, nameOf(at)), octetsOf(at))
    const site = { url: urlOf(server.port, path), dir: server.dir, port: server.port, path }
    const samples = await rounds(present, Number(runs), (contestant) => measure(contestant, site, count, server))
    tell(`${count} files of 1 KiB in folders of ${perFolder} from ${program}`, present, samples, parent)
  } finally {
    await server.stop()
  }
}

const nameOf = (at) => `d${Math.floor(at / perFolder)}/f${at}`
const octetsOf = (at) => Buffer.alloc(1024, `file ${at}, `)

async function measure({ name, run }, site, count, server) {
  const cwd = server.scratch()
  await server.idle()
  const { seconds } = await run(site, { cwd, limit })
  check(name, cwd, count)
  rmSync(cwd, { recursive: true })
  return seconds
}

/** Throws unless each file is there, with its octets. */
function check(name, folder, count) {
  const paths = readdirSync(folder, { recursive: true })
  const suffix = /(?:^|\/)(d\d+\/f\d+)$/
  const found = new Map(paths.flatMap((path) => (suffix.test(path) ? [[suffix.exec(path)[1], path]] : [])))
  for (let at = 0; at < count; at++) {
    const path = found.get(nameOf(at))
    if (path === undefined) throw new Error(`${name} has not saved ${nameOf(at)}`)
    if (!readFileSync(join(folder, path)).equals(octetsOf(at))) throw new Error(`${name} has spoilt ${path}`)
  }
}

function tell(what, present, samples, parent) {
  const time = (name) => median(samples.get(name))
  const mine = time(present[0].name)
  const best = Math.min(...present.filter(({ goal }) => goal !== undefined).map(({ name }) => time(name)))
  process.stdout.write(`${what}, start of the process included; ${parent ?? 'the temporary directory'}.\n\n`)
  printTable(
    ['', 's', 'spread', 'we of it', 'goal'],
    present.map(({ name, goal }) => [
      name,
      time(name).toFixed(2),
      `${Math.min(...samples.get(name)).toFixed(2)}-${Math.max(...samples.get(name)).toFixed(2)}`,
      goal === undefined ? '' : (mine / time(name)).toFixed(2),
      goal !== undefined && time(name) === best ? goal.toFixed(1) : '',
    ]),
  )
}
