/** One request line, split into its fields. */
export interface GopherRequest {
  readonly selector: string
  readonly search: string | undefined
  /** `+text/plain`, `!`, `!+ABSTRACT`, `$`; absent in an RFC 1436 request. */
  readonly plus: string | undefined
  /** Whether a data block follows: the data flag is 1. */
  readonly data: boolean
}

/**
 * Splits `selector`, `selector TAB words`, `selector TAB + TAB 1`, `selector TAB words TAB !`. If the item is no
 * search, a first field that looks like Gopher+ counts as Gopher+. An empty search field may stand before it, as in RFC
 * 1738, 3.4.3.
 */
export function parseRequest(line: string, isSearch: boolean): GopherRequest {
  const [selector = '', ...fields] = line.split('\t')
  const hasWords = isSearch ? fields.length > 0 : fields[0] === '' || !/^[+!$]/.test(fields[0] ?? '+')
  const search = hasWords ? fields.shift() : undefined
  const [plus, flag] = fields
  return { selector, search, plus: plus === '' ? undefined : plus, data: flag === '1' }
}
