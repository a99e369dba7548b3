import { type Attribute, maxQueryDepth, type Query, QueryError } from './query.ts'

interface Word {
  readonly text: string
  readonly offset: number
  readonly isQuoted: boolean
}

/**
 * Reads PQF (YAZ, "Prefix Query Format"): `@and @attr 1=4 water @attr 1=1003 maxwell`. An attribute applies to all that
 * follows within its operand. Throws QueryError.
 */
export function readPqf(text: string): Query {
  const reader = new PqfReader(wordsOf(text), text.length)
  reader.skipAttributeSet()
  const query = reader.query([], 0)
  reader.end()
  return query
}

class PqfReader {
  readonly #words: readonly Word[]
  readonly #length: number
  #at = 0

  constructor(words: readonly Word[], length: number) {
    this.#words = words
    this.#length = length
  }

  skipAttributeSet(): void {
    const word = this.#words[0]
    if (word?.text.toLowerCase() !== '@attrset' || word.isQuoted) return
    this.#at = 1
    this.#checkSet(this.#next('the name of an attribute set'))
  }

  query(inherited: readonly Attribute[], depth: number): Query {
    const word = this.#next('a term')
    if (depth > maxQueryDepth) throw new QueryError(word.offset, `it nests deeper than ${maxQueryDepth}`)
    if (word.isQuoted || !word.text.startsWith('@')) return term(inherited, word.text)
    switch (word.text.toLowerCase()) {
      case '@and':
      case '@or':
      case '@not': {
        const kind = word.text.toLowerCase().slice(1) as 'and' | 'or' | 'not'
        const left = this.query(inherited, depth + 1)
        return { kind, left, right: this.query(inherited, depth + 1) }
      }
      case '@attr':
        return this.query(this.#attribute(inherited), depth + 1)
      case '@term':
        this.#next('the type of a term')
        return term(inherited, this.#next('a term').text)
      default:
        throw new QueryError(word.offset, `${word.text} is not supported; @and, @or, @not, @attr and @term are`)
    }
  }

  end(): void {
    const rest = this.#words[this.#at]
    if (rest !== undefined) throw new QueryError(rest.offset, 'it should end here; put words of one term in quotes')
  }

  /** Reads `1=4`; the name of an attribute set may stand before it: `bib-1 1=4`. */
  #attribute(inherited: readonly Attribute[]): Attribute[] {
    let word = this.#next('an attribute')
    if (!word.text.includes('=')) {
      this.#checkSet(word)
      word = this.#next('an attribute')
    }
    const [, type = '', value = ''] = /^(\d{1,6})=(.+)$/s.exec(word.text) ?? []
    if (type === '') throw new QueryError(word.offset, 'an attribute has the form TYPE=VALUE, such as 1=4')
    const attribute: Attribute = [Number(type), /^\d{1,9}$/.test(value) ? Number(value) : value]
    return [...inherited.filter(([other]) => other !== attribute[0]), attribute]
  }

  #checkSet({ text, offset }: Word): void {
    if (/^(?:bib-?1|1\.2\.840\.10003\.3\.1)$/i.test(text)) return
    throw new QueryError(offset, 'the attribute set is unknown; only Bib-1 is known')
  }

  #next(what: string): Word {
    const word = this.#words[this.#at++]
    if (word === undefined) throw new QueryError(this.#length, `${what} is missing`)
    return word
  }
}

function term(attributes: readonly Attribute[], text: string): Query {
  return { kind: 'term', attributes, term: text }
}

/** Splits at blanks. Words with blanks are in double quotes, and a backslash stands before a quote. */
function wordsOf(text: string): Word[] {
  const words: Word[] = []
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))/gsy
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [whole, quoted, plain = ''] = found
    const offset = found.index + whole.length - whole.trimStart().length
    if (plain.startsWith('"')) throw new QueryError(offset, 'a quote has no end')
    const inner = quoted?.replace(/\\(.)/gs, '$1')
    words.push({ text: inner ?? plain, offset, isQuoted: inner !== undefined })
  }
  return words
}
