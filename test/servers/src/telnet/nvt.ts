const IAC = 0xff
const SB = 0xfa
const SE = 0xf0
const WILL = 0xfb

/** The most octets of a line or command that are kept. */
const LONGEST = 64 * 1024

/** What the client sent: a line, or a command as hexadecimal octets (`FF FC 18`). */
export type NvtEvent = { readonly line: string } | { readonly command: string }

/**
 * Splits the octets of a network virtual terminal (RFC 854), wherever chunks end. IAC IAC is the octet FF. CR LF ends a
 * line, and so do CR NUL and a bare LF, which people's programs send.
 */
export class Nvt {
  #rest = ''
  #line = ''
  /** The text, with its line ends, since takeTyped() was last called, for a server that shows what is typed. */
  #typed = ''

  takeTyped(): string {
    const typed = this.#typed
    this.#typed = ''
    return typed
  }

  /** The events in a chunk of input. An incomplete event waits for the next chunk. */
  feed(chunk: Buffer): readonly NvtEvent[] {
    const events: NvtEvent[] = []
    this.#rest += chunk.toString('latin1')
    while (this.#rest !== '') {
      const length = this.#rest.charCodeAt(0) === IAC ? commandLength(this.#rest) : textLength(this.#rest)
      if (length === 0) break
      const token = this.#rest.slice(0, length)
      this.#rest = this.#rest.slice(length)
      if (token === '\xff\xff' || token.charCodeAt(0) !== IAC) this.#typed += token
      if (token === '\xff\xff') this.#line += '\xff'
      else if (token.charCodeAt(0) === IAC) events.push({ command: token })
      else if (token === '\r\n' || token === '\r\0' || token === '\n') {
        events.push({ line: this.#line })
        this.#line = ''
      } else this.#line += token
    }
    if (this.#rest.length + this.#line.length > LONGEST) throw new RangeError('a line without end')
    return events
  }
}

/** The length of the command at the beginning; 0 if it is incomplete. */
function commandLength(text: string): number {
  const command = text.charCodeAt(1)
  if (Number.isNaN(command)) return 0
  if (command === SB) {
    // IAC IAC within it is data; IAC SE ends it.
    for (let at = 2; at + 1 < text.length; at++) {
      if (text.charCodeAt(at) !== IAC) continue
      if (text.charCodeAt(at + 1) === SE) return at + 2
      at++
    }
    return 0
  }
  if (command >= WILL && command !== IAC) return text.length < 3 ? 0 : 3
  return 2
}

function textLength(text: string): number {
  if (text.startsWith('\r')) return text.length < 2 ? 0 : /^\r[\n\0]/.test(text) ? 2 : 1
  return text.startsWith('\n') ? 1 : (/^[^\r\n\xff]+/.exec(text)?.[0].length ?? 1)
}
