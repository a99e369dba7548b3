import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs'
import { removeStale } from '@retriever/fetchers/internal'
import { tryFile } from '../saving/destination.ts'
import type { Done } from './line.ts'

/**
 * Makes the file of a `done` line whole, if the process stopped between the line and the name: a part that has all
 * octets gets the name. `isSame` means that the machine has run since, so that what was written is there. Returns false
 * if the file is missing or has other octets: then its URL must be retrieved again.
 */
export async function settle(line: Done, isSame: boolean): Promise<boolean> {
  const { file } = line
  if (file === null) return true
  const part = `${file}.part`
  const [named, left] = [statsOf(file), statsOf(part)]
  if (left?.isFile() && left.size === line.size && (await sumOf(part)) === line.sha256) {
    tryFile(file, () => {
      // A process that stopped while it gave the name without overwriting has left both names.
      if (named?.ino === left.ino && named.dev === left.dev) unlinkSync(part)
      else renameSync(part, file)
    })
    await removeStale(part)
    return true
  }
  // What is no regular file was written where it is, such as a FIFO.
  if (named === undefined || !named.isFile()) return named !== undefined && line.size === null
  if (line.size !== null && named.size !== line.size) return false
  const isWhole = isSame || line.sha256 === null || (await sumOf(file)) === line.sha256
  // A process that stopped just behind the name has left the record of the part.
  if (isWhole) await removeStale(part)
  return isWhole
}

function statsOf(path: string): Stats | undefined {
  return tryFile(path, () => lstatSync(path, { throwIfNoEntry: false }))
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
