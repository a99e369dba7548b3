import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { presentPeers } from '../peers/peers.mjs'

/** What the page says of the machine, the versions, and the moment. */
export function machine() {
  const [{ model }] = cpus()
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const version = (command, ...args) => {
    try {
      return /\d+(\.\d+)+/.exec(execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe' }))?.[0] ?? ''
    } catch {
      return ''
    }
  }
  return {
    machine: `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
    load: loadavg()[0].toFixed(1),
    commit: git('rev-parse', '--short', 'HEAD'),
    date: new Date().toISOString().slice(0, 10),
    versions: [
      `Node ${process.versions.node}`,
      ...presentPeers(['curl', 'wget', 'wget2', 'lftp', 'aria2c']).map(
        (name) => `${name} ${version(name, '--version')}`,
      ),
    ].join(', '),
  }
}
