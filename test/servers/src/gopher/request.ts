/** One request line, split. */
export interface GopherRequest {
  readonly selector: string
  readonly search: string | undefined
  /** `+text/plain`, `!`, `!+ABSTRACT`, `$`; absent in an RFC 1436 request. */
  readonly plus: string | undefined
  /** A data block follows: the data flag is 1. */
  readonly data: boolean
}

/**
 * `selector`, `selector TAB words`, `selector TAB + TAB 1`, `selector TAB words TAB !`. Where an item is no search,
 * what follows the selector is Gopher+ if it looks so; RFC 1738, 3.4.3 sends an empty search field before it.
 */
export function parseRequest(line: string, isSearch: boolean): GopherRequest {
  const [selector = '', ...fields] = line.split('\t')
  const hasWords = isSearch ? fields.length > 0 : fields[0] === '' || !/^[+!$]/.test(fields[0] ?? '+')
  const search = hasWords ? fields.shift() : undefined
  const [plus, flag] = fields
  return { selector, search, plus: plus === '' ? undefined : plus, data: flag === '1' }
}
