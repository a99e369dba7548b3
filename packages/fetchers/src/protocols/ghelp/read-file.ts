import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { overHeld } from '../../kit/size-limit.ts'

/**
 * Reads a regular file as text. Returns null if there is none that may be read. Rejects with `limit-exceeded` over
 * limits.maxCollected.
 */
export async function readText(path: string, context: RetrievalContext): Promise<string | null> {
  const { deadline, limits } = context
  return await deadline.within('request', async () => {
    // A FIFO must not block the retrieval.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => null)
    if (file === null) return null
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return null
      if (stats.size > limits.maxCollected) throw overHeld(context, 'page')
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  })
}
