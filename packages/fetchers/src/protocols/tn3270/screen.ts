import type { Tn3270Field } from '../../contract/metadata.ts'
import { characterOf } from './ebcdic.ts'

export interface ScreenSize {
  readonly rows: number
  readonly columns: number
}

/** Bits of a field attribute (GA23-0059 4.3). */
const PROTECTED = 0x20
const NUMERIC = 0x10
const DISPLAY = 0x0c
const HIDDEN = 0x0c
const INTENSIFIED = 0x08

/** The character buffer of a 3270 terminal: characters, and field attributes, which take up one place each. */
export class Screen {
  #size: ScreenSize
  #characters: string[] = []
  /** The attribute at each place. Undefined if there is a character. */
  #attributes: (number | undefined)[] = []
  cursor = 0
  /** Cells written so far; limits tiny orders that repaint the screen. */
  visited = 0

  constructor(size: ScreenSize) {
    this.#size = size
    this.erase(size)
  }

  get size(): ScreenSize {
    return this.#size
  }

  /** The number of places. */
  get length(): number {
    return this.#size.rows * this.#size.columns
  }

  /** Clears everything, for a screen of that size. */
  erase(size: ScreenSize): void {
    this.#size = size
    // Filling a row takes about as long as writing one place.
    this.visited += this.#size.rows
    this.#characters = new Array<string>(this.length).fill(' ')
    this.#attributes = new Array<number | undefined>(this.length).fill(undefined)
    this.cursor = 0
  }

  /** Puts a character there. If a field began there, its attribute is gone. */
  put(address: number, octet: number, isGraphic: boolean): void {
    this.visited++
    this.#characters[address] = characterOf(octet, isGraphic)
    this.#attributes[address] = undefined
  }

  /** Begins a field there. */
  putAttribute(address: number, attribute: number): void {
    this.#characters[address] = ' '
    this.#attributes[address] = attribute
  }

  attributeAt(address: number): number | undefined {
    return this.#attributes[address]
  }

  /** Whether the field that begins there can be typed into. */
  isInputAt(address: number): boolean {
    const attribute = this.#attributes[address]
    return attribute !== undefined && (attribute & PROTECTED) === 0
  }

  /** Returns the place after `address`. After the last one comes the first. */
  after(address: number): number {
    return (address + 1) % this.length
  }

  /**
   * Clears the characters of unprotected fields from one place up to another; if both are the same, of the whole
   * screen.
   */
  eraseUnprotected(from: number, to: number): void {
    this.visited += this.length
    const attributes = this.#governing()
    let address = from
    do {
      const attribute = attributes[address]
      const isFree = attribute === undefined || (attribute & PROTECTED) === 0
      if (isFree && this.#attributes[address] === undefined) this.#characters[address] = ' '
      address = this.after(address)
    } while (address !== to)
  }

  /** Returns the rows as a terminal shows them, without the blanks at their ends. */
  lines(): string[] {
    const { rows, columns } = this.#size
    const attributes = this.#governing()
    const shown = this.#characters.map((character, at) => (isHidden(attributes[at]) ? ' ' : character))
    return Array.from({ length: rows }, (_, row) =>
      shown
        .slice(row * columns, (row + 1) * columns)
        .join('')
        .trimEnd(),
    )
  }

  /** Returns the fields in order of their places. Leaves out those without a character. */
  fields(): Tn3270Field[] {
    const starts = this.#attributes.flatMap((attribute, at) => (attribute === undefined ? [] : [{ at, attribute }]))
    return starts.flatMap(({ at, attribute }, index) => {
      const next = starts[(index + 1) % starts.length]?.at ?? at
      return this.#field(at, attribute, (next - at - 1 + this.length) % this.length)
    })
  }

  #field(at: number, attribute: number, length: number): Tn3270Field[] {
    if (length === 0) return []
    const first = this.after(at)
    const characters = this.#characters.slice(first, first + length)
    const rest = this.#characters.slice(0, length - characters.length)
    const hidden = isHidden(attribute)
    return [
      {
        row: Math.floor(first / this.#size.columns) + 1,
        column: (first % this.#size.columns) + 1,
        length,
        protected: (attribute & PROTECTED) !== 0,
        hidden,
        numeric: (attribute & NUMERIC) !== 0,
        intensified: (attribute & DISPLAY) === INTENSIFIED,
        text: hidden ? '' : [...characters, ...rest].join('').trimEnd(),
      },
    ]
  }

  /** Returns the attribute that applies to each place: that of the field around it. */
  #governing(): (number | undefined)[] {
    let current = this.#attributes.findLast((attribute) => attribute !== undefined)
    return this.#attributes.map((attribute) => {
      current = attribute ?? current
      return current
    })
  }
}

function isHidden(attribute: number | undefined): boolean {
  return attribute !== undefined && (attribute & DISPLAY) === HIDDEN
}
