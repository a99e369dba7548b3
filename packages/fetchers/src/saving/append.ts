import { constants, type FileHandle, open } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import { ChunkWriter, orWriteFailed, setTimes, writeFailed } from './local-file.ts'
import type { SavedFacts } from './saved-facts.ts'

/**
 * Appends the octets to `path`, whose length must be the offset of the first octet; at offset 0 the file may be
 * missing. If this fails, the file keeps the received octets, unless the server began at another offset
 * (`range-refused`) or the whole does not pass `check` (`checksum-failed`). Throws as save() does.
 */
export async function append(
  octets: AsyncIterable<Uint8Array>,
  path: string,
  facts: SavedFacts,
  check: () => void = () => {},
): Promise<void> {
  const { offset, modified } = facts
  const file = await openEnd(path, offset)
  try {
    await checkLength(file, path, offset)
    let length = offset
    const writer = new ChunkWriter(file)
    for await (const chunk of octets) {
      await orWriteFailed(path, () => writer.write(chunk))
      length += chunk.length
    }
    // If another process has appended to the file in the meantime, it is no copy of the resource.
    await checkLength(file, path, length)
    check()
    if (modified !== null) await orWriteFailed(path, () => setTimes(file, path, modified))
  } catch (error) {
    // The server did not begin at the offset (threats.md R18). The file could still have the right length.
    const isUseless = RetrievalError.is(error) && ['range-refused', 'checksum-failed'].includes(error.code)
    if (isUseless) await orWriteFailed(path, () => file.truncate(offset))
    throw error
  } finally {
    await orWriteFailed(path, () => file.close())
  }
}

/**
 * Opens the file for appending. It follows no link, since another user may have made the link, and does not wait for a
 * FIFO's reader (O_NONBLOCK: ENXIO).
 */
function openEnd(path: string, offset: number): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_NOFOLLOW, O_CREAT } = constants
  const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (constants.O_NONBLOCK ?? 0) | (offset === 0 ? O_CREAT : 0)
  const reasons = { ENXIO: irregular, ...(offset > 0 && { ENOENT: 'there is no such file to append to' }) }
  return orWriteFailed(path, () => open(path, flags, 0o666), reasons)
}

async function checkLength(file: FileHandle, path: string, length: number): Promise<void> {
  const stats = await orWriteFailed(path, () => file.stat())
  if (!stats.isFile()) throw writeFailed(path, irregular)
  if (stats.size === length) return
  throw writeFailed(path, `it has ${stats.size} octets, but the body continues after octet ${length}`)
}

const irregular = 'it is not a regular file, so nothing can be appended to it'
