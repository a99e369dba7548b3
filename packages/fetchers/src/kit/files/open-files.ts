import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The limit of open files where the system does not tell it. Most Linux systems set this one. */
const usualLimit = 1024
/** Half of the usual limit. Each idle connection takes 40 to 90 KB, and saves its server's next URL a round trip. */
const mostIdle = 512
/** How many idle connections make room for a file or connection that could not be opened. */
const roomMade = 8
/** The first wait for a file to be closed; later ones double, up to the last. In milliseconds. */
const firstWait = 10
const lastWait = 500
/** How long one waits while none of those that wait gets a file: then whoever has them keeps them. */
const longestWait = 60_000

/** A connection that may lie idle. */
export class IdleConnection {
  readonly close: () => void
  older: IdleConnection | null = null
  newer: IdleConnection | null = null
  isKept = false

  /** `close` is called when others need its place. */
  constructor(close: () => void) {
    this.close = close
  }
}

/** The idle connections of all clients of this process, in a list from the one used least recently. */
class IdleConnections {
  #most = 0
  #count = 0
  #oldest: IdleConnection | null = null
  #newest: IdleConnection | null = null

  /** Adds a connection that nobody uses now. If there are too many, the one used least recently is closed. */
  keep(connection: IdleConnection): void {
    this.forget(connection)
    connection.isKept = true
    connection.older = this.#newest
    if (this.#newest === null) this.#oldest = connection
    else this.#newest.newer = connection
    this.#newest = connection
    this.#most ||= Math.min(mostIdle, Math.floor(openFilesLimit() / 2))
    if (++this.#count > this.#most) this.closeOldest(1)
  }

  /** Removes a connection that is used again, or is closed. */
  forget(connection: IdleConnection): void {
    if (!connection.isKept) return
    const { older, newer } = connection
    if (older === null) this.#oldest = newer
    else older.newer = newer
    if (newer === null) this.#newest = older
    else newer.older = older
    connection.isKept = false
    connection.older = null
    connection.newer = null
    this.#count--
  }

  closeOldest(count: number): void {
    for (let left = count; left > 0 && this.#oldest !== null; left--) {
      const oldest = this.#oldest
      this.forget(oldest)
      oldest.close()
    }
  }
}

export const idleConnections: IdleConnections = new IdleConnections()

/** How many files and connections this process may have open. Node raises the soft limit to the hard one. */
function openFilesLimit(): number {
  try {
    // `Max open files            1024                 524288               files     `
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return soft === undefined ? usualLimit : Number(soft)
  } catch {
    return usualLimit
  }
}

/** How many files and connections have been opened. */
let opened = 0

/**
 * Opens a file or a connection. If the process, or the system, has as many open as it may, this closes idle
 * connections, and waits until something else is closed. It rejects with the system's error if that never happens.
 * `wait` may reject, to give up.
 */
export async function whenFilesAllow<T>(
  open: () => Promise<T>,
  wait: (milliseconds: number) => Promise<void> = (milliseconds) => sleep(milliseconds),
): Promise<T> {
  let waited = 0
  let before = opened
  for (let delay = firstWait; ; delay = Math.min(2 * delay, lastWait)) {
    try {
      const file = await open()
      opened++
      return file
    } catch (error) {
      if (opened !== before) waited = 0
      before = opened
      if (!isOutOfFiles(error) || waited >= longestWait) throw error
      waited += delay
      idleConnections.closeOldest(roomMade)
      await wait(delay)
    }
  }
}

/** Whether an error, or what caused it, says that no further file can be opened. */
export function isOutOfFiles(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOutOfFiles)
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE' || isOutOfFiles(error.cause)
}
