/** URLs with sets and ranges, `{a,b}` and `[1-9]`, as curl reads them. */
import { isIPv6 } from 'node:net'
import { RetrievalError, redact } from '@retriever/core'

/** A set or range. There may be millions of values, so each is made only when it is asked for. */
interface Values {
  readonly count: number
  readonly at: (index: number) => string
}

/** A URL that a glob gives, and the values of its sets and ranges, for `#1`. */
interface Expansion {
  readonly url: string
  readonly values: readonly string[]
}

/** The most parts of a glob, as in curl. */
const maxParts = 100

/** The URLs that a glob gives. */
interface Expansions extends Iterable<Expansion> {
  readonly count: number
}

/** The URLs of a glob, in curl's order: the last set or range changes first. Throws `malformed-url` at once. */
export function expandGlob(glob: string): Expansions {
  const { parts, count } = new GlobReader(glob)
  return { count, [Symbol.iterator]: () => expansions(parts) }
}

function* expansions(parts: readonly (string | Values)[]): Generator<Expansion> {
  const indexes = parts.map(() => 0)
  for (;;) {
    const texts = parts.map((part, place) => (typeof part === 'string' ? part : part.at(indexes[place] ?? 0)))
    yield { url: texts.join(''), values: texts.filter((_, place) => typeof parts[place] !== 'string') }
    let place = parts.length - 1
    for (; place >= 0; place--) {
      const part = parts[place]
      const next = (indexes[place] ?? 0) + 1
      const isMore = part !== undefined && typeof part !== 'string' && next < part.count
      indexes[place] = isMore ? next : 0
      if (isMore) break
    }
    if (place < 0) return
  }
}

/** Replaces `#1` in the name of a file by the first value, and so on; a number without a value stays. */
export function fillName(name: string, values: readonly string[]): string {
  return name.replace(/#(\d+)/g, (typed, number: string) => values[Number(number) - 1] ?? typed)
}

class GlobReader {
  readonly parts: (string | Values)[] = []
  /** The number of URLs. */
  readonly count: number
  readonly #glob: string
  #at = 0

  constructor(glob: string) {
    this.#glob = glob
    let count = 1
    // Most URLs contain no glob.
    if (!/[{}[\]\\]/.test(glob)) {
      this.#at = glob.length
      if (glob !== '') this.parts.push(glob)
    }
    while (this.#at < glob.length) {
      const part = this.#readText() || this.#readValues()
      if (typeof part !== 'string') count *= part.count
      this.parts.push(part)
      if (this.parts.length > maxParts) throw this.#bad(`there are more than ${maxParts} parts`, 0)
    }
    if (count > Number.MAX_SAFE_INTEGER) throw this.#bad('it stands for too many URLs', 0)
    this.count = count
  }

  /** The text up to the next set or range. */
  #readText(): string {
    let text = ''
    for (; this.#at < this.#glob.length; this.#at++) {
      const rest = this.#glob.slice(this.#at, this.#at + 64)
      const literal = literalBrackets(rest)
      if (literal !== '') {
        text += literal
        this.#at += literal.length - 1
        continue
      }
      const character = rest.charAt(0)
      if (character === '{' || character === '[') break
      if (character === '}' || character === ']') throw this.#bad(`there is a ${character} without its beginning`)
      const escaped = /^\\([{}[\]])/.exec(rest)?.[1]
      if (escaped !== undefined) this.#at++
      text += escaped ?? character
    }
    return text
  }

  #readValues(): Values {
    return this.#glob.charAt(this.#at) === '{' ? this.#readSet() : this.#readRange()
  }

  #readSet(): Values {
    const start = this.#at++
    const items = ['']
    for (; this.#at < this.#glob.length; this.#at++) {
      const character = this.#glob.charAt(this.#at)
      if (character === '}') {
        if (this.#at++ === start + 1) throw this.#bad('the braces are empty', start)
        return { count: items.length, at: (index) => items[index] ?? '' }
      }
      if (character === '{' || character === '[') throw this.#bad('a set or range stands within another')
      if (character === ']') throw this.#bad('there is a ] without its beginning')
      if (character === ',') {
        items.push('')
        continue
      }
      const escaped = character === '\\' && this.#at + 1 < this.#glob.length
      if (escaped) this.#at++
      items.push(`${items.pop() ?? ''}${escaped ? this.#glob.charAt(this.#at) : character}`)
    }
    throw this.#bad('a { has no }', start)
  }

  #readRange(): Values {
    const start = this.#at
    const range = /^\[(?:([a-z])-([\s\S])|(\d+)-[ \t]*(\d+))(?::(\d+))?\]/i.exec(this.#glob.slice(start, start + 100))
    const [typed = '', letter, lastLetter = '', number = '', lastNumber, step = '1'] = range ?? []
    const isLetters = letter !== undefined
    const first = isLetters ? letter.charCodeAt(0) : Number(number)
    const last = isLetters ? lastLetter.charCodeAt(0) : Number(lastNumber)
    const width = number.startsWith('0') ? number.length : 0
    const by = Number(step)
    const isStep = first === last ? by === 1 : by >= 1 && by <= last - first
    const isSpan = isLetters ? last - first <= 25 : last <= Number.MAX_SAFE_INTEGER
    if (typed === '' || last < first || !isStep || !isSpan) {
      throw this.#bad('[ needs a range such as [1-9], [001-100:2] or [a-z]', start)
    }
    this.#at += typed.length
    const at = (index: number): string => {
      const value = first + index * by
      return isLetters ? String.fromCharCode(value) : String(value).padStart(width, '0')
    }
    return { count: Math.floor((last - first) / by) + 1, at }
  }

  #bad(what: string, at: number = this.#at): RetrievalError {
    const message = `In ${redact(this.#glob)}, ${what} (position ${at + 1}). For brackets and braces themselves, use -g.`
    return new RetrievalError('malformed-url', message, { phase: 'resolve', url: this.#glob, span: [at, at + 1] })
  }
}

/**
 * The brackets at the beginning of a text if they are no range: an IPv6 address (RFC 3986 3.2.2), or empty brackets.
 */
function literalBrackets(text: string): string {
  const [typed = '', address = ''] = /^\[([^\]]*)\]/.exec(text) ?? []
  // Node's test for IPv6 compiles a large regular expression at its first use, so the colon is checked first.
  return typed === '[]' || (address.includes(':') && isIPv6(address.replace(/%.*/s, ''))) ? typed : ''
}
