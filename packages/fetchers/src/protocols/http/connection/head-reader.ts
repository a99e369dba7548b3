import { octetsToText, printable } from '@retriever/core'
import { isToken } from '../../../kit/options.ts'
import {
  type Head,
  HeadTooLarge,
  InvalidHttp,
  maxFields,
  maxInterim,
  TooManyFields,
  TooManyInterim,
} from './connection.ts'
import { checkFraming, isBlank, trimmed } from './framing.ts'

const blankLine = Buffer.from('\r\n\r\n')
/** How each status line begins. */
const protocol = 'HTTP/'

/**
 * Reads the header section of a response in place of undici, as tolerantly as RFC 9112 allows: lines may end in LF
 * alone (2.2), the status line needs no reason (4), fields may be folded (5.2), blanks around values may be TABs (5.1),
 * and one length may come several times (6.3). Skips interim responses (RFC 9110 15.2). If two readers could read a
 * field in two ways, throws an InvalidHttp that names it. Octets may come in pieces of any size, and each is looked at
 * once.
 */
export class HeadReader {
  readonly #maxReply: number
  /** The beginning of a line whose end has not arrived. */
  #pending = ''
  #status: StatusLine | null = null
  #fields: Field[] = []
  /** How many octets the names and values have. */
  #size = 0
  #interim = 0
  /** Whether the last line after the status line ended in CRLF. Null: there is none yet. */
  #endsInCrlf: boolean | null = null
  /** How many fields end in CRLF before the first one that ends in LF alone. Null: there is no such field. */
  #beforeLf: number | null = null
  #head: Head | undefined

  constructor(maxReply: number) {
    this.#maxReply = maxReply
  }

  /** The head of the final response. Undefined until all of it has been read. */
  get head(): Head | undefined {
    return this.#head
  }

  /** Reads on, at most to the end of the header section. Returns how many octets were read. */
  read(octets: Buffer): number {
    let at = 0
    while (this.#head === undefined && at < octets.length) at += this.#readLines(octets, at)
    return at
  }

  /** Reads up to the next blank line, or all octets if there is none. */
  #readLines(octets: Buffer, from: number): number {
    const end = octets.indexOf(blankLine, from)
    const text = octets.toString('latin1', from, end < 0 ? octets.length : end + blankLine.length)
    let at = 0
    while (this.#head === undefined && at < text.length) {
      const lf = text.indexOf('\n', at)
      const before = this.#pending.length
      const line = this.#pending + text.slice(at, lf < 0 ? text.length : lf)
      this.#checkBeginning(line, before)
      at = lf < 0 ? text.length : lf + 1
      this.#pending = lf < 0 ? line : ''
      if (lf >= 0) {
        const endsInCrlf = line.endsWith('\r')
        this.#line(endsInCrlf ? line.slice(0, -1) : line, endsInCrlf)
      }
    }
    return at
  }

  /** Throws if a line is not HTTP or too long, even before its end has arrived. */
  #checkBeginning(line: string, before: number): void {
    if (this.#status !== null) {
      if (this.#size + line.length > this.#maxReply) throw new HeadTooLarge('a header section that is too long')
    } else if (before < protocol.length && !couldBeStatusLine(line)) throw new InvalidHttp('no status line')
  }

  #line(line: string, endsInCrlf: boolean): void {
    if (this.#status === null) this.#begin(line)
    else {
      this.#checkLineEnd(line, endsInCrlf)
      if (line === '') this.#end(this.#status)
      else if (isFold(line)) this.#fold(line)
      else this.#field(line)
    }
  }

