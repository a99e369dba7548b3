import { type Attribute, maxQueryDepth, type Query, QueryError } from './query.ts'

/** The qualifiers by their names in default.bib of YAZ, with their use attributes of Bib-1. */
const qualifiers: Readonly<Record<string, number>> = {
  any: 1016,
  au: 1003,
  ti: 4,
  su: 21,
  isbn: 7,
  issn: 8,
  cc: 20,
  date: 31,
  pub: 1018,
  lang: 54,
  id: 1032,
  no: 12,
}

/** The values of the relation attribute (type 2). Equality needs none, since it is the default of servers. */
const relations: Readonly<Record<string, number | null>> = { '=': null, '<': 1, '<=': 2, '>=': 4, '>': 5, '<>': 6 }

interface Token {
  readonly kind: 'word' | 'quoted' | 'relation' | '(' | ')' | 'end'
  readonly text: string
  readonly offset: number
}

/**
 * Reads CCL (ISO 8777): `ti=water and (au=maxwell or au="j. c. maxwell") not date<1900`. `?` at the end of a word means
 * right truncation. Words side by side are a list of words; words in quotes are a phrase. Throws QueryError.
 */
export function readCcl(text: string): Query {
  const reader = new CclReader(tokensOf(text))
  const query = reader.query(0)
  reader.end()
  return query
}

class CclReader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  query(depth: number): Query {
    let left = this.#operand(depth)
    for (let kind = operatorOf(this.#token); kind !== null; kind = operatorOf(this.#token)) {
      this.#at++
      left = { kind, left, right: this.#operand(depth) }
    }
    return left
  }

  end(): void {
    if (this.#token.kind !== 'end')
      throw new QueryError(this.#token.offset, 'it should end here, or go on by and, or, not')
  }

  get #token(): Token {
    return this.#ahead(0)
  }

  #ahead(count: number): Token {
    return this.#tokens[this.#at + count] ?? { kind: 'end', text: '', offset: 0 }
  }

  #took(kind: '(' | ')'): boolean {
    const isNext = this.#token.kind === kind
    if (isNext) this.#at++
    return isNext
  }

  #operand(depth: number): Query {
    if (depth > maxQueryDepth) throw new QueryError(this.#token.offset, `it nests deeper than ${maxQueryDepth}`)
    if (this.#took('(')) {
      const query = this.query(depth + 1)
      if (!this.#took(')')) throw new QueryError(this.#token.offset, 'a ) is missing')
      return query
    }
    return this.#terms(this.#ahead(1).kind === 'relation' ? this.#qualifier() : [])
  }

  #qualifier(): Attribute[] {
    const { text, offset, kind } = this.#token
    const name = text.toLowerCase()
    if (kind !== 'word' || !Object.hasOwn(qualifiers, name)) {
      throw new QueryError(
        offset,
        `this qualifier is unknown; the known ones are ${Object.keys(qualifiers).join(', ')}`,
      )
    }
    const relation = relations[this.#ahead(1).text]
    this.#at += 2
    const use: Attribute = [1, qualifiers[name] ?? 0]
    return relation == null ? [use] : [use, [2, relation]]
  }

  /** Reads the words up to an operator or a parenthesis. */
  #terms(attributes: readonly Attribute[]): Query {
    const words: Token[] = []
    while (isTerm(this.#token) && operatorOf(this.#token) === null && this.#ahead(1).kind !== 'relation') {
      words.push(this.#token)
      this.#at++
    }
    const [first] = words
    if (first === undefined) throw new QueryError(this.#token.offset, 'a word to search for is missing')
    const text = words.map((word) => word.text).join(' ')
    const isPhrase = words.some(({ kind }) => kind === 'quoted') && text.includes(' ')
    const structure: Attribute[] = isPhrase ? [[4, 1]] : words.length > 1 ? [[4, 6]] : []
    const isTruncated = words.at(-1)?.kind === 'word' && text.endsWith('?')
    const truncation: Attribute[] = isTruncated ? [[5, 1]] : []
    const term = isTruncated ? text.slice(0, -1) : text
    if (term === '') throw new QueryError(first.offset, 'a word to search for is missing')
    return { kind: 'term', attributes: [...attributes, ...structure, ...truncation], term }
  }
}

function isTerm({ kind }: Token): boolean {
  return kind === 'word' || kind === 'quoted'
}

function operatorOf({ kind, text }: Token): 'and' | 'or' | 'not' | null {
  const name = text.toLowerCase()
  return kind === 'word' && (name === 'and' || name === 'or' || name === 'not') ? name : null
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = /\s*(?:"([^"]*)"|([()])|(<=|>=|<>|[=<>])|([^\s()=<>"]+))/gy
  let end = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [whole, quoted, parenthesis, relation, word = ''] = found
    const offset = found.index + whole.length - whole.trimStart().length
    end = pattern.lastIndex
    if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted, offset })
    else if (parenthesis !== undefined)
      tokens.push({ kind: parenthesis === '(' ? '(' : ')', text: parenthesis, offset })
    else if (relation !== undefined) tokens.push({ kind: 'relation', text: relation, offset })
    else tokens.push({ kind: 'word', text: word, offset })
  }
  if (text.slice(end).trim() !== '') throw new QueryError(end, 'a quote has no end')
  return [...tokens, { kind: 'end', text: '', offset: text.length }]
}
