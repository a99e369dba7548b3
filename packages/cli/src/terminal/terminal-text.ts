import { TextDecoder } from 'node:util'
import { printable } from '@retriever/core'
import { GuessingDecoder } from './text-guess.ts'

/**
 * Decodes a body for a terminal and makes its control characters visible, except LF and TAB (security.md 33: terminal
 * escapes). The octets may be cut into chunks anywhere.
 */
export class TerminalText {
  readonly #decoder: ReturnType<typeof decoderFor>
  #held = ''

  /** `charset` is null to guess it from the text. */
  constructor(charset: string | null) {
    this.#decoder = decoderFor(charset)
  }

  show(octets: Uint8Array): string {
    return this.#harmless(this.#decoder.decode(octets))
  }

  /** The text that was held back. */
  end(): string {
    const rest = this.#harmless(this.#decoder.end())
    return rest + printable(this.#held)
  }

  /**
   * Makes control characters visible. CR LF is a line end; a CR alone is made visible, since it would let a line
   * overwrite itself.
   */
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

/** The text in a form that a terminal can show safely. */
export function showText(text: string): string {
  const shown = new TerminalText('utf-8')
  return shown.show(Buffer.from(text)) + shown.end()
}

/** A decoder for the charset; one that guesses if the charset is null or unknown. */
function decoderFor(charset: string | null): Pick<GuessingDecoder, 'decode' | 'end'> {
  try {
    if (charset === null) return new GuessingDecoder()
    const decoder = new TextDecoder(charset)
    return { decode: (octets) => decoder.decode(octets, { stream: true }), end: () => decoder.decode() }
  } catch {
    return new GuessingDecoder()
  }
}
