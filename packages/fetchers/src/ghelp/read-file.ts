import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { RetrievalContext } from '../plugin/fetcher.ts'

/**
 * A regular file as text; null if there is none that may be read. Rejects with `limit-exceeded` over
 * limits.maxCollected.
 */
export async function readText(path: string, context: RetrievalContext): Promise<string | null> {
  const { deadline, limits, error } = context
  return await deadline.within('request', async () => {
    // A FIFO must not hold the retrieval.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null)
    if (file === null) return null
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return null
      if (stats.size > limits.maxCollected) {
        const message = `The page has ${stats.size} octets, and limits.maxCollected is ${limits.maxCollected}.`
        throw error('limit-exceeded', message, { advice: { option: 'limits.maxCollected' } })
      }
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  })
}
