import type { RetrievalContext } from '../contract/fetcher.ts'

/** Asks a silent server for a sign of life at half of limits.idleTimeout, and at least every 30 seconds. */
export async function askingForLife<T>(
  { limits }: RetrievalContext,
  ask: () => Promise<void>,
  operation: () => Promise<T>,
): Promise<T> {
  const interval = Math.min(30_000, limits.idleTimeout / 2)
  // The operation reports a connection that is lost.
  const timer = setInterval(() => void ask().catch(() => {}), interval)
  try {
    return await operation()
  } finally {
    clearInterval(timer)
  }
}
