/** An idleTimeout that no other timer has, and that no busy machine reaches. */
export const silence = 54_321

/** How many turns of the event loop a long timer lets pass, and the milliseconds between them. */
const [turns, milliseconds] = [20, 5]

/**
 * Runs an operation in which timers of the length `silence` fire after 20 turns of the event loop, a few milliseconds
 * apart, in place of the time itself. A server and a client in one process have exchanged what they had to say by then,
 * however busy the machine is: each turn reads what has arrived, and whatever arrives makes the client set a new timer.
 */
export async function withoutWaiting<T>(operation: () => Promise<T>): Promise<T> {
  const real = globalThis.setTimeout
  const shortened = (callback: (...args: unknown[]) => void, delay?: number, ...args: unknown[]): NodeJS.Timeout => {
    if (delay !== silence) return real(callback, delay, ...args)
    let left = turns
    const timer = real(() => {
      left--
      if (left > 0) timer.refresh()
      else callback(...args)
    }, milliseconds)
    return timer
  }
  globalThis.setTimeout = Object.assign(shortened as typeof real, real)
  try {
    return await operation()
  } finally {
    globalThis.setTimeout = real
  }
}
