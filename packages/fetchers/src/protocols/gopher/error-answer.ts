import { octetsToText, printable } from '@retriever/core'
import type { GopherPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { LineReader } from '../../wire/framing/lines.ts'
import { isBinary } from './item-type.ts'

/** Matches a line of a menu (RFC 1436 3.4): four fields, of which the last is a number. */
const menuLine = /^[^\t]+\t[^\t]*\t[^\t]*\t *\d/

/**
 * Matches an error without fields: `3Not found`. A text of one line may begin with a number, such as 3 of something,
 * 3.5 or 3:15.
 */
const bareError = /^3 *[^\d\s.,:;-]/

/** How many lines an error in prose has at most. */
const maxProse = 5

/** Matches an error in a sentence: `File or directory not found!` */
const sentence = /^[A-Za-z][^\0-\x20]* [^\0-\x1F]*$/

/**
 * Throws `not-found` if the whole answer is an error. RFC 1436 has no status: if a server does not have an item, it
 * sends a menu of errors (type 3) and information (i), or a sentence, whatever the type is. If a text is one line that
 * may be an error, a remark says so. This reads no further than needed, and the body gives again what was read.
 */
export async function throwErrorAnswer(plan: GopherPlan, source: LineReader, context: RetrievalContext): Promise<void> {
  const answer = new Answer(plan.gophertype)
  const { maxLine, idleTimeout, minSpeed, minSpeedTime } = context.limits
  // An error comes at once. A slow answer is a body, and limits.minSpeed is for bodies.
  const latest = performance.now() + (minSpeed > 0 ? Math.min(idleTimeout, minSpeedTime) : idleTimeout)
  let ended = false
  while (!ended && answer.length <= maxLine && performance.now() < latest && answer.mayBeError()) {
    const chunk = await source.read('body')
    ended = chunk === null
    if (chunk !== null) answer.add(chunk)
  }
  source.unread(answer.octets)
  if (!ended || !answer.mayBeError()) return
  const error = answer.error()
  if (error !== null) {
    const message = error === '' ? ', and sends a menu in its place.' : `: ${error}`
    throw context.error('not-found', `The server has no such item${message}`, {
      phase: 'request',
      ...(error !== '' && { reply: error }),
    })
  }
  const doubt = answer.doubt()
  if (doubt === null) return
  const message = `The answer is one line that begins with 3, as errors of Gopher servers do: ${doubt}`
  context.emit({ type: 'remark', url: context.url, message })
}

/** The beginning of an answer and the lines in it. */
class Answer {
  readonly #type: string
  #octets: Uint8Array = new Uint8Array(0)
  /** The complete lines, without blank ones and the end mark. */
  readonly #lines: string[] = []
  #isMarked = false
  /** True while all lines so far end in CR LF. */
  #isCrlf = true
  /** The offset at which the incomplete line begins. */
  #open = 0

  constructor(gophertype: string) {
    this.#type = gophertype
  }

  get length(): number {
    return this.#octets.length
  }

  get octets(): Uint8Array {
    return this.#octets
  }

  add(chunk: Uint8Array): void {
    this.#octets = this.#octets.length === 0 ? chunk : Buffer.concat([this.#octets, chunk])
  }

  /** Whether all lines so far could be an error. */
  mayBeError(): boolean {
    for (let end = this.#octets.indexOf(0x0a, this.#open); end !== -1; end = this.#octets.indexOf(0x0a, this.#open)) {
      const line = this.#text(this.#open, end)
      this.#isCrlf &&= this.#octets[end - 1] === 0x0d
      if (!this.#fits(line)) return false
      if (line === '.') this.#isMarked = true
      else if (line !== '') this.#lines.push(line)
      this.#open = end + 1
    }
    const rest = this.#text(this.#open, this.length)
    return isBinary(this.#type) ? isWords(rest) : '3i.'.includes(rest.charAt(0))
  }

  /**
   * Returns the words of the error if the whole answer is one, "" for a menu without any, and null if it is no error.
   */
  error(): string | null {
    const lines = this.#content()
    if (lines.length === 0) return null
    if (lines.every((line) => menuLine.test(line))) return this.#menuError(lines)
    const [line = ''] = lines
    if (this.#isProse(lines)) return errorWords([line])
    if (lines.length > 1) return null
    if (bareError.test(line)) return this.#type === '0' ? null : errorWords([line.slice(1)])
    // A binary item has no end mark.
    return isBinary(this.#type) && this.#isMarked && sentence.test(line) ? errorWords([line]) : null
  }

  /** Returns the words of a text that could be an error. Null for any other text. */
  doubt(): string | null {
    const [line = ''] = this.#content()
    return bareError.test(line) ? errorWords([line]) : null
  }

  #menuError(lines: readonly string[]): string | null {
    const displays = (type: string): string[] =>
      lines.flatMap((line) => (line.startsWith(type) ? [line.slice(1, line.indexOf('\t'))] : []))
    const errors = displays('3')
    if (errors.length === 0 && !isBinary(this.#type)) return null
    return errorWords(errors.length > 0 ? errors : displays('i'))
  }

  /** Whether the line could belong to an error. Only blank lines may follow an end mark (geomyidae). */
  #fits(line: string): boolean {
    if (line === '') return true
    if (this.#isMarked) return false
    if (line === '.') return true
    if (menuLine.test(line)) return isBinary(this.#type) || /^[3i]/.test(line)
    if (isBinary(this.#type)) return this.#lines.length < maxProse && isWords(line)
    return this.#lines.length === 0 && line.startsWith('3')
  }

  /**
   * Whether the lines are gophernicus' answer for a missing binary item, with its own name below: `Error: File or
   * directory not found!`
   */
  #isProse([first = '', ...rest]: readonly string[]): boolean {
    return isBinary(this.#type) && this.#isCrlf && /^Error: ./.test(first) && rest.length < maxProse
  }

  /** Returns all lines before the end mark, including the incomplete one. */
  #content(): readonly string[] {
    const rest = this.#text(this.#open, this.length)
    return rest === '' || rest === '.' ? this.#lines : [...this.#lines, rest]
  }

  #text(start: number, end: number): string {
    const { buffer, byteOffset } = this.#octets
    return Buffer.from(buffer, byteOffset + start, end - start)
      .toString('latin1')
      .replace(/\r$/, '')
  }
}

/** Whether the line has no control characters except TAB. */
function isWords(line: string): boolean {
  return /^[^\0-\x08\x0A-\x1F\x7F]*$/.test(line)
}

function errorWords(lines: readonly string[]): string {
  const words = lines.map((line) => line.trim()).filter((line) => line !== '')
  return printable(octetsToText(words.join(' '))).slice(0, 300)
}
