import { octetsToText, printable } from '@retriever/core'
import { isToken } from '../../plugin/options.ts'
import { type Head, HeadTooLarge, InvalidHttp, maxInterim, TooManyInterim } from './connection.ts'
import { checkFraming, isBlank, trimmed } from './framing.ts'

const lf = 10
/** What each status line begins with. */
const protocol = 'HTTP/'

/**
 * Reads the header section of an answer before undici does, with the tolerance that RFC 9112 allows: lines may end in
 * LF alone (2.2), the status line needs no reason (4), fields may be folded (5.2), blanks around values may be TABs
 * (5.1), and one length may come several times (6.3). Interim answers are passed over (RFC 9110 15.2). What two
 * readers would read in two ways is an InvalidHttp that names the field. It takes octets as they come, in pieces of
 * any size, and looks at each once.
 */
export class HeadReader {
  readonly #maxReply: number
  /** The beginning of a line whose end has not come. */
  #pending = ''
  #status: StatusLine | null = null
  #fields: Field[] = []
  /** Octets of names and values. */
  #size = 0
  #interim = 0
  /** Of the last line of a field: it ended in CRLF. Null: there is none yet. */
  #endsInCrlf: boolean | null = null
  /** Fields before the first one that ends in LF alone, where others end in CRLF. Null: there is none. */
  #beforeLf: number | null = null
  #head: Head | undefined

  constructor(maxReply: number) {
    this.#maxReply = maxReply
  }

  /** The final answer's, once all of it has been read. */
  get head(): Head | undefined {
    return this.#head
  }

  /** Reads on, to the end of the header section at most. Gives the number of octets that were read. */
  read(octets: Buffer): number {
    let at = 0
    while (this.#head === undefined) {
      const end = octets.indexOf(lf, at)
      const before = this.#pending.length
      this.#pending += octets.toString('latin1', at, end < 0 ? octets.length : end)
      this.#checkBeginning(before)
      if (end < 0) return octets.length
      at = end + 1
      const line = this.#pending
      this.#pending = ''
      const endsInCrlf = line.endsWith('\r')
      this.#line(endsInCrlf ? line.slice(0, -1) : line, endsInCrlf)
    }
    return at
  }

  /** The same for undici, which is strict. */
  strict(): Buffer {
    const { version = '', status = 0, fields = [] } = this.#head ?? {}
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
    // The reason is none of undici's business.
    return Buffer.from(`${version} ${status} \r\n${lines.join('')}\r\n`, 'latin1')
  }

  /** A line need not end for it to be no HTTP, or too long. */
  #checkBeginning(before: number): void {
    if (this.#status !== null) {
      if (this.#size + this.#pending.length > this.#maxReply) throw tooLarge()
    } else if (before < protocol.length && !couldBeStatusLine(this.#pending)) throw new InvalidHttp('no status line')
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

  /** RFC 9112 2.2: blank lines before a message are passed over. */
  #begin(line: string): void {
    if (line !== '') this.#status = readStatusLine(line)
  }

  /**
   * An LF without CR ends a line where all fields end so, and from the first field of a CGI script on. Beside others it
   * is part of a value that somebody has put there to make two fields of one.
   */
  #checkLineEnd(line: string, endsInCrlf: boolean): void {
    if (this.#endsInCrlf === true && !endsInCrlf) this.#beforeLf = this.#fields.length - (isFold(line) ? 1 : 0)
    else if (this.#endsInCrlf === false && endsInCrlf) throw holdsLineFeed(this.#fields.at(-1))
    this.#endsInCrlf = endsInCrlf
    if (line === '' && this.#beforeLf !== null) this.#checkScript(this.#beforeLf)
  }

  /**
   * Some servers (Python's http.server) send fields of their own, and behind them what a CGI script prints as it is,
   * with one of the fields that every script must print (RFC 3875 6.2.1), and end the body with the connection.
   */
  #checkScript(before: number): void {
    const [own, printed] = [this.#fields.slice(0, before), this.#fields.slice(before)]
    const isScript = printed.some(([name]) => /^(?:content-type|location|status)$/i.test(name))
    const isFramed = own.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
    if (!isScript || isFramed) throw holdsLineFeed(printed[0] ?? own.at(-1))
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!isToken(name)) throw new InvalidHttp(`no field name before a colon (${shown(line)})`)
    const value = trimmed(line.slice(colon + 1))
    checkValue(name, value)
    this.#fields.push([name, value])
    this.#count(name.length + value.length)
  }

  /** RFC 9112 5.2: the line goes on with the value of the field before, as behind a blank. */
  #fold(line: string): void {
    const field = this.#fields.at(-1)
    if (field === undefined) throw new InvalidHttp(`a line begins with a blank, before any field (${shown(line)})`)
    const value = trimmed(line)
    checkValue(field[0], value)
    if (value !== '') field[1] += field[1] === '' ? value : ` ${value}`
    this.#count(line.length)
  }

  #count(octets: number): void {
    this.#size += octets
    if (this.#size > this.#maxReply) throw tooLarge()
  }

  #end({ version, status, reason }: StatusLine): void {
    if (status === 101) throw new InvalidHttp('it switches to another protocol (101), which was not asked for')
    if (status >= 200) {
      this.#head = { status, reason, version, fields: checkFraming(this.#fields) }
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

interface StatusLine {
  readonly version: string
  readonly status: number
  readonly reason: string
}

/** RFC 9112 4: words may be divided by more than one blank, and the reason be missing with the blank before it. */
function readStatusLine(line: string): StatusLine {
  const [begin, version = '', status = ''] = /^HTTP\/(\d\.\d)[ \t]+(\d{3})(?![^ \t])/.exec(line) ?? []
  if (begin === undefined) throw new InvalidHttp(`the status line is "${shown(line)}"`)
  if (!version.startsWith('1.')) throw new InvalidHttp(`an answer of HTTP/${version}`)
  const reason = trimmed(line.slice(begin.length))
  checkValue('The status line', reason)
  // RFC 9110 2.5: a later minor version is read as the one that is known.
  return { version: version === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1', status: Number(status), reason }
}

/** Whether it is the beginning of a status line, or of a blank line before one. */
function couldBeStatusLine(text: string): boolean {
  return text === '\r' || text.slice(0, protocol.length) === protocol.slice(0, text.length)
}

/** RFC 9110 5.5: TAB is the only control character that a value may hold. */
function checkValue(name: string, value: string): void {
  if (/[\0-\x08\x0A-\x1F\x7F]/.test(value)) throw new InvalidHttp(`${shown(name)} holds a control character`)
}

function isFold(line: string): boolean {
  return isBlank(line.charCodeAt(0))
}

function holdsLineFeed(field: Field | undefined): InvalidHttp {
  return new InvalidHttp(`${shown(field?.[0] ?? '')} holds a line feed (LF without CR)`)
}

function shown(text: string): string {
  return printable(octetsToText(text.slice(0, 80)))
}

function tooLarge(): HeadTooLarge {
  return new HeadTooLarge('a header section over maxReply')
}
