/** Starts the real servers of servers/NAME.sh for the tests, and stops them. */
import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { maxWorkers } from './workers.ts'

const servers: string = fileURLToPath(new URL('servers/', import.meta.url))

export interface RealServer {
  readonly name: string
  /** The first of the ports that the server uses; the script's header says what the others are. */
  readonly port: number
  /** The script's output: a URL a line, some with a remark after a blank. */
  readonly urls: readonly string[]
  /** Where the script wrote the seed files. */
  readonly dir: string
  /** Ends the server and removes its files; the tests' end, however it comes, does the same. */
  stop(): Promise<void>
}

/** Why the server cannot be started here, in one line; undefined when it can. */
export function missing(name: string): string | undefined {
  const { status, stderr, error } = spawnSync(`${servers}${name}.sh`, ['--installed'], { encoding: 'utf8' })
  return status === 0 ? undefined : stderr.trim() || `${name}.sh cannot be run: ${error?.message}`
}

/** Starts servers/NAME.sh on free ports, and returns once it answers. */
export async function startRealServer(name: string): Promise<RealServer> {
  const port = await freePorts()
  // A session of its own: an interrupt at the terminal ends the tests, and the end of its input then
  // tells hold.sh to stop the server, which a signal that reached both would cut short.
  const holder = spawn(`${servers}hold.sh`, [name, String(port)], { detached: true, stdio: 'pipe' })
  let complaints = ''
  holder.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    holder.once('error', reject)
    holder.once('close', resolve)
  })

  const lines: string[] = []
  for await (const line of createInterface({ input: holder.stdout })) {
    if (line !== 'ready') {
      lines.push(line)
      continue
    }
    holder.stdout.resume() // the end of its output is awaited, though nobody reads it
    return { name, port, urls: lines.slice(1), dir: lines[0] ?? '', stop }
  }
  throw new Error(`${name} did not start (exit status ${await ended}): ${complaints.trim()}`)

  async function stop(): Promise<void> {
    holder.stdin.end()
    const status = await ended
    if (status !== 0 || complaints !== '') throw new Error(`${name} did not stop cleanly (${status}): ${complaints}`)
  }
}

/**
 * The first of eight neighbouring ports that nobody listens on: below those that systems give to clients, and
 * above those of databases, where Retriever would refuse to speak another protocol.
 */
async function freePorts(): Promise<number> {
  // Files that run side by side (vitest.config.ts) have their own blocks of ports.
  const worker = Number(process.env.VITEST_POOL_ID ?? 1) % maxWorkers
  for (let attempt = 0; attempt < 100; attempt++) {
    const block = maxWorkers * Math.floor(Math.random() * (500 / maxWorkers)) + worker
    const first = 28_000 + 8 * block
    const free = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((offset) => isFree(first + offset)))
    if (free.every(Boolean)) return first
  }
  throw new Error('no eight free ports in a row between 28000 and 32000')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
