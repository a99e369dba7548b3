/** An error in a search filter (RFC 4515). This file only checks filters; requests.ts encodes them in BER. */

export interface FilterError {
  readonly offset: number
  readonly what: string
}

/** Deeper nesting is useless, and could overflow the server's stack or ours (threats.md case 51). */
const maxDepth = 64

/** The error in a filter of octets, or undefined if there is none. Takes time linear in the filter's length. */
export function checkFilter(filter: string): FilterError | undefined {
  let at = 0
  let depth = 0
  const open: Array<{ operator: string; count: number }> = []
  while (at < filter.length) {
    const character = filter[at]
    if (character === '(') {
      const operator = filter[at + 1] ?? ''
      if ('&|!'.includes(operator) && operator !== '') {
        if (++depth > maxDepth) return { offset: at, what: `it nests deeper than ${maxDepth}` }
        open.push({ operator, count: 0 })
        at += 2
        continue
      }
      const end = itemEnd(filter, at)
      if (typeof end !== 'number') return end
      at = end
    } else if (character === ')') {
      const group = open.pop()
      if (group === undefined) return { offset: at, what: 'a ) has no (' }
      if (group.operator === '!' && group.count !== 1) return { offset: at, what: '! takes exactly one filter' }
      depth--
      at++
    } else return { offset: at, what: 'a ( was expected' }
    const parent = open.at(-1)
    if (parent !== undefined) parent.count++
    else if (at < filter.length) return { offset: at, what: 'only one filter is allowed' }
  }
  return open.length > 0 ? { offset: at, what: 'a ) is missing' } : undefined
}

const item = /\(([A-Za-z0-9.;-]*)((?::[Dd][Nn])?(?::[A-Za-z0-9.-]+)?:=|[~<>]?=)([^()\0]*)\)/y

/** The end of an item `(attribute=value)`, or the error in it. */
function itemEnd(filter: string, at: number): number | FilterError {
  item.lastIndex = at
  const match = item.exec(filter)
  if (match === null) return { offset: at, what: 'an item has the form (attribute=value)' }
  const [whole, attribute, operator = '', value = ''] = match
  if (attribute === '' && !/^:.*:=$/.test(operator)) return { offset: at + 1, what: 'an attribute is missing' }
  const bad = value.search(/\\(?![0-9A-Fa-f]{2})/)
  if (bad !== -1) {
    return { offset: at + whole.length - 1 - value.length + bad, what: 'two hexadecimal digits must follow \\' }
  }
  return at + whole.length
}
