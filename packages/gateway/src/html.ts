import { readRanges } from '@retriever/fetchers/internal'
import type { FieldLine } from './answer.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text for HTML, in content and in attributes. Control characters but tab and line feed become U+FFFD. */
export function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
    .replace(/[\0-\x08\x0B-\x1F\x7F-\x9F]/g, '\uFFFD')
}

/** A piece of HTML, whose texts are escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The content of a piece of HTML: texts, which are escaped, and other pieces. Null and undefined add nothing. */
export type Content = Html | string | number | null | undefined | readonly Content[]

/** Makes a piece of HTML: html`<b>${name}</b>`. Every value is escaped, in content and in quoted attributes. */
export function html(pieces: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(pieces.map((piece, index) => `${index === 0 ? '' : textOf(values[index - 1])}${piece}`).join(''))
}

function textOf(content: Content): string {
  if (content === null || content === undefined) return ''
  if (content instanceof Html) return content.text
  return typeof content === 'object' ? content.map(textOf).join('') : escaped(String(content))
}

/** The beginning of a page that the gateway makes. It has no script and no style. */
export function pageStart(title: string): string {
  return `<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>${escaped(title)}</title></head>\n<body>\n<h1>${escaped(title)}</h1>\n`
}

export const pageEnd = '</body>\n</html>\n'

/** A whole page. */
export function ownPage(title: string, content: string): string {
  return `${pageStart(title)}${content}${pageEnd}`
}

/** Lets no browser guess another type than that of Content-Type. */
export const nosniff: FieldLine = ['X-Content-Type-Options', 'nosniff']

/** Lets a browser run no script in the octets of a server, and load nothing for them. */
export const sandbox: FieldLine = ['Content-Security-Policy', "default-src 'none'; sandbox"]

/** The fields of such a page. Forms are allowed in it, for searches. */
export const ownPageLines: readonly FieldLine[] = [
  nosniff,
  ['Content-Type', 'text/html; charset=utf-8'],
  ['Content-Security-Policy', "default-src 'none'; sandbox allow-forms"],
]

/** Whether Accept (RFC 9110 12.5.1) names text/html, and text/plain with no more weight. */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = readRanges(accept ?? '')
  const weightOf = (type: string): number => ranges.find(({ range }) => range === type)?.quality ?? 0
  const html = weightOf('text/html')
  return html > 0 && html >= weightOf('text/plain')
}
