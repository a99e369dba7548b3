import { type GopherPlan, octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { LineReader } from '../wire/framing/lines.ts'
import { isBinary } from './item-type.ts'

/** A line of a menu (RFC 1436 3.4): four fields, the last of them a number. */
const menuLine = /^[^\t]+\t[^\t]*\t[^\t]*\t *\d/

/**
 * `3Not found`, without fields: 3 and words. A text of one line may begin with a number, 3 of something, 3.5 or 3:15.
 */
const bareError = /^3 *[^\d\s.,:;-]/

/** Lines of an error in prose. */
const maxProse = 5

/** Words: `File or directory not found!` */
const sentence = /^[A-Za-z][^\0-\x20]* [^\0-\x1F]*$/

/**
 * RFC 1436 has no status. A server that does not have an item sends something else, whatever type was asked for: a menu
 * of errors (type 3) and information (i), or a sentence. Throws `not-found` where that is all of the answer; where a
 * text is one line that may be an error or not, a remark says so. Reads no further than needed to know, and gives all
 * of it back.
 */
export async function throwErrorAnswer(plan: GopherPlan, source: LineReader, context: RetrievalContext): Promise<void> {
  const answer = new Answer(plan.gophertype)
  const { maxLine, idleTimeout, minSpeed, minSpeedTime } = context.limits
  // An error comes at once. What drips is a body, and limits.minSpeed is for bodies.
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

/** The beginning of an answer, and what its lines are. */
class Answer {
  readonly #type: string
  #octets: Uint8Array = new Uint8Array(0)
  /** The lines that have an end, but for blank ones and the end mark. */
  readonly #lines: string[] = []
  #isMarked = false
  /** All lines so far end in CR LF. */
  #isCrlf = true
  /** Where the line begins that has none yet. */
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

  /** True while all lines so far are such as an error may have. */
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

  /** The words of the error that the whole answer is: "" for a menu without any. Null: it is none. */
  error(): string | null {
    const lines = this.#content()
    if (lines.length === 0) return null
    if (lines.every((line) => menuLine.test(line))) return this.#menuError(lines)
    const [line = ''] = lines
    if (this.#isProse(lines)) return wordsOf([line])
    if (lines.length > 1) return null
    if (bareError.test(line)) return this.#type === '0' ? null : wordsOf([line.slice(1)])
    // Octets have no end mark.
    return isBinary(this.#type) && this.#isMarked && sentence.test(line) ? wordsOf([line]) : null
  }

  /** The words of a text that may be an error. */
  doubt(): string | null {
    const [line = ''] = this.#content()
    return bareError.test(line) ? wordsOf([line]) : null
  }

  #menuError(lines: readonly string[]): string | null {
    const displays = (type: string): string[] =>
      lines.flatMap((line) => (line.startsWith(type) ? [line.slice(1, line.indexOf('\t'))] : []))
    const errors = displays('3')
    if (errors.length === 0 && !isBinary(this.#type)) return null
    return wordsOf(errors.length > 0 ? errors : displays('i'))
  }

  /** An end mark may have blank lines behind it (geomyidae), and nothing else. */
  #fits(line: string): boolean {
    if (line === '') return true
    if (this.#isMarked) return false
    if (line === '.') return true
    if (menuLine.test(line)) return isBinary(this.#type) || /^[3i]/.test(line)
    if (isBinary(this.#type)) return this.#lines.length < maxProse && isWords(line)
    return this.#lines.length === 0 && line.startsWith('3')
  }

  /** gophernicus answers so for a binary item, with its name below: `Error: File or directory not found!` */
  #isProse([first = '', ...rest]: readonly string[]): boolean {
    return isBinary(this.#type) && this.#isCrlf && /^Error: ./.test(first) && rest.length < maxProse
  }

  /** All lines before the end mark, the last one too where it has no end. */
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

/** Without control characters but TAB. */
function isWords(line: string): boolean {
  return /^[^\0-\x08\x0A-\x1F\x7F]*$/.test(line)
}

function wordsOf(lines: readonly string[]): string {
  const words = lines.map((line) => line.trim()).filter((line) => line !== '')
  return printable(octetsToText(words.join(' '))).slice(0, 300)
}