  /** Reads the status line. Skips blank lines before it (RFC 9112 2.2). */
  #begin(line: string): void {
    if (line !== '') this.#status = readStatusLine(line)
  }

  /**
   * Checks a line end. An LF without CR ends a line if all fields end in this way, and from the first field of a CGI
   * script on. Otherwise it is part of a value: somebody put it there to make two fields of one.
   */
  #checkLineEnd(line: string, endsInCrlf: boolean): void {
    if (this.#endsInCrlf === true && !endsInCrlf) this.#beforeLf = this.#fields.length - (isFold(line) ? 1 : 0)
    else if (this.#endsInCrlf === false && endsInCrlf) throw holdsLineFeed(this.#fields.at(-1) as Field)
    this.#endsInCrlf = endsInCrlf
    if (line === '' && this.#beforeLf !== null) this.#checkScript(this.#beforeLf)
  }

  /**
   * Checks that fields after the server's own are the output of a CGI script, which some servers (Python's http.server)
   * send unchanged. One of them must be a field that every script must print (RFC 3875 6.2.1), and the body must end
   * with the connection.
   */
  #checkScript(before: number): void {
    const [own, printed] = [this.#fields.slice(0, before), this.#fields.slice(before)]
    const isScript = printed.some(([name]) => /^(?:content-type|location|status)$/i.test(name))
    const isFramed = own.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
    if (!isScript || isFramed) throw holdsLineFeed((printed[0] ?? own.at(-1)) as Field)
  }

  #field(line: string): void {
    const usual = usualField.exec(line)
    const field: Field = usual === null ? unusualField(line) : [usual[1] as string, usual[2] as string]
    this.#fields.push(field)
    if (this.#fields.length > maxFields) throw new TooManyFields()
    this.#size += field[0].length + field[1].length
  }

  /** Adds a folded line to the value of the field before it. The line break counts as a blank (RFC 9112 5.2). */
  #fold(line: string): void {
    const field = this.#fields.at(-1)
    if (field === undefined) throw new InvalidHttp(`a line begins with a blank, before any field (${shown(line)})`)
    const value = trimmed(line)
    checkValue(field[0], value)
    if (value !== '') field[1] += field[1] === '' ? value : ` ${value}`
    this.#size += line.length
  }

  #end({ version, status, reason }: StatusLine): void {
    if (status === 101) throw new InvalidHttp('it switches to another protocol (101), which was not asked for')
    if (status >= 200) {
      this.#head = { status, reason, version, ...checkFraming(this.#fields) }
      return
    }
    this.#interim++
    if (this.#interim > maxInterim) throw new TooManyInterim(`over ${maxInterim} interim answers`)
    this.#status = null
    this.#fields = []
    this.#size = 0
    this.#endsInCrlf = null
    this.#beforeLf = null
  }
}

type Field = [name: string, value: string]

/** A field as nearly all are written, which is read at once: a name, and a value of visible ASCII and inner blanks. */
const usualField = /^([\w!#$%&'*+.^`|~-]+): ([!-~](?:[ -~]*[!-~])?)$/

function unusualField(line: string): Field {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon))
  if (!isToken(name)) throw new InvalidHttp(`no field name before a colon (${shown(line)})`)
  const value = trimmed(line.slice(colon + 1))
  checkValue(name, value)
  return [name, value]
}

interface StatusLine {
  readonly version: string
  readonly status: number
  readonly reason: string
}

/**
 * Reads a status line. Several blanks may separate words; the reason and the blank before it may be missing (RFC 9112
 * 4).
 */
function readStatusLine(line: string): StatusLine {
  const [begin, version = '', status = ''] = /^HTTP\/(\d\.\d)[ \t]+(\d{3})(?![^ \t])/.exec(line) ?? []
  if (begin === undefined) throw new InvalidHttp(`the status line is "${shown(line)}"`)
  if (!version.startsWith('1.')) throw new InvalidHttp(`an answer of HTTP/${version}`)
  const reason = trimmed(line.slice(begin.length))
  checkValue('The status line', reason)
  // A later minor version is read as 1.1 (RFC 9110 2.5).
  return { version: version === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1', status: Number(status), reason }
}

/** Whether the text is the beginning of a status line, or of a blank line before one. */
function couldBeStatusLine(text: string): boolean {
  return text === '\r' || text.slice(0, protocol.length) === protocol.slice(0, text.length)
}

/** Throws for control characters other than TAB in a value (RFC 9110 5.5). */
function checkValue(name: string, value: string): void {
  if (/[\0-\x08\x0A-\x1F\x7F]/.test(value)) throw new InvalidHttp(`${shown(name)} holds a control character`)
}

function isFold(line: string): boolean {
  return isBlank(line.charCodeAt(0))
}

function holdsLineFeed([name]: Field): InvalidHttp {
  return new InvalidHttp(`${shown(name)} holds a line feed (LF without CR)`)
}

function shown(text: string): string {
  return printable(octetsToText(text.slice(0, 80)))
}
