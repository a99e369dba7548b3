import { Screen, type ScreenSize } from './screen.ts'

/** The commands (GA23-0059 3.5) by the codes of local and of SNA terminals. Servers send either. */
const commands: Readonly<Record<number, Command>> = {
  1: 'write',
  241: 'write',
  5: 'erase-write',
  245: 'erase-write',
  13: 'erase-write-alternate',
  126: 'erase-write-alternate',
  15: 'erase-all-unprotected',
  111: 'erase-all-unprotected',
  17: 'structured',
  243: 'structured',
  // Read Buffer, Read Modified, Read Modified All and No Operation: we have nothing to tell, and send nothing.
  2: 'none',
  242: 'none',
  6: 'none',
  246: 'none',
  14: 'none',
  110: 'none',
  3: 'none',
}

type Command = 'write' | 'erase-write' | 'erase-write-alternate' | 'erase-all-unprotected' | 'structured' | 'none'

/** The orders (GA23-0059 4.3). */
const PT = 0x05
const GE = 0x08
const SBA = 0x11
const EUA = 0x12
const IC = 0x13
const SF = 0x1d
const SA = 0x28
const SFE = 0x29
const MF = 0x2c
const RA = 0x3c

/** The format controls, which take up a place as characters do: NUL, FF, CR, NL, EM, DUP, FM, SUB, EO. */
const formatControls: ReadonlySet<number> = new Set([0x00, 0x0c, 0x0d, 0x15, 0x19, 0x1c, 0x1e, 0x3f])

/** Attribute types (GA23-0059 4.4): those of a whole field, and the character set with its value for graphics. */
const FIELD = 0xc0
const CHARACTER_SET = 0x43
const APL = 0xf1

/** The bit of the write control character that unlocks the keyboard. */
const RESTORE_KEYBOARD = 0x02

/** Structured fields (GA23-0059 5). */
const ERASE_RESET = 0x03
const CREATE_PARTITION = 0x0c
const OUTBOUND_3270DS = 0x40

const standardSize: ScreenSize = { rows: 24, columns: 80 }

/** How many places orders may write before the screen is complete: five hundred times a whole large screen. */
const maxVisited = 2_000_000

/** The screens that Erase/Write Alternate uses, by the model of the terminal. */
export const alternateSizes: Readonly<Record<Model, ScreenSize>> = {
  2: standardSize,
  3: { rows: 32, columns: 80 },
  4: { rows: 43, columns: 80 },
  5: { rows: 27, columns: 132 },
}

/** The models of the IBM 3278. */
export type Model = 2 | 3 | 4 | 5

/** Reports what is wrong with a record. */
export type Fail = (what: string) => never

/** A 3270 terminal that can only be written to. It turns a server's records into a screen (GA23-0059). */
export class Terminal {
  readonly screen: Screen = new Screen(standardSize)
  /** Whether a command has written to the screen. */
  isWritten: boolean = false
  /** Whether the server lets a person type, which means that the screen is complete. */
  isUnlocked: boolean = false
  readonly #alternate: ScreenSize
  readonly #fail: Fail
  /** Whether addresses are numbers of 16 bits, as in some partitions. */
  #has16Bits = false

  constructor(model: Model, fail: Fail) {
    this.#alternate = alternateSizes[model]
    this.#fail = fail
  }

  /** Carries out one record. An empty record does nothing. */
  take(record: Uint8Array): void {
    const [code] = record
    if (code === undefined) return
    const command = commands[code]
    if (command === undefined) this.#fail(`a record begins with ${hex(code)}, which is no command`)
    else if (command === 'structured') this.#structured(record.subarray(1))
    else this.#run(command, record.subarray(1))
  }

  #run(command: Command, octets: Uint8Array): void {
    const { screen } = this
    if (command === 'none' || command === 'structured') return
    checkVisited(screen, this.#fail)
    this.isWritten = true
    if (command === 'erase-all-unprotected') {
      screen.eraseUnprotected(0, 0)
      screen.cursor = this.#firstInput() ?? 0
      this.isUnlocked = true
      return
    }
    if (command !== 'write') screen.erase(command === 'erase-write' ? standardSize : this.#alternate)
    const [control = 0] = octets
    this.isUnlocked = false
    new Orders(octets.subarray(1), screen, this.#has16Bits, this.#fail).run()
    this.isUnlocked = (control & RESTORE_KEYBOARD) !== 0
  }

  #firstInput(): number | undefined {
    for (let at = 0; at < this.screen.length; at++) if (this.screen.isInputAt(at)) return this.screen.after(at)
    return undefined
  }

  /**
   * Carries out Write Structured Field: fields with their lengths, of which 0 means the rest. Ignores fields that draw
   * nothing.
   */
  #structured(octets: Uint8Array): void {
    let at = 0
    while (at < octets.length) {
      const stated = (octets[at] ?? 0) * 256 + (octets[at + 1] ?? 0)
      const length = stated === 0 ? octets.length - at : stated
      if (length < 3 || at + length > octets.length) this.#fail(`a structured field has the length ${stated}`)
      this.#structuredField(octets.subarray(at, at + length))
      at += length
    }
  }

