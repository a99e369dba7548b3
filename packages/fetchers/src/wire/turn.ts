import type { Deadline } from '../contract/deadline.ts'

/**
 * The milliseconds for which octets that have come already are parsed before timers and other sockets have their turn:
 * a peer can put 6,000 empty blocks into 64 KiB, and no wait for the network stands between them.
 */
const longest = 10

let begun: number | undefined

/** Whether this turn of the event loop has been parsing for long. `now` is what performance.now() has just given. */
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
