import { isAbsolute, relative, sep } from 'node:path'
import { safeFileName } from '@retriever/fetchers'
import type { Destination } from '../saving/destination.ts'
import { isIndexName } from '../saving/index-name.ts'

/**
 * Whether an earlier run of the command can have given this file to a URL: a name that somebody has written into the
 * journal must not lead elsewhere. `place` gives the place of the URL below the folder of -O; `isIndex`: its name has
 * the suffix of what came. A name that was taken has a number at its end: `a.txt.1`.
 */
export function isOwnFile(file: string, destination: Destination, place: () => string, isIndex = false): boolean {
  if (destination.to === 'stdout') return false
  if (destination.to === 'file') return isNumbered(file, destination.path)
  const path = relative(destination.directory, file)
  if (isAbsolute(path)) return false
  const segments = path.split(sep)
  // The name is that of the server.
  if (destination.byServer) return segments.length === 1 && safeFileName(path) === path
  const wanted = place().split('/')
  const isWanted = (segment: string, at: number): boolean =>
    isNumbered(segment, wanted[at] ?? '') || (isIndex && at === wanted.length - 1 && isIndexName(segment))
  return segments.length === wanted.length && segments.every(isWanted)
}

function isNumbered(name: string, wanted: string): boolean {
  return name === wanted || (name.startsWith(wanted) && /^\.[1-9]\d*$/.test(name.slice(wanted.length)))
}
