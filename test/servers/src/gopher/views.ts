import { type Body, wholeBody } from '../body.ts'

/**
 * One view of an item (Gopher+ 2.6): the exact text with which a client asks for it, and the answer with its status
 * line.
 */
interface View {
  readonly name: string
  readonly size: string
  readonly answer: string
}

const english = 'Three views of one text.\r\n..a line with a dot\r\n'
const german = 'Drei Ansichten eines Textes.\r\n.\r\nEin Punkt allein ist hier kein Ende.\r\n'
const postscript = '%!PS\n(Three views of one text.) show\n'

/** Each view is framed in another way (Gopher+ 2.3): it ends with a dot, with the connection, or after its length. */
const views: readonly View[] = [
  { name: 'Text/plain', size: '<1k>', answer: `+-1\r\n${english}.\r\n` },
  { name: 'Text/plain De_DE', size: '<1k>', answer: `+-2\r\n${german}` },
  { name: 'application/postscript', size: '<37>', answer: `+${postscript.length}\r\n${postscript}` },
]

/** The lines of the +VIEWS block. */
export const viewLines: readonly string[] = views.map(({ name, size }) => `${name}: ${size}`)

/** The view that `+Text/plain De_DE` names; a bare `+` means the first one. */
export function viewAnswer(plus: string): Body {
  const view = plus === '+' ? views[0] : views.find(({ name }) => name === plus.slice(1))
  return wholeBody(view?.answer ?? '--1\r\n1 <ann@example.net>\r\nThere is no such view.\r\n.\r\n')
}

/** The answer to a request without Gopher+. */
export function plainView(): Body {
  return wholeBody(`${english}.\r\n`)
}
