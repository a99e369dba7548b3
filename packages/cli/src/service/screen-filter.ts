import { TextDecoder } from 'node:util'

/** How far a control sequence has been read. */
type State = 'text' | 'escape' | 'csi' | 'string' | 'charset'

/** The most characters of one sequence; real ones have a tenth of that. */
const maxSequence = 128

/**
 * The controls that pass: bell, backspace, tab, line feed, vertical tab, form feed, carriage return, and the two shifts
 * of character sets.
 */
const passedControls = '\x07\b\t\n\v\f\r\x0E\x0F'

/**
 * The second characters of two-character sequences that pass: save and restore the cursor, index, next line, tab stop,
 * reverse index, the modes of the keypad, full reset.
 */
const passedEscapes = '78DEHM=>c'

/** The last characters of CSI sequences that pass: cursor, erasing, editing, colours, scrolling. */
const passedFinals = 'ABCDEFGHIJKLMPSTXZ@`abdefgmrsu'

/**
 * The private modes that pass (DECSET): cursor keys, reverse video, origin, wrapping, cursor, reverse wrapping, other
 * screen, keypad, margins, mouse, bracketed pasting, synchronized drawing.
 */
const passedModes = new Set([1, 5, 6, 7, 12, 25, 45, 47, 66, 69, 1000, 1002, 1003, 1006, 1047, 1048, 1049, 2004, 2026])

/** Modes that are on unless the service turns them off: wrapping, and the cursor. */
const usuallyOn = new Set([7, 25])

/**
 * Makes the text of a service safe for a terminal (threats.md 82: hostile sequences in a session). Colours and cursor
 * movements pass. Sequences are dropped if they read or write the clipboard (OSC 52), ask the terminal for an answer
 * (reports of the title, the cursor, settings by DECRQSS), move windows, print, or set the title. Chunks of octets may
 * end anywhere.
 */
export class ScreenFilter {
  readonly #decoder: TextDecoder
  #state: State = 'text'
  #sequence = ''
  /** Whether the string is an OSC, which BEL also ends. */
  #isOsc = false
  #hasStyle = false
  readonly #changed = new Map<number, boolean>()

  /** `charset` is null for UTF-8. */
  constructor(charset: string | null = null) {
    this.#decoder = new TextDecoder(charset ?? 'utf-8')
  }

  show(octets: Uint8Array): string {
    let shown = ''
    for (const character of this.#decoder.decode(octets, { stream: true })) shown += this.#take(character)
    return shown
  }

  /** The sequences that restore the terminal: the main screen, the cursor, no colours and no mouse. */
  reset(): string {
    const modes = [...this.#changed].filter(([mode, isOn]) => isOn !== usuallyOn.has(mode))
    const back = modes.map(([mode]) => `\x1b[?${mode}${usuallyOn.has(mode) ? 'h' : 'l'}`).join('')
    return `${back}${this.#hasStyle ? '\x1b[0m\x1b(B\x0f' : ''}`
  }

  /** Takes a character and returns the text that can now be shown. */
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
    // A C1 control is one character with the meaning of ESC and another (ECMA-48 5.3).
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

  /** Takes the character behind ESC, which says what follows. */
  #introduce(character: string): string {
    this.#begin('text')
    if (character === '[') return this.#begin('csi')
    if ('P]X^_'.includes(character)) {
      this.#isOsc = character === ']'
      return this.#begin('string')
    }
    if (passedEscapes.includes(character)) return `\x1b${character}`
    // More characters come before the last one, as in ESC # 8 and ESC % G.
    if (character >= ' ' && character <= '/') this.#begin('charset')
    else if (character < ' ') return this.#text(character)
    return ''
  }

  /** Takes the name of a character set: ASCII, British, or lines. */
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
    // A control within a sequence ends the sequence, since terminals differ there.
    if (character < ' ' || character > '~') return this.#text(character)
    return sequence.length < maxSequence && this.#passes(sequence, character) ? `\x1b[${sequence}${character}` : ''
  }

  #passes(sequence: string, final: string): boolean {
    const parameters = /^[\d;:]*$/.test(sequence)
    if (final === 'm') this.#hasStyle = true
    if (parameters && passedFinals.includes(final)) return true
    // These set the shape of the cursor, make a soft reset, and switch insert mode.
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

  /** Drops a string (OSC, DCS, SOS, PM, APC) up to its end: ST, for OSC also BEL, and CAN or SUB. */
  #string(character: string): string {
    if (character === '\x1b') return this.#begin('escape')
    const isEnd = '\x18\x1a\x9c'.includes(character) || (this.#isOsc && '\x07\r\n'.includes(character))
    if (isEnd) this.#begin('text')
    // A line end also ends an OSC, so that one without its end does not swallow the rest of the session.
    return isEnd && '\r\n'.includes(character) ? character : ''
  }
}
