// Real servers, started as the interop tests start them: by test/interop/servers/hold.sh.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const scripts = fileURLToPath(new URL('../../interop/servers/', import.meta.url))

/** Those of these servers that can be started here; says why the others are left out. */
export function presentServers(names) {
  return names.filter((name) => {
    const { status, stderr } = spawnSync(`${scripts}${name}.sh`, ['--installed'], { encoding: 'utf8' })
    if (status !== 0) process.stdout.write(`Left out: ${stderr.trim()}\n`)
    return status === 0
  })
}

/** Memory, where it has room for so many MiB: no disk is measured then. */
export function memoryDirectory(mebibytes) {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > mebibytes * 2 ** 20 ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}

/**
 * Starts servers/NAME.sh. `write` puts a file below the root of what it shows, or at an absolute path; `scratch` makes
 * an empty directory. All files are in one directory below `parent`, which hold.sh removes at its end; and it ends when
 * its input does, however this process ends.
 */
export async function startRealServer(name, parent) {
  const port = await freePorts()
  const env = parent === undefined ? process.env : { ...process.env, TMPDIR: parent }
  const holder = spawn(`${scripts}hold.sh`, [name, String(port)], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  })
  const ended = once(holder, 'exit')
  let told = ''
  for await (const text of holder.stdout.setEncoding('utf8')) {
    told += text
    if (told.endsWith('ready\n')) break
  }
  if (!told.endsWith('ready\n')) throw new Error(`${name} did not start`)
  const dir = told.slice(0, told.indexOf('\n'))
  let scratches = 0
  return {
    name,
    port,
    /** The directory of all its files. */
    dir,
    write(path, octets) {
      const file = resolve(dir, 'root', path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, octets, { flag: 'a' })
    },
    scratch() {
      const made = join(dir, `scratch${scratches++}`)
      mkdirSync(made)
      return made
    },
    /** Removes what is in a directory. */
    empty(directory) {
      for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true })
    },
    /**
     * To be awaited before a measurement: proftpd 1.3.8 accepts nobody for up to 0.4 s after a session has ended; its
     * accept loop sleeps.
     */
    async idle() {
      if (name === 'proftpd') await setTimeout(600)
    },
    async stop() {
      holder.stdin.end()
      await ended
    },
  }
}

/** The first of eight neighbouring ports that nobody listens on; the scripts use up to seven. */
async function freePorts() {
  for (;;) {
    const first = 28_000 + 8 * Math.floor(Math.random() * 500)
    const free = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((offset) => isFree(first + offset)))
    if (free.every(Boolean)) return first
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
