import type { RetrievalError } from '../errors.ts'
import { malformed, type SplitUrl } from './locator.ts'

export const slash = 47

/** Finds user, password, host and port (RFC 1738 3.1, RFC 3986 3.2); returns the offset at which the path begins. */
export function splitAuthority(split: SplitUrl, start: number, limit: number): number {
  const { text } = split
  let end = start
  let at = -1
  let colons = 0
  for (; end < limit; end++) {
    const code = text.charCodeAt(end)
    if (code === slash || code === 63) break
    if (code === 64) {
      if (at !== -1) throw secondAt(text, end)
      at = end
      colons = 0
    } else if (code === 58) colons++
  }
  if (split.odd) checkAuthority(text, start, end)
  split.authorityEnd = end
  if (at !== -1) splitLogin(split, start, at)
  else if (end < limit && text.charCodeAt(end) === 63) suspectQuery(text, end, limit)
  splitHostPort(split, at === -1 ? start : at + 1, end, colons)
  return end
}

function checkAuthority(text: string, start: number, end: number): void {
  const stray = text.slice(start, end).search(/[\s"<>{}|\\^`]/)
  if (stray === -1) return
  throw malformed(text, 'this character cannot stand in the host part', [start + stray, start + stray + 1])
}

function secondAt(text: string, at: number): RetrievalError {
  return malformed(text, 'a second @ stands before the host; write an @ of the user or password as %40', [at, at + 1])
}

function splitLogin(split: SplitUrl, start: number, end: number): void {
  const bracket = split.odd ? split.text.slice(start, end).search(/[[\]]/) : -1
  if (bracket !== -1) {
    const what = 'a bracket of the user or password must be written as %5B or %5D'
    throw malformed(split.text, what, [start + bracket, start + bracket + 1])
  }
  const colon = split.text.indexOf(':', start)
  split.userAt = start
  split.userEnd = colon === -1 || colon > end ? end : colon
  if (split.userEnd < end) split.passwordAt = split.userEnd + 1
}

function splitHostPort(split: SplitUrl, start: number, end: number, colons: number): void {
  const { text } = split
  split.hostAt = start
  split.hostEnd = end
  if (text.charCodeAt(start) === 91) {
    const close = text.indexOf(']', start)
    if (close === -1 || close >= end) throw malformed(text, 'the [ has no ]', [start, end])
    split.hostEnd = close + 1
    if (close + 1 === end) return
    if (text.charCodeAt(close + 1) !== 58) throw malformed(text, 'only a port may follow the ]', [close + 1, end])
    split.portAt = close + 2
  } else if (colons === 1) {
    split.hostEnd = text.indexOf(':', start)
    split.portAt = split.hostEnd + 1
  } else if (colons > 1) {
    throw malformed(text, 'an IPv6 address must stand in brackets, as in //[::1]/', [start, end])
  }
}

/** Throws for `ftp://a?b@h/`: RFC 1738 reads the user `a?b`, but RFC 3986 reads the host `a`. */
function suspectQuery(text: string, end: number, limit: number): void {
  const path = text.indexOf('/', end)
  const at = text.slice(end, path === -1 || path > limit ? limit : path).indexOf('@')
  if (at === -1) return
  throw malformed(text, 'an @ follows the ?, so parsers disagree about the host; write ? as %3F or @ as %40', [
    end,
    end + at + 1,
  ])
}
