// Other people's programs, as they are without anybody's configuration.
import { spawnSync } from 'node:child_process'

/** Those of these programs that are installed; says which are not, and the versions of those that are. */
export function presentPeers(names) {
  const versions = new Map(names.map((name) => [name, version(name)]))
  for (const [name, number] of versions) {
    if (number === undefined) process.stdout.write(`Left out: ${name} is not installed\n`)
  }
  const present = names.filter((name) => versions.get(name) !== undefined)
  process.stdout.write(
    `${[...present.map((name) => `${name} ${versions.get(name)}`), `node ${process.versions.node}`].join(', ')}\n`,
  )
  return present
}

function version(name) {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? '') : undefined
}

/** Each fails once and for all, rather than trying again for minutes, and asks nobody. */
const settings = {
  curl: ['-q', '-s', '-S'],
  wget: ['--no-config', '-q', '--tries=1', '--timeout=20'],
  wget2: ['--config=', '-q', '--tries=1', '--timeout=20', '--robots=off'],
  lftp: ['--norc', '-c'],
  aria2c: ['--no-conf', '-q', '--max-tries=1', '--file-allocation=none', '--allow-overwrite=true'],
}

/** What to run for `peer` with these arguments; lftp takes one, a script. */
export function peerCommand(peer, ...args) {
  const lftp = 'set net:max-retries 1; set net:timeout 20; set cmd:fail-exit yes; '
  return [peer, [...settings[peer], ...(peer === 'lftp' ? [lftp + args.join('; ')] : args)]]
}
