import { TextDecoder } from 'node:util'
import { printable } from '@retriever/core'
import { GuessingDecoder } from './text-guess.ts'

/**
 * A body on its way to a terminal: text whose control characters are made visible, LF and TAB kept (security.md case 33). Works on any
 * cutting of the octets into chunks.
 */
export class TerminalText {
  readonly #decoder: ReturnType<typeof decoderFor>
  #held = ''

  /** Null: the text is to be guessed from. */
  constructor(charset: string | null) {
    this.#decoder = decoderFor(charset)
  }

  show(octets: Uint8Array): string {
    return this.#harmless(this.#decoder.decode(octets))
  }

  /** What was held back. */
  end(): string {
    const rest = this.#harmless(this.#decoder.end())
    return rest + printable(this.#held)
  }

  /** CR LF is a line end; a CR alone would let a line overwrite what stands before it. */
  #harmless(decoded: string): string {
    const text = this.#held + decoded
    this.#held = text.endsWith('\r') ? '\r' : ''
    return text
      .slice(0, text.length - this.#held.length)
      .replaceAll('\r\n', '\n')
      .split(/([\n\t])/)
      .map((part, index) => (index % 2 === 1 ? part : printable(part)))
      .join('')
  }
}

/** A text for a terminal, as a body of such octets would be shown. */
export function showText(text: string): string {
  const shown = new TerminalText('utf-8')
  return shown.show(Buffer.from(text)) + shown.end()
}

/** Decodes text by its charset, where that is known. */
function decoderFor(charset: string | null): Pick<GuessingDecoder, 'decode' | 'end'> {
  try {
    if (charset === null) return new GuessingDecoder()
    const decoder = new TextDecoder(charset)
    return { decode: (octets) => decoder.decode(octets, { stream: true }), end: () => decoder.decode() }
  } catch {
    return new GuessingDecoder()
  }
}
