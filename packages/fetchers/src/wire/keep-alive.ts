import type { RetrievalContext } from '../contract/fetcher.ts'

/**
 * Calls `ask` at half of limits.idleTimeout, and at least every 30 seconds, so that a silent server shows a sign of
 * life.
 */
export async function askingForLife<T>(
  { limits }: RetrievalContext,
  ask: () => Promise<void>,
  operation: () => Promise<T>,
): Promise<T> {
  const interval = Math.min(30_000, limits.idleTimeout / 2)
  // If the connection is lost, the operation itself reports that.
  const timer = setInterval(() => void ask().catch(() => {}), interval)
  try {
    return await operation()
  } finally {
    clearInterval(timer)
  }
}
