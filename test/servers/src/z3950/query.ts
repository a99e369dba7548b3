import { type Node, readInteger } from './ber.ts'
import type { Book } from './seed.ts'

/** A query that the server cannot answer, with a condition of Bib-1 and its words. */
export class QueryError extends Error {
  readonly condition: number

  constructor(condition: number, words: string) {
    super(words)
    this.condition = condition
  }
}

/** The text of a book that each use attribute of Bib-1 searches; 0 means that none was given. */
const uses: ReadonlyMap<number, (book: Book) => string> = new Map([
  [0, all],
  [4, ({ title }: Book) => title],
  [21, ({ subject }: Book) => subject],
  [31, ({ year }: Book) => year],
  [1003, ({ author }: Book) => author],
  [1016, all],
])

function all({ title, author, subject, year }: Book): string {
  return `${title} ${author} ${subject} ${year}`
}

/**
 * Whether a book matches an RPNStructure: an operand [0], or two of them and an operator [1]. `docidUses` are the use
 * attributes that search for its id. Throws QueryError.
 */
export function fits(book: Book, node: Node, docidUses: readonly number[]): boolean {
  const [first, second, operator] = node.children
  if (node.tag === 0x81 && first !== undefined && second !== undefined && operator !== undefined) {
    const [left, right] = [fits(book, first, docidUses), fits(book, second, docidUses)]
    switch (operator.children[0]?.tag) {
      case 0x80:
        return left && right
      case 0x81:
        return left || right
      case 0x82:
        return left && !right
      default:
        throw new QueryError(110, '')
    }
  }
  if (node.tag !== 0x80 || first === undefined) throw new QueryError(108, 'malformed query')
  return fitsOperand(book, first, docidUses)
}

function fitsOperand(book: Book, { children }: Node, docidUses: readonly number[]): boolean {
  const attributes = new Map(
    (children.find(({ tag }) => tag === 0x9f2c)?.children ?? []).map((attribute) => {
      const [type, value] = attribute.children
      return [readInteger(type), value?.tag === 0x9f79 ? readInteger(value) : -1] as const
    }),
  )
  const term = children.find(({ tag }) => tag === 0x9f2d)?.contents.toString() ?? ''
  const use = attributes.get(1) ?? 0
  // A document id must be exactly equal.
  if (docidUses.includes(use) && use !== 0) return book.id === term
  const text = uses.get(use)?.(book)
  if (text === undefined) throw new QueryError(114, String(use))
  const words = (value: string): string[] => value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const isTruncated = attributes.get(5) === 1
  if (attributes.get(4) === 1) return ` ${words(text).join(' ')} `.includes(` ${words(term).join(' ')} `)
  return words(term).every((word) => words(text).some((each) => (isTruncated ? each.startsWith(word) : each === word)))
}
