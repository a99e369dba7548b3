import { type Element, elementsIn } from './ber.ts'
import type { DirectoryEntry } from './directory.ts'

/** Whether an entry matches a filter (RFC 4511 4.5.1.7). Octets are compared, and case is ignored. */
export function matches(entry: DirectoryEntry, { tag, contents }: Element): boolean {
  switch (tag) {
    case 0xa0:
      return elementsIn(contents).every((each) => matches(entry, each))
    case 0xa1:
      return elementsIn(contents).some((each) => matches(entry, each))
    case 0xa2:
      return elementsIn(contents).every((each) => !matches(entry, each))
    case 0x87:
      return valuesOf(entry, folded(contents)).length > 0
    case 0xa4:
      return hasSubstrings(entry, contents)
    case 0xa3:
    case 0xa8:
      return compares(entry, contents, (value, asserted) => value === asserted)
    case 0xa5:
      return compares(entry, contents, (value, asserted) => value >= asserted)
    case 0xa6:
      return compares(entry, contents, (value, asserted) => value <= asserted)
    default:
      // A server that does not know the rule takes an extensible match for undefined.
      return false
  }
}

function compares(
  entry: DirectoryEntry,
  assertion: Buffer,
  compare: (value: string, asserted: string) => boolean,
): boolean {
  const [type, asserted] = elementsIn(assertion)
  if (type === undefined || asserted === undefined) return false
  const text = folded(asserted.contents)
  return valuesOf(entry, folded(type.contents)).some((value) => compare(value, text))
}

function hasSubstrings(entry: DirectoryEntry, contents: Buffer): boolean {
  const [type, parts] = elementsIn(contents)
  if (type === undefined || parts === undefined) return false
  return valuesOf(entry, folded(type.contents)).some((value) => {
    let rest = value
    for (const { tag, contents: part } of elementsIn(parts.contents)) {
      const text = folded(part)
      const at = tag === 0x82 ? rest.length - text.length : rest.indexOf(text)
      if (at < 0 || (tag === 0x80 && at !== 0) || !rest.startsWith(text, at)) return false
      rest = rest.slice(at + text.length)
    }
    return true
  })
}

function valuesOf({ attributes }: DirectoryEntry, type: string): string[] {
  const found = Object.entries(attributes).find(([name]) => name.toLowerCase() === type)
  return (found?.[1] ?? []).map((value) => folded(Buffer.from(value)))
}

function folded(octets: Buffer): string {
  return octets.toString('latin1').toLowerCase()
}
