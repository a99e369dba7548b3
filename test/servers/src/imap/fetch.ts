import type { Word } from './command.ts'
import type { Message } from './mailboxes.ts'

/**
 * A data item of a FETCH response: the text before the octets of a message, and these octets; null if there are none.
 */
export interface Item {
  readonly head: string
  readonly content: string | null
}

const date = '"03-Feb-2001 04:05:06 +0000"'

/** Items that stand for several (RFC 3501 6.4.5), as far as this server knows them. */
const macros: Readonly<Record<string, readonly string[]>> = { FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'] }

/** The requested items of a message; undefined if one of them is unknown. */
export function itemsOf(message: Message, asked: Word | undefined, isUid: boolean): readonly Item[] | undefined {
  const names = (typeof asked === 'object' ? asked : [asked ?? '']).map((word) => String(word))
  const all = names.flatMap((name) => macros[name.toUpperCase()] ?? [name])
  // RFC 3501 6.4.8: UID FETCH always returns the UID.
  const withUid = isUid && !all.some((name) => /^uid$/i.test(name)) ? ['UID', ...all] : all
  const items = withUid.map((name) => itemOf(message, name))
  return items.every((item) => item !== undefined) ? items : undefined
}

function itemOf({ uid, text }: Message, asked: string): Item | undefined {
  const name = asked.toUpperCase()
  switch (name) {
    case 'UID':
      return { head: `UID ${uid}`, content: null }
    case 'FLAGS':
      return { head: 'FLAGS (\\Seen)', content: null }
    case 'INTERNALDATE':
      return { head: `INTERNALDATE ${date}`, content: null }
    case 'RFC822.SIZE':
      return { head: `RFC822.SIZE ${text.length}`, content: null }
    case 'RFC822':
      return literal('RFC822', text)
    case 'RFC822.HEADER':
      return literal('RFC822.HEADER', headerOf(text))
    case 'RFC822.TEXT':
      return literal('RFC822.TEXT', text.slice(headerOf(text).length))
  }
  const [, section, offset, length] = /^BODY(?:\.PEEK)?\[(.*)\](?:<(\d+)\.(\d+)>)?$/i.exec(asked) ?? []
  if (section === undefined) return undefined
  const whole = sectionOf(text, section)
  if (whole === undefined) return { head: `BODY[${section}] NIL`, content: null }
  if (offset === undefined) return literal(`BODY[${section}]`, whole)
  return literal(`BODY[${section}]<${offset}>`, whole.slice(Number(offset), Number(offset) + Number(length)))
}

function literal(name: string, content: string): Item {
  return { head: `${name} {${content.length}}\r\n`, content }
}

/** A section (RFC 3501 6.4.5): all, the header, some of its fields, or the text; undefined if it does not exist. */
function sectionOf(text: string, section: string): string | undefined {
  const header = headerOf(text)
  const [, not, list] = /^HEADER\.FIELDS(\.NOT)? \(([^)]*)\)$/i.exec(section) ?? []
  if (list !== undefined) {
    const names = list.toLowerCase().split(' ')
    const lines = header.trimEnd().split('\r\n')
    const kept = lines.filter((line) => names.includes(line.split(':', 1)[0]?.toLowerCase() ?? '') !== Boolean(not))
    return `${kept.map((line) => `${line}\r\n`).join('')}\r\n`
  }
  const texts = new Map([
    ['', text],
    ['HEADER', header],
    ['TEXT', text.slice(header.length)],
  ])
  return texts.get(section.toUpperCase())
}

function headerOf(text: string): string {
  return text.slice(0, text.indexOf('\r\n\r\n') + 4)
}
