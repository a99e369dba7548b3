import type { BerWriter, Filter } from 'ldapts'
import type { Ldapts } from './library.ts'

/** The tags of the choices of Filter (RFC 4511 4.5.1). */
const tags = {
  and: 0xa0,
  or: 0xa1,
  not: 0xa2,
  equal: 0xa3,
  substrings: 0xa4,
  greaterOrEqual: 0xa5,
  lessOrEqual: 0xa6,
  present: 0x87,
  approximate: 0xa8,
  extensible: 0xa9,
} as const

type Write = (writer: BerWriter) => void

/**
 * The filter of a plan, whose syntax core has checked (RFC 4515), as a filter of ldapts. It is written octet by octet:
 * the parser of ldapts takes no OIDs, no options and no empty `(&)`, and turns `\c4` into the two octets of U+00C4.
 */
export function filterOf({ Filter: Base }: Ldapts, text: string): Filter {
  const writeIt = new FilterText(text).filter()
  class PlannedFilter extends Base {
    override type = tags.and
    override write(writer: BerWriter): void {
      writeIt(writer)
    }
    override toString(): string {
      return text
    }
  }
  return new PlannedFilter()
}

/** `(attribute=value)`, `(attribute:dn:rule:=value)`: as core has checked it. */
const item = /\(([A-Za-z0-9.;-]*)(?:(:[Dd][Nn])?(?::([A-Za-z0-9.-]+))?:=|([~<>]?)=)([^()\0]*)\)/y

/** The text of a filter, one octet a character, which is read once from its beginning to its end. */
class FilterText {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  filter(): Write {
    const operator = this.#text[this.#at + 1]
    if (operator === '&') return this.#set(tags.and)
    if (operator === '|') return this.#set(tags.or)
    if (operator === '!') return this.#set(tags.not)
    item.lastIndex = this.#at
    const match = item.exec(this.#text)
    // Core refuses such a URL, but a plan can be made by others.
    if (match === null) throw new Error('the filter of the plan is malformed')
    this.#at = item.lastIndex
    const [whole, attribute = '', dn, rule, sign, value = ''] = match
    if (sign === undefined) return extensible(attribute, rule, dn !== undefined, value)
    if (sign !== '') return assertion(signs.get(sign) ?? tags.approximate, attribute, value)
    if (whole.endsWith('=*)') && value === '*') {
      return (writer) => writer.writeBuffer(Buffer.from(attribute, 'latin1'), tags.present)
    }
    return value.includes('*') ? substrings(attribute, value) : assertion(tags.equal, attribute, value)
  }

  #set(tag: number): Write {
    this.#at += 2
    const members: Write[] = []
    while (this.#text[this.#at] === '(') members.push(this.filter())
    this.#at++
    return within(tag, (writer) => {
      for (const write of members) write(writer)
    })
  }
}

const signs: ReadonlyMap<string, number> = new Map([
  ['>', tags.greaterOrEqual],
  ['<', tags.lessOrEqual],
  ['~', tags.approximate],
])

function within(tag: number, write: Write): Write {
  return (writer) => {
    writer.startSequence(tag)
    write(writer)
    writer.endSequence()
  }
}

function assertion(tag: number, attribute: string, value: string): Write {
  return within(tag, (writer) => {
    writer.writeBuffer(Buffer.from(attribute, 'latin1'), 0x04)
    writer.writeBuffer(unescaped(value), 0x04)
  })
}

/** `univ*of*mich*`: initial, any, final; an empty initial or final is left out (RFC 4511 4.5.1.7.2). */
function substrings(attribute: string, value: string): Write {
  const parts = value.split('*')
  const write: Write = (writer) => {
    for (const [index, part] of parts.entries()) {
      const tag = index === 0 ? 0x80 : index === parts.length - 1 ? 0x82 : 0x81
      if (part !== '') writer.writeBuffer(unescaped(part), tag)
    }
  }
  return within(tags.substrings, (writer) => {
    writer.writeBuffer(Buffer.from(attribute, 'latin1'), 0x04)
    within(0x30, write)(writer)
  })
}

function extensible(attribute: string, rule: string | undefined, isDn: boolean, value: string): Write {
  return within(tags.extensible, (writer) => {
    if (rule !== undefined) writer.writeBuffer(Buffer.from(rule, 'latin1'), 0x81)
    if (attribute !== '') writer.writeBuffer(Buffer.from(attribute, 'latin1'), 0x82)
    writer.writeBuffer(unescaped(value), 0x83)
    if (isDn) writer.writeBoolean(true, 0x84)
  })
}

function unescaped(value: string): Buffer {
  const octets = value.replace(/\\([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(octets, 'latin1')
}
