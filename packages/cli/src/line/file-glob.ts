/** Patterns of file URLs, `file:///usr/share/doc/*.txt`, as uri(7) suggests and glob(7) describes them. */
import { existsSync, readdirSync } from 'node:fs'
import { decodeOctets, encodeOctets } from '@retriever/core'

/**
 * The URLs of the files that a file URL with `*` or `?` matches, sorted by octets. Null if it is no such URL, if a file
 * has that very name, or if no file matches; the URL is then used as it is.
 */
export function matchingFiles(url: string): readonly string[] | null {
  const [, pattern] = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/)[^#]*)$/i.exec(url.trim()) ?? []
  if (pattern === undefined || !/[*?]/.test(pattern) || existsSync(octets(decodeOctets(pattern)))) return null
  let paths = ['']
  for (const segment of pattern.slice(1).split('/')) paths = paths.flatMap((folder) => step(folder, segment))
  // For a plain name, the last step has not looked whether the file exists.
  const found = paths.filter((path) => existsSync(octets(path)))
  return found.length === 0 ? null : found.sort().map((path) => `file://${encodeOctets(path, '/')}`)
}

/** The paths that one segment of the pattern matches, one octet a character. */
function step(folder: string, segment: string): string[] {
  if (!/[*?]/.test(segment)) return [`${folder}/${decodeOctets(segment)}`]
  // An escaped wildcard is a plain character.
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
    // If this is no folder or must not be read, nothing in it matches.
    return []
  }
}

type Piece = string | { readonly any: '*' | '?' }

/**
 * Matches from the left. Only the last `*` may still take more characters, so the time is at most the product of both
 * lengths.
 */
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
