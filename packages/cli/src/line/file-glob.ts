/** Patterns of file URLs, `file:///usr/share/doc/*.txt`, as uri(7) suggests and glob(7) describes them. */
import { existsSync, readdirSync } from 'node:fs'
import { decodeOctets, encodeOctets } from '@retriever/core'

/**
 * The URLs of the files that a file URL with `*` or `?` stands for, sorted by octets. Null if it is no such URL, if a
 * file of that very name exists, or if no file matches: the URL is then read as it is.
 */
export function matchingFiles(url: string): readonly string[] | null {
  const [, pattern] = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/)[^#]*)$/i.exec(url.trim()) ?? []
  if (pattern === undefined || !/[*?]/.test(pattern) || existsSync(octets(decodeOctets(pattern)))) return null
  let paths = ['']
  for (const segment of pattern.slice(1).split('/')) paths = paths.flatMap((folder) => step(folder, segment))
  // The last step of a plain name has not looked whether it is there.
  const found = paths.filter((path) => existsSync(octets(path)))
  return found.length === 0 ? null : found.sort().map((path) => `file://${encodeOctets(path, '/')}`)
}

/** The paths to which one segment of the pattern leads. One octet a character. */
function step(folder: string, segment: string): string[] {
  if (!/[*?]/.test(segment)) return [`${folder}/${decodeOctets(segment)}`]
  // An escaped wildcard stands for itself.
  const pattern: Piece[] = []
  for (const part of segment.match(/[*?]|[^*?]+/g) ?? []) {
    if (part === '*' || part === '?') pattern.push({ any: part })
    else pattern.push(...decodeOctets(part))
  }
  const names = namesIn(`${folder}/`)
  // A wildcard does not match the dot of a hidden file (glob(7)).
  const mayBeHidden = pattern[0] === '.'
  return names
    .filter((name) => (mayBeHidden || !name.startsWith('.')) && matches(name, pattern))
    .map((name) => `${folder}/${name}`)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(octets(folder), 'latin1')
  } catch {
    // It is no folder, or may not be read: nothing in it matches.
    return []
  }
}

type Piece = string | { readonly any: '*' | '?' }

/** Matches from the left. Only the last `*` so far may have to take more, so the time is at most that of a product. */
function matches(name: string, pattern: readonly Piece[]): boolean {
  let at = 0
  let piece = 0
  let star: { readonly piece: number; at: number } | null = null
  while (at < name.length) {
    const wanted = pattern[piece]
    if (typeof wanted === 'object' && wanted.any === '*') star = { piece: piece++, at }
    else if (wanted === name[at] || typeof wanted === 'object') {
      at++
      piece++
    } else if (star === null) return false
    else {
      at = ++star.at
      piece = star.piece + 1
    }
  }
  return pattern.slice(piece).every((rest) => typeof rest === 'object' && rest.any === '*')
}

function octets(path: string): Buffer {
  return Buffer.from(path, 'latin1')
}
