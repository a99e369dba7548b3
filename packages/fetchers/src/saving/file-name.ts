import { decodeOctets, encodeOctets, octetsToText, type Resolution, utf8Octets } from '@retriever/core'

/** The most octets of UTF-8 in a name: every file system accepts so many, even with `.part.json` added. */
const maxOctets = 200

/**
 * The file name that a URL suggests: the last segment of its path, of a path that ends in `/` the one before, decoded
 * once and made safe as by safeFileName(), but it may begin with `.` as it does in the URL. Null if there is none. Use
 * the URL as typed, never one that a redirect names (CVE-2010-2252).
 */
export function fileNameOf(resolution: Resolution): string | null {
  const name = writtenNameOf(resolution)
  // An escaped separator hides where the name begins: `..%2f.bashrc`.
  return name === null ? null : safeFileName(name, { dotFiles: !/[\\/]/.test(name) })
}

/** The same name as it stands in the URL, decoded, but not made safe. */
export function writtenNameOf({ plan, locator }: Resolution): string | null {
  switch (plan.mechanism) {
    case 'ftp':
      return octetsToText(plan.name === '' ? (plan.cwd.findLast((name) => name !== '') ?? '') : plan.name)
    case 'gopher':
      return lastSegment(octetsToText(plan.selector))
    case 'nntp':
      return plan.messageId ?? (plan.articleNumber === null ? null : String(plan.articleNumber)) ?? ''
    case 'file':
      return lastSegment(octetsToText(plan.path))
    case 'z3950':
      return octetsToText(plan.docid ?? plan.databases.join('+'))
    case 'prospero':
      return lastSegment(octetsToText(plan.hsoname))
    case 'wais': {
      // The field 3 of a document-id is the server's own name of the document: `0 28 /docs/file.txt`.
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

/** The last segment that is not empty; "" if all are. */
function lastSegment(path: string): string {
  return path.split('/').findLast((segment) => segment !== '') ?? ''
}

/**
 * Invisible characters: soft hyphen, zero-width characters, byte order mark, tags. They are dropped, as names that look
 * alike would be two files.
 */
const invisible = /[\u00AD\u180E\u200B-\u200D\u2060-\u2064\uFEFF]|\uDB40[\uDC00-\uDC7F]/g
/** C0, DEL, C1, line separators, and the marks that reorder text. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const windowsOnly = /[<>:"|?*]/g
/** The names of Windows devices; `nul.txt` and `nul .txt` are the device, too. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i

/** The names that a file has while it is saved, which an unfinished file and its record take. */
const partName = /\.part(?:\.json(?:\.take)?)?$/i

interface FileNameRules {
  /** Characters that only Windows forbids are escaped for `win32`; default: this system. */
  readonly platform?: NodeJS.Platform
  /** Whether the name may begin with one `.`; default false. */
  readonly dotFiles?: boolean
}

/**
 * Makes a file name of any text, such as a server's: its last path segment, of at most 200 octets in UTF-8, without
 * separators, control and invisible characters. It does not begin with `.`, `-` or `~`, is no device of Windows, and
 * does not end as `NAME.part` and `NAME.part.json` do, which saveTo() writes. Null if nothing is left.
 */
export function safeFileName(text: string, rules: FileNameRules = {}): string | null {
  const { platform = process.platform, dotFiles = false } = rules
  const segment = text
    .slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1)
    .replace(invisible, '')
    // The system writes each half of a surrogate pair as U+FFFD, so that different names would be one file.
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .normalize('NFC')
  const named = trimEnd(segment.replace(controls, escaped).replace(platform === 'win32' ? windowsOnly : /$^/, escaped))
  if (named === '') return null
  // At the beginning, `-` would make the name an option, `~` a home directory, `.` a hidden file.
  const safe = shorten(named.replace(dotFiles ? /^(?:[-~]|\.(?=\.))/ : /^[-~.]/, '_').replace(device, '$1_'))
  // Saving the file next to it would replace this one, or read it as the record of an unfinished file.
  return partName.test(safe) ? `${shorten(safe, maxOctets - 1)}_` : safe
}

/**
 * The name without trailing dots and blanks: Windows drops them, which would name another file. `.` and `..` become
 * empty.
 */
function trimEnd(name: string): string {
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--
  return name.slice(0, end)
}

function escaped(character: string): string {
  return encodeOctets(utf8Octets(character))
}

/** Shortens the stem to `most` octets in all; an extension of up to 20 characters stays. */
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
