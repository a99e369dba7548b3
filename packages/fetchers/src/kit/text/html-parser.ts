import type { Parser, ParserOptions } from 'htmlparser2'
import { WritableStream } from 'htmlparser2/WritableStream'

/** What a parser calls while it reads. */
export interface HtmlHandler {
  onattribute?(name: string, value: string, quote?: string | null): void
  onopentag?(name: string, attributes: Readonly<Record<string, string>>): void
  ontext?(text: string): void
  onclosetag?(name: string, isImplied: boolean): void
  onend?(): void
}

/**
 * Makes a parser of htmlparser2. The library's main entry has one, too, but brings its DOM and a second table of
 * entities, which are 30 KB of every bundle. Its stream has the parser alone, and hands it to the handler.
 */
export function htmlParser(handler: HtmlHandler, options?: ParserOptions): Parser {
  const made: Parser[] = []
  const receiver = Object.assign(handler, { onparserinit: (parser: Parser) => void made.push(parser) })
  new WritableStream(receiver, options)
  const [parser] = made
  if (parser === undefined) throw new TypeError('htmlparser2 has made no parser.')
  return parser
}
