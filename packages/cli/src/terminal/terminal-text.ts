import { TextDecoder } from 'node:util'
import { printable } from '@retriever/core'
import { GuessingDecoder } from './text-guess.ts'

/**
 * Decodes a body for a terminal, and makes its control characters visible, except LF and TAB (threats.md 33: terminal
 * escapes). Chunks of octets may end anywhere.
 */
export class TerminalText {
  readonly #decoder: ReturnType<typeof decoderFor>
  #held = ''

  /** A null `charset` means that it is guessed from the text. */
  constructor(charset: string | null) {
    this.#decoder = decoderFor(charset)
  }

  show(octets: Uint8Array): string {
    return this.#harmless(this.#decoder.decode(octets))
  }

  /** Returns the rest of the text, which was held back. */
  end(): string {
    const rest = this.#harmless(this.#decoder.end())
    return rest + printable(this.#held)
  }

  /**
   * Makes control characters visible. CR LF is a line end, but a single CR is made visible, since a line could
   * overwrite itself with it.
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

/** A decoder for the charset, or one that guesses if the charset is null or unknown. */
function decoderFor(charset: string | null): Pick<GuessingDecoder, 'decode' | 'end'> {
  try {
    if (charset === null) return new GuessingDecoder()
    const decoder = new TextDecoder(charset)
    return { decode: (octets) => decoder.decode(octets, { stream: true }), end: () => decoder.decode() }
  } catch {
    return new GuessingDecoder()
  }
}
