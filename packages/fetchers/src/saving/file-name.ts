import { decodeOctets, encodeOctets, octetsToText, type Resolution } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'

/** How many octets of UTF-8 a name has at most. Every file system accepts this many, even with `.part.json` added. */
const maxOctets = 200

/**
 * Returns the file name that a URL suggests: the last segment of its path, or the one before if the path ends in `/`.
 * It is decoded once and made safe as safeFileName() does, but may begin with `.` if it does in the URL. Null if there
 * is none. Use the URL as typed, never one that a redirect names (CVE-2010-2252).
 */
export function fileNameOf(resolution: Resolution): string | null {
  const name = writtenNameOf(resolution)
  // An escaped separator hides where the name begins: `..%2f.bashrc`.
  return name === null ? null : safeFileName(name, { dotFiles: !/[\\/]/.test(name) })
}

/** Returns the same name as it stands in the URL: decoded, but not made safe. */
export function writtenNameOf({ plan, locator }: Resolution): string | null {
  switch (plan.mechanism) {
    case 'ftp':
      return octetsToText(plan.name === '' ? (plan.cwd.findLast((name) => name !== '') ?? '') : plan.name)
    case 'gopher':
      return lastSegment(octetsToText(plan.selector))
    case 'nntp':
      if (plan.articleNumber !== null) return String(plan.articleNumber)
      return plan.messageId ?? (plan.select === 'group' ? (plan.newsgroup ?? '') : '')
    case 'file':
      return lastSegment(octetsToText(plan.path))
    case 'z3950':
      return octetsToText(plan.docid ?? plan.databases.join('+'))
    case 'prospero':
      return lastSegment(octetsToText(plan.hsoname))
    case 'wais': {
      // Field 3 of a document-id is the server's own name of the document: `0 28 /docs/file.txt`.
      const path = locator.urlPath ?? ''
      const [, name = lastSegment(path)] = /[/;]3=([^;]+)/.exec(path) ?? []
      return octetsToText(decodeOctets(name))
    }
    case 'mailto':
      return 'draft.eml'
    case 'data':
      return null
    default:
      return octetsToText(decodeOctets(lastSegment(locator.urlPath ?? '')))
  }
}

/** Returns the last segment that is not empty; "" if all are empty. */
function lastSegment(path: string): string {
  return path.split('/').findLast((segment) => segment !== '') ?? ''
}

/**
 * Invisible characters: soft hyphen, zero-width characters, byte order mark, tags. They are dropped, since two
 * different files would seem to have the same name.
 */
const invisible = /[\u00AD\u180E\u200B-\u200D\u2060-\u2064\uFEFF]|\uDB40[\uDC00-\uDC7F]/g
/** C0, DEL, C1, line separators, and the marks that reorder text. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
/** Matches most names. Nothing in such a name is to be escaped. */
const plain = /^[\w.-]+$/
const windowsOnly = /[<>:"|?*]/g
/** The names of Windows devices. `nul.txt` and `nul .txt` mean the device, too. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i

/** The names of an unfinished file and of its record. */
const partName = /\.part(?:\.json(?:\.take)?)?$/i

interface FileNameRules {
  /** On `win32`, characters that only Windows forbids are escaped. Default: this system. */
  readonly platform?: NodeJS.Platform
  /** Whether the name may begin with one `.`; default false. */
  readonly dotFiles?: boolean
}

/**
 * Makes a file name from any text, such as a server's: its last path segment, of at most 200 octets in UTF-8, without
 * separators, control and invisible characters. The name does not begin with `.`, `-` or `~`, is no device of Windows,
 * and does not end as `NAME.part` and `NAME.part.json` do, which saveTo() writes. Null if nothing is left.
 */
export function safeFileName(text: string, rules: FileNameRules = {}): string | null {
  const { platform = process.platform, dotFiles = false } = rules
  const segment = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
  const named = trimEnd(plain.test(segment) ? segment : visible(segment, platform))
  if (named === '') return null
  // At the beginning, `-` makes the name an option, `~` a home directory, `.` a hidden file.
  const safe = shorten(named.replace(dotFiles ? /^(?:[-~]|\.(?=\.))/ : /^[-~.]/, '_').replace(device, '$1_'))
  // Saving `NAME` replaces a file that is called `NAME.part`, and reads one that is called `NAME.part.json`.
  return partName.test(safe) ? `${shorten(safe, maxOctets - 1)}_` : safe
}

/** Removes or escapes the characters that no name may have on a system. */
function visible(name: string, platform: NodeJS.Platform): string {
  const shown = name
    .replace(invisible, '')
    // The system writes each half of a surrogate pair as U+FFFD, which would make different names one file.
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .normalize('NFC')
    .replace(controls, escaped)
  return platform === 'win32' ? shown.replace(windowsOnly, escaped) : shown
}

/** The place that a hash gives a file: `ab/cdef0123....txt`, of its first 32 digits and the extension of the name. */
export function hashedPlace(digits: string, name: string): string {
  const [extension = ''] = /\.[a-z\d]{1,8}$/.exec(name.toLowerCase()) ?? []
  return `${digits.slice(0, 2)}/${digits.slice(2, 32)}${extension}`
}

/** Removes trailing dots and blanks: Windows drops them, and would then use another file. `.` and `..` become empty. */
function trimEnd(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--
  return name.slice(0, end)
}

function escaped(character: string): string {
  return encodeOctets(utf8Octets(character))
}

/** Shortens the stem so that the name has at most `most` octets. An extension of up to 20 characters stays. */
function shorten(name: string, most = maxOctets): string {
  if (Buffer.byteLength(name) <= most) return name
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? ''
  let stem = ''
  let room = most - Buffer.byteLength(extension)
  for (const character of name) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    stem += character
  }
  return trimEnd(stem + extension)
}
