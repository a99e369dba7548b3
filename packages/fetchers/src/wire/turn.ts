import type { Deadline } from '../contract/deadline.ts'

/**
 * How many milliseconds may be spent parsing octets that have arrived before timers and other sockets get their turn. A
 * peer can put 6,000 empty blocks into 64 KiB, and no wait for the network stands between them.
 */
const longest = 10

let begun: number | undefined

/** Whether this turn of the event loop has parsed for too long. `now` may pass a fresh performance.now(). */
export function isTurnLong(now: number = performance.now()): boolean {
  if (begun !== undefined) return now - begun > longest
  begun = now
  setImmediate(() => {
    begun = undefined
  })
  return false
}

/** Lets timers and other sockets have their turn. Rejects if the retrieval must end. */
export async function nextTurn(deadline: Deadline): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  deadline.throwIfAborted()
}
