/** An idleTimeout that no other timer has, and that no busy machine reaches. */
export const silence = 54_321

/** How many turns of the event loop a long timer lets pass, and the milliseconds between them. */
const [turns, milliseconds] = [20, 5]

/**
 * Runs an operation. Timers of the length `silence` fire in it after 20 turns of the event loop, a few milliseconds
 * apart, instead of after that time. By then a server and a client in one process have exchanged all that they had to
 * say, however busy the machine is: each turn reads what has arrived, and the client sets a new timer if anything has.
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
