// Other people's programs, as they are without anybody's configuration.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where test/interop/install.sh puts what it does not install. */
const unpacked = fileURLToPath(new URL('../../interop/.cache/unpacked/usr/bin/', import.meta.url))

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
  // sftp has no option that tells its version; ssh is of the same package.
  const [command, flag] = name === 'sftp' ? ['ssh', '-V'] : [program(name), '--version']
  const { status, stdout, stderr } = spawnSync(command, [flag], { encoding: 'utf8' })
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout || stderr)?.[0] ?? '') : undefined
}

function program(name) {
  return existsSync(unpacked + name) ? unpacked + name : name
}

/** Each fails once and for all, rather than trying again for minutes, and asks nobody. */
const settings = {
  curl: ['-q', '-s', '-S'],
  wget: ['--no-config', '-q', '--tries=1', '--timeout=20'],
  wget2: ['--config=', '-q', '--tries=1', '--timeout=20', '--robots=off'],
  lftp: ['--norc', '-c'],
  slrnpull: [],
  sftp: [],
  aria2c: ['--no-conf', '-q', '--max-tries=1', '--file-allocation=none', '--allow-overwrite=true'],
}

/** The command line for `peer` with these arguments; lftp takes one, a script. */
export function peerCommand(peer, ...args) {
  const lftp = 'set net:max-retries 1; set net:timeout 20; set cmd:fail-exit yes; '
  return [program(peer), [...settings[peer], ...(peer === 'lftp' ? [lftp + args.join('; ')] : args)]]
}
