import type { GopherPlan } from '@retriever/core/internal'
import type { Entry } from '../../contract/fetcher.ts'

/** The media type of menus. None is registered; the +VIEWS of Gopher+ servers (UMN gopherd, pygopherd) use this one. */
const menuType = 'application/gopher-menu'

/** The type of a menu that has the attributes of its items. `$` asks for it. */
export const attributedMenuType = 'application/gopher+-menu'

/**
 * The media types of the item types in RFC 1436 3.8 and of later ones. Types that leave the format open (I, s, d, ...)
 * have none.
 */
const mediaTypes: Readonly<Record<string, string>> = {
  '0': 'text/plain',
  '1': menuType,
  '2': 'text/plain',
  '4': 'application/mac-binhex40',
  '5': 'application/octet-stream',
  '6': 'text/x-uuencode',
  '7': menuType,
  '9': 'application/octet-stream',
  g: 'image/gif',
  h: 'text/html',
  p: 'image/png',
  P: 'application/pdf',
}

/**
 * Returns the media type of the answer: that of the requested Gopher+ view (`+application/postscript Es_ES`), else that
 * of the item type. Attributes (`!`, `$`) are text.
 */
export function mediaTypeOf({ gophertype, gopherPlus }: GopherPlan): string | null {
  if (gopherPlus !== null && !gopherPlus.startsWith('+')) return 'text/plain'
  const [, view] = /^\+([\w.-]+\/[\w.+-]+)/.exec(gopherPlus ?? '') ?? []
  if (view !== undefined) return view.toLowerCase()
  return Object.hasOwn(mediaTypes, gophertype) ? (mediaTypes[gophertype] ?? null) : null
}

export function isMenuType(gophertype: string): boolean {
  return gophertype === '1' || gophertype === '7'
}

export function isMenu(mediaType: string | null): boolean {
  return mediaType === menuType || mediaType === attributedMenuType
}

/**
 * Whether the item consists of lines and ends with a `.`. BinHex and uuencode are text, too. Other types are octets up
 * to the end.
 */
export function isText(gophertype: string): boolean {
  return '01467'.includes(gophertype)
}

/**
 * Whether items of this type never are lines of text, so that lines mean an error. Other types are text, or leave it
 * open.
 */
export function isBinary(gophertype: string): boolean {
  return '59gIs<:;pPd'.includes(gophertype)
}

const files = '04569gIhsdpPrX<:;M'

/** Returns the kind of a menu entry of this type. */
export function entryKind(gophertype: string): Entry['kind'] {
  if (gophertype === '1') return 'directory'
  if (gophertype === '7' || gophertype === '2') return 'search'
  if ('8T'.includes(gophertype)) return 'service'
  if ('i3'.includes(gophertype)) return 'info'
  return files.includes(gophertype) ? 'file' : 'other'
}
