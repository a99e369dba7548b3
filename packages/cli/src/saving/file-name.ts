import { decodeOctets, encodeOctets, octetsToText, type Resolution, utf8Octets } from '@retriever/core'
import { controls } from '../terminal/output.ts'

/** Octets of UTF-8: what every file system takes, `.part` and more included. */
const maxOctets = 200

/**
 * The name of a file for what a URL names, for -O: the last segment of its path, decoded once and made safe; null where it has none.
 * Only the URL as typed has a say: a server's redirect does not (CVE-2010-2252).
 */
export function fileNameOf({ plan, locator }: Resolution): string | null {
  switch (plan.mechanism) {
    case 'ftp':
      return safeFileName(octetsToText(plan.name))
    case 'gopher':
      return safeFileName(octetsToText(plan.selector))
    case 'nntp':
      return safeFileName(plan.messageId ?? (plan.articleNumber === null ? null : String(plan.articleNumber)) ?? '')
    case 'file':
      return safeFileName(octetsToText(plan.path))
    default:
      return safeFileName(octetsToText(decodeOctets(lastSegment(locator.urlPath ?? ''))))
  }
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * What is there and shows nothing: soft hyphen, zero-width characters, byte order mark, tags. Two names that look alike
 * would be two files, so they are dropped.
 */
const invisible = /[\u00AD\u180E\u200B-\u200D\u2060-\u2064\uFEFF]|\uDB40[\uDC00-\uDC7F]/g
const windowsOnly = /[<>:"|?*]/g
/** With what may follow: `nul.txt` is the device too, and so is `nul .txt`. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i

/** One path segment out of any text, harmless on all systems (security.md section 2); null where nothing is left of it. */
export function safeFileName(text: string, platform: NodeJS.Platform = process.platform): string | null {
  const segment = text
    .slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
    .replace(invisible, '')
    .normalize('NFC')
  const named = trimEnd(segment.replace(controls, escaped).replace(platform === 'win32' ? windowsOnly : /$^/, escaped))
  if (named === '') return null
  // An option, a home directory, a hidden file.
  const safe = shorten(named.replace(/^[-~.]/, '_').replace(device, '$1_'))
  // A later run reads such a file as the record of another one's part.
  return /\.part\.json$/i.test(safe) ? `${safe}_` : safe
}

/** Windows drops them, and another file would be meant. `.` and `..` go with them. */
function trimEnd(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--
  return name.slice(0, end)
}

function escaped(character: string): string {
  return encodeOctets(utf8Octets(character))
}

/** The extension is kept, unless it is the greater part of the name. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxOctets) return name
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? ''
  let stem = ''
  let room = maxOctets - Buffer.byteLength(extension)
  for (const character of name) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    stem += character
  }
  return trimEnd(stem + extension)
}
