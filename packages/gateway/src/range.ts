/** The one range of octets that a Range field asks for, as RetrieveOptions have it. */
export type OneRange = readonly [first: number, last: number | null]

/** The mechanisms besides HTTP whose servers send parts of a file. */
const ranged: ReadonlySet<string> = new Set(['ftp', 'sftp', 'nfs'])

export function hasRanges(mechanism: string): boolean {
  return ranged.has(mechanism)
}

/**
 * The range of a Range field (RFC 9110 14.2). Null for a field that is ignored, as a server may: absent, another unit,
 * several ranges, wrong syntax.
 */
export function readRange(field: string | undefined): OneRange | null {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(field ?? '') ?? []
  if (first === '') return last === '' || Number(last) === 0 ? null : [-Number(last), null]
  if (last === '') return [Number(first), null]
  return Number(last) < Number(first) ? null : [Number(first), Number(last)]
}

/** The value of Content-Range for a part that came. The size of the whole is known if the part reaches its end. */
export function contentRange([first, last]: OneRange, offset: number, size: number): string {
  const isToTheEnd = first < 0 || last === null || size < last - first + 1
  return `bytes ${offset}-${offset + size - 1}/${isToTheEnd ? offset + size : '*'}`
}
