import { TextDecoder } from 'node:util'
import { printable } from '@retriever/core'

/**
 * A body on its way to a terminal: text whose control characters are made visible, LF and TAB kept (security.md case 33). Works on any
 * cutting of the octets into chunks.
 */
export class TerminalText {
  readonly #charset: string | null
  #decoder: TextDecoder | undefined
  #held = ''

  constructor(charset: string | null) {
    this.#charset = charset
  }

  show(octets: Uint8Array): string {
    this.#decoder ??= decoderFor(this.#charset, octets)
    return this.#harmless(this.#decoder.decode(octets, { stream: true }))
  }

  /** What was held back. */
  end(): string {
    const rest = this.#harmless(this.#decoder?.decode() ?? '')
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

/** The charset that was told; else UTF-8 if the beginning is valid UTF-8; else every octet is a character of Latin-1. */
export function decoderFor(charset: string | null, beginning: Uint8Array): TextDecoder {
  try {
    if (charset !== null) return new TextDecoder(charset)
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true })
    return new TextDecoder()
  } catch {
    return new TextDecoder('windows-1252')
  }
}
