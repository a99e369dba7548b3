import { TextDecoder } from 'node:util'

/** The state of a control sequence: it goes on, ends here with or without effect on the terminal, or is none. */
type State = 'text' | 'escape' | 'csi' | 'string' | 'charset'

/** The most characters of one sequence; real ones have a tenth of that. */
const maxSequence = 128

/** Bell, backspace, tab, line feed, vertical tab, form feed, carriage return, and the two shifts of character sets. */
const passedControls = '\x07\b\t\n\v\f\r\x0E\x0F'

/**
 * Sequences of two characters that pass: save and restore the cursor, index, next line, tab stop, reverse index, the
 * modes of the keypad, full reset.
 */
const passedEscapes = '78DEHM=>c'

/** The last characters of sequences of CSI that pass: cursor, erasing, editing, colours, scrolling. */
const passedFinals = 'ABCDEFGHIJKLMPSTXZ@`abdefgmrsu'

/**
 * The private modes that pass (DECSET): cursor keys, reverse video, origin, wrapping, cursor, reverse wrapping, other
 * screen, keypad, margins, mouse, pasting in brackets, drawing at once.
 */
const passedModes = new Set([1, 5, 6, 7, 12, 25, 45, 47, 66, 69, 1000, 1002, 1003, 1006, 1047, 1048, 1049, 2004, 2026])

/** Modes that are on where nothing has been said: wrapping, and the cursor. */
const usuallyOn = new Set([7, 25])

/**
 * The text of a service as a terminal may get it (security.md 82: hostile sequences in a session): colours and cursor
 * pass. Nothing passes that reads or writes the clipboard (OSC 52), asks the terminal for an answer (reports of the
 * title, the cursor, settings by DECRQSS), moves windows, prints, or sets the title. Octets may be cut anywhere.
 */
export class ScreenFilter {
  readonly #decoder: TextDecoder
  #state: State = 'text'
  #sequence = ''
  /** OSC ends with BEL, too. */
  #isOsc = false
  #hasStyle = false
  readonly #changed = new Map<number, boolean>()

  /** `charset`: null for UTF-8. */
  constructor(charset: string | null = null) {
    this.#decoder = new TextDecoder(charset ?? 'utf-8')
  }

  show(octets: Uint8Array): string {
    let shown = ''
    for (const character of this.#decoder.decode(octets, { stream: true })) shown += this.#take(character)
    return shown
  }

  /** The octets that bring the terminal back to where it was: the main screen, the cursor, no colours and no mouse. */
  reset(): string {
    const modes = [...this.#changed].filter(([mode, isOn]) => isOn !== usuallyOn.has(mode))
    const back = modes.map(([mode]) => `\x1b[?${mode}${usuallyOn.has(mode) ? 'h' : 'l'}`).join('')
    return `${back}${this.#hasStyle ? '\x1b[0m\x1b(B\x0f' : ''}`
  }

  /** The part of the text up to this character can be shown now. */
  #take(character: string): string {
    switch (this.#state) {
      case 'text':
        return this.#text(character)
      case 'escape':
        return this.#escape(character)
      case 'charset':
        return this.#charset(character)
      case 'csi':
        return this.#csi(character)
      case 'string':
        return this.#string(character)
    }
  }

  #text(character: string): string {
    const code = character.codePointAt(0) ?? 0
    if (character === '\x1b') return this.#begin('escape')
    // C1 controls are the same in one character (ECMA-48 5.3).
    if (code >= 0x80 && code < 0xa0) return this.#introduce(String.fromCharCode(code - 0x40))
    const isControl = code < 32 || code === 127
    this.#hasStyle ||= character === '\x0e'
    return isControl && !passedControls.includes(character) ? '' : character
  }

  #begin(state: State): string {
    this.#state = state
    this.#sequence = ''
    return ''
  }

  #escape(character: string): string {
    if ('()*+'.includes(character)) {
      this.#begin('charset')
      this.#sequence = character
      return ''
    }
    return this.#introduce(character)
  }

  /** The character behind ESC, which says what follows. */
  #introduce(character: string): string {
    this.#begin('text')
    if (character === '[') return this.#begin('csi')
    if ('P]X^_'.includes(character)) {
      this.#isOsc = character === ']'
      return this.#begin('string')
    }
    if (passedEscapes.includes(character)) return `\x1b${character}`
    // Further characters before the last one, as in ESC # 8 and ESC % G.
    if (character >= ' ' && character <= '/') this.#begin('charset')
    else if (character < ' ') return this.#text(character)
    return ''
  }

  /** The name of a character set: ASCII, the British one, or lines. */
  #charset(character: string): string {
    const set = this.#sequence
    this.#begin('text')
    if (character < ' ') return this.#text(character)
    if (set === '' || !'0AB'.includes(character)) return ''
    this.#hasStyle = true
    return `\x1b${set}${character}`
  }

  #csi(character: string): string {
    if (character >= ' ' && character <= '?') {
      if (this.#sequence.length < maxSequence) this.#sequence += character
      return ''
    }
    const sequence = this.#sequence
    this.#begin('text')
    // A control within a sequence ends it: terminals differ there.
    if (character < ' ' || character > '~') return this.#text(character)
    return sequence.length < maxSequence && this.#passes(sequence, character) ? `\x1b[${sequence}${character}` : ''
  }

  #passes(sequence: string, final: string): boolean {
    const parameters = /^[\d;:]*$/.test(sequence)
    if (final === 'm') this.#hasStyle = true
    if (parameters && passedFinals.includes(final)) return true
    // The shape of the cursor, soft reset, insert mode.
    if (/^\d* $/.test(sequence) && final === 'q') return true
    if ((sequence === '!' && final === 'p') || (sequence === '4' && 'hl'.includes(final))) return true
    return 'hl'.includes(final) && this.#setsModes(sequence, final === 'h')
  }

  #setsModes(sequence: string, isOn: boolean): boolean {
    const modes = /^\?\d+(?:;\d+)*$/.test(sequence) ? sequence.slice(1).split(';').map(Number) : []
    if (modes.length === 0 || !modes.every((mode) => passedModes.has(mode))) return false
    for (const mode of modes) this.#changed.set(mode, isOn)
    return true
  }

  /** Strings (OSC, DCS, SOS, PM, APC) are dropped up to their end: ST, for OSC also BEL, and CAN or SUB. */
  #string(character: string): string {
    if (character === '\x1b') return this.#begin('escape')
    const isEnd = '\x18\x1a\x9c'.includes(character) || (this.#isOsc && '\x07\r\n'.includes(character))
    if (isEnd) this.#begin('text')
    // No OSC goes over a line: one that has lost its end must not swallow the rest of the session.
    return isEnd && '\r\n'.includes(character) ? character : ''
  }
}
