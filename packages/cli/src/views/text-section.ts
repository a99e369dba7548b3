/**
 * The part of a plain text that a fragment names by lines or characters: `line=10,20`, `char=0,100` (RFC 5147 2). A
 * single position means all text behind it. Null if the fragment has no such form, or if the text has no such part.
 */
export function textSection(text: string, fragment: string): string | null {
  const [, unit, start = '', comma, end = ''] = /^(line|char)=(\d{0,15})(,(\d{0,15}))?(?:;.*)?$/.exec(fragment) ?? []
  if (unit === undefined || (start === '' && end === '')) return null
  const units = unit === 'line' ? text.match(/[^\n]*\n|[^\n]+$/g) : [...text]
  const last = comma === undefined || end === '' ? undefined : Number(end)
  return units?.slice(Number(start), last).join('') || null
}

/**
 * The section of a manual page whose heading a fragment names, in upper or lower case: `OPTIONS`, or `Exit_status`.
 * Headings stand at the margin, or three columns from it. Null if there is no such section.
 */
export function manualSection(text: string, fragment: string): string | null {
  const wanted = fragment.replaceAll('_', ' ').toLowerCase()
  const lines = text.split('\n')
  // The first line is the page header, and no heading.
  const from = lines.findIndex((line, index) => index > 0 && isHeading(line) && titleOf(line) === wanted)
  if (from === -1) return null
  const margin = marginOf(lines[from] ?? '')
  const length = lines.slice(from + 1).findIndex((line) => isHeading(line) && marginOf(line) <= margin)
  return `${lines
    .slice(from, length === -1 ? undefined : from + 1 + length)
    .join('\n')
    .trimEnd()}\n`
}

function titleOf(heading: string): string {
  return heading.trim().replace(/:$/, '').toLowerCase()
}

function isHeading(line: string): boolean {
  return /^(?: {3})?\S/.test(line)
}

function marginOf(line: string): number {
  return line.startsWith(' ') ? 3 : 0
}
