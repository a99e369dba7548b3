/**
 * The part of a plain text that a fragment names by its lines or characters, as `line=10,20` and `char=0,100` (RFC 5147
 * 2). A position alone names all behind it. Null: the fragment is none of these, or no such part is there.
 */
export function textSection(text: string, fragment: string): string | null {
  const [, unit, start = '', comma, end = ''] = /^(line|char)=(\d{0,15})(,(\d{0,15}))?(?:;.*)?$/.exec(fragment) ?? []
  if (unit === undefined || (start === '' && end === '')) return null
  const units = unit === 'line' ? text.match(/[^\n]*\n|[^\n]+$/g) : [...text]
  const last = comma === undefined || end === '' ? undefined : Number(end)
  return units?.slice(Number(start), last).join('') || null
}

/**
 * The section of a manual page whose heading a fragment names, in any letters: `OPTIONS`, or `Exit_status`. Headings
 * stand at the margin, or three columns within it. Null: there is none.
 */
export function manualSection(text: string, fragment: string): string | null {
  const wanted = fragment.replaceAll('_', ' ').toLowerCase()
  const lines = text.split('\n')
  // The first line is the running head of the page.
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