  #structuredField(field: Uint8Array): void {
    const [, , id, , code = 0] = field
    checkVisited(this.screen, this.#fail)
    if (id === ERASE_RESET) {
      this.#has16Bits = false
      this.screen.erase((code & 0x80) === 0 ? standardSize : this.#alternate)
    } else if (id === CREATE_PARTITION) this.#has16Bits = (code & 0x0f) === 1
    else if (id === OUTBOUND_3270DS && field.length > 4) this.#run(commands[code] ?? 'none', field.subarray(5))
  }
}

/** Carries out the orders of one write and puts its characters, from the cursor on. */
class Orders {
  readonly #octets: Uint8Array
  readonly #screen: Screen
  readonly #has16Bits: boolean
  readonly #fail: Fail
  #at = 0
  #address: number
  #isGraphic = false
  /** Whether a character precedes the order, which matters to PT. */
  #isBehindText = false

  constructor(octets: Uint8Array, screen: Screen, has16Bits: boolean, fail: Fail) {
    this.#octets = octets
    this.#screen = screen
    this.#has16Bits = has16Bits
    this.#fail = fail
    this.#address = screen.cursor
  }

  run(): void {
    while (this.#at < this.#octets.length) {
      const octet = this.#next()
      const isText = octet >= 0x40 || formatControls.has(octet) || octet === GE
      if (octet === GE) this.#put(this.#next(), true)
      else if (isText) this.#put(octet, this.#isGraphic)
      else this.#order(octet)
      this.#isBehindText = isText
    }
  }

  #order(order: number): void {
    const screen = this.#screen
    checkVisited(screen, this.#fail)
    if (order === SBA) this.#address = this.#nextAddress()
    else if (order === SF) this.#begin(this.#next())
    else if (order === SFE) this.#begin(this.#attributes().get(FIELD) ?? 0)
    else if (order === MF) this.#modify(this.#attributes().get(FIELD))
    else if (order === SA) this.#setAttribute(this.#next(), this.#next())
    else if (order === IC) screen.cursor = this.#address
    else if (order === PT) this.#tab()
    else if (order === RA) this.#repeat(this.#nextAddress())
    else if (order === EUA) {
      const end = this.#nextAddress()
      screen.eraseUnprotected(this.#address, end)
      this.#address = end
    } else this.#fail(`${hex(order)} is no order`)
  }

  #next(): number {
    return this.#octets[this.#at++] ?? this.#fail('a record ends within an order')
  }

  /** Reads an address of 12, 14 or 16 bits (GA23-0059 3.5.2). */
  #nextAddress(): number {
    const [high, low] = [this.#next(), this.#next()]
    const isWhole = this.#has16Bits || high < 0x40
    const address = isWhole ? high * 256 + low : (high & 0x3f) * 64 + (low & 0x3f)
    if (address >= this.#screen.length) this.#fail(`the address ${address} is beyond the screen`)
    return address
  }

  /** Reads the pairs of types and values of SFE and MF. */
  #attributes(): Map<number, number> {
    const count = this.#next()
    const pairs = new Map<number, number>()
    for (let index = 0; index < count; index++) pairs.set(this.#next(), this.#next())
    return pairs
  }

  #put(octet: number, isGraphic: boolean): void {
    this.#screen.put(this.#address, octet, isGraphic)
    this.#address = this.#screen.after(this.#address)
  }

  #begin(attribute: number): void {
    this.#screen.putAttribute(this.#address, attribute)
    this.#address = this.#screen.after(this.#address)
  }

  #modify(attribute: number | undefined): void {
    if (this.#screen.attributeAt(this.#address) === undefined) this.#fail('MF stands where no field begins')
    this.#begin(attribute ?? this.#screen.attributeAt(this.#address) ?? 0)
  }

  #setAttribute(type: number, value: number): void {
    // Type 00 resets all attributes of characters.
    if (type === CHARACTER_SET || type === 0) this.#isGraphic = type === CHARACTER_SET && value === APL
  }

  /** Program Tab: goes to the next field for input. After text, it clears the rest of the text's field. */
  #tab(): void {
    const screen = this.#screen
    if (!this.#isBehindText && screen.isInputAt(this.#address)) {
      this.#address = screen.after(this.#address)
      return
    }
    let isClearing = this.#isBehindText
    for (; this.#address < screen.length; this.#address++) {
      screen.visited++
      if (screen.attributeAt(this.#address) !== undefined) isClearing = false
      if (screen.isInputAt(this.#address)) {
        this.#address = screen.after(this.#address)
        return
      }
      if (isClearing) screen.put(this.#address, 0, false)
    }
    this.#address = 0
  }

  /** Repeat to Address: fills all places up to `end`, or the whole screen if it begins there. */
  #repeat(end: number): void {
    const octet = this.#next()
    const isGraphic = octet === GE
    const repeated = isGraphic ? this.#next() : octet
    do this.#put(repeated, isGraphic || this.#isGraphic)
    while (this.#address !== end)
  }
}

function checkVisited({ visited }: Screen, fail: Fail): void {
  if (visited > maxVisited) fail('its orders go over the screen again and again')
}

function hex(octet: number): string {
  return `the octet ${octet.toString(16).toUpperCase().padStart(2, '0')}`
}
