import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import {
  BINARY,
  END_OF_RECORD,
  EOR,
  IAC,
  negotiationText,
  optionName,
  TERMINAL_TYPE,
  TN3270E,
} from '../../wire/nvt/codes.ts'
import { type CommandListener, NvtDecoder } from '../../wire/nvt/decoder.ts'
import { maxSubnegotiations, subnegotiation } from '../../wire/nvt/encoder.ts'
import { Negotiation, type NegotiationRules } from '../../wire/nvt/negotiation.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import type { Terminal } from './data-stream.ts'
import { DATA_3270, DeviceNegotiation, headerLength } from './tn3270e.ts'

/** The server asks by SEND, and the client answers by IS (RFC 1091). */
const SEND = 1
const IS = 0

/**
 * The octets before the first screen may be this many times limits.maxReply, so that no flood of records goes on for
 * ever.
 */
const maxReplies = 4

/** How many octets of a text before the first record an error shows. */
const maxText = 500

/** What precedes a place in a piece of text: a record, or text of the network virtual terminal. */
interface Mark {
  readonly at: number
  readonly kind: 'text' | 'record' | 'enhanced-record'
}

interface Message {
  readonly octets: readonly number[]
  readonly shown: string
}

/**
 * The dialogue up to the first complete screen: Telnet's options (RFC 1576 3, RFC 2355 7), then records. It sends only
 * answers to the server's negotiation.
 */
export class Dialogue {
  readonly #connection: Connection
  readonly #context: RetrievalContext
  readonly #terminal: Terminal
  readonly #terminalType: string
  readonly #decoder: NvtDecoder
  readonly #negotiation: Negotiation
  readonly #device: DeviceNegotiation
  #outgoing: Message[] = []
  #marks: Mark[] = []
  #record: number[] = []
  #text = ''
  /** How many subnegotiations the server has asked for. */
  #subnegotiations = 0
  #octets = 0

  constructor(connection: Connection, context: RetrievalContext, terminal: Terminal, terminalType: string) {
    this.#connection = connection
    this.#context = context
    this.#terminal = terminal
    this.#terminalType = terminalType
    this.#decoder = new NvtDecoder(this.#listener(), context.limits.maxReply)
    this.#negotiation = new Negotiation(this.#rules())
    this.#device = new DeviceNegotiation(terminalType, (what) => this.#violation(what))
  }

  /** The name that the server gives the terminal (RFC 2355 7.1.2). Null if it gives none. */
  get deviceName(): string | null {
    return this.#device.name
  }

  /** Whether the server speaks TN3270E. */
  get isEnhanced(): boolean {
    return this.#device.isAgreed
  }

  /**
   * Reads until the keyboard is unlocked. Returns false if the connection ends before. Rejects with RetrievalErrors.
   */
  async run(): Promise<boolean> {
    while (true) {
      const chunk = await this.#connection.read(this.#octets === 0 ? 'greeting' : 'request')
      if (chunk === null) return false
      this.#count(chunk.length)
      if (this.#take(this.#decoder.feed(chunk))) return true
      await this.#flush()
    }
  }

  /** Makes the error if the connection ended before a screen on which a person could type. */
  endError(): Error {
    const { screen, isWritten } = this.#terminal
    // If no terminal is free, Hercules writes a screen that says so, leaves the keyboard locked, and ends.
    if (isWritten) return this.#refused(screen.lines().join(' '))
    const { rejection } = this.#device
    if (rejection !== null) return this.#refused(`DEVICE-TYPE REJECT ${rejection}`)
    const reply = printable(octetsToText(this.#text)).trim()
    const details = { ...(reply !== '' && { reply }) }
    if (this.#octets === 0) {
      return this.#context.error('receive-failed', 'The server closed the connection without an octet.', details)
    }
    if (this.#record.length > 0) {
      const message = 'The connection ended within a record; try again.'
      return this.#context.error('partial', message, { ...details, transient: true })
    }
    const message = 'The server closed the connection before it sent a screen; it may not speak TN3270.'
    return this.#context.error('protocol-violation', message, details)
  }

  #refused(words: string): Error {
    const reply = printable(words.replace(/ +/g, ' ').trim()).slice(0, maxText)
    return this.#context.error('server-refused', `The server refuses the terminal: ${reply}`, { reply })
  }

  #count(length: number): void {
    this.#octets += length
    const most = this.#context.limits.maxReply * maxReplies
    if (this.#octets <= most) return
    const advice = { option: 'limits.maxReply' } as const
    const message = `The server has sent over ${most} octets without a complete screen.`
    throw this.#context.error('limit-exceeded', message, { advice })
  }

  /** Takes the text of a piece, which its marks cut. Returns true if the screen is complete. */
  #take(text: Uint8Array): boolean {
    const marks = this.#marks
    this.#marks = []
    let from = 0
    for (const { at, kind } of marks) {
      this.#keep(text.subarray(from, at))
      from = at
      const record = Uint8Array.from(this.#record)
      this.#record = []
      if (kind === 'text') this.#addText(record)
      else if (this.#isComplete(record, kind === 'enhanced-record')) return true
    }
    this.#keep(text.subarray(from))
    if (!this.#hasRecords) {
      this.#addText(Uint8Array.from(this.#record))
      this.#record = []
    }
    return false
  }

  #keep(octets: Uint8Array): void {
    if (this.#record.length + octets.length > this.#context.limits.maxReply) {
      const message = `A record of the server is longer than ${this.#context.limits.maxReply} octets.`
      throw this.#context.error('limit-exceeded', message, { advice: { option: 'limits.maxReply' } })
    }
    for (const octet of octets) this.#record.push(octet)
  }

  #addText(octets: Uint8Array): void {
    const room = maxText - this.#text.length
    if (room > 0) this.#text += String.fromCharCode(...octets.subarray(0, room))
  }

  #isComplete(record: Uint8Array, isEnhanced: boolean): boolean {
    this.#received(`record of ${record.length} octets`)
    if (isEnhanced) {
      const [type] = record
      if (record.length < headerLength) this.#violation('a record is shorter than its header')
      // Records of other kinds (printers, SNA) were agreed on with no terminal.
      if (type !== DATA_3270) return false
    }
    this.#terminal.take(isEnhanced ? record.subarray(headerLength) : record)
    return this.#terminal.isWritten && this.#terminal.isUnlocked
  }

  /** Whether octets belong to records now. */
  get #hasRecords(): boolean {
    return this.#device.isAgreed || this.#negotiation.isOn('server', END_OF_RECORD)
  }

  #listener(): CommandListener {
    return {
      negotiated: (verb, option) => {
        this.#received(negotiationText(verb, option))
        this.#changing(() => this.#negotiation.receive(verb, option))
      },
      subnegotiated: (option, octets) => {
        this.#received(`IAC SB ${optionName(option)}`)
        if (!this.#negotiation.isOn('client', option) || ++this.#subnegotiations > maxSubnegotiations) return
        if (option === TERMINAL_TYPE && octets[0] === SEND) {
          this.#sendSubnegotiation(option, [IS, ...Buffer.from(this.#terminalType)])
        } else if (option === TN3270E) this.#changing(() => this.#negotiateDevice(octets))
      },
      commanded: (command) => {
        if (command !== EOR) return
        const isEnhanced = this.#device.isAgreed
        this.#mark(isEnhanced ? 'enhanced-record' : this.#hasRecords ? 'record' : 'text')
      },
      overflowed: () => {
        const message = 'The server sent a subnegotiation that is too long.'
        throw this.#context.error('limit-exceeded', message, { advice: { option: 'limits.maxReply' } })
      },
    }
  }

  /** Makes a change. Text that came before records were agreed on does not belong to the first record. */
  #changing(change: () => void): void {
    const before = this.#hasRecords
    change()
    if (before !== this.#hasRecords) this.#mark('text')
    this.#decoder.binary = this.#device.isAgreed || this.#negotiation.isOn('server', BINARY)
  }

  #mark(kind: Mark['kind']): void {
    this.#marks.push({ at: this.#decoder.length, kind })
  }

  #negotiateDevice(octets: Uint8Array): void {
    const answer = this.#device.take(octets)
    if (answer === 'refuse') this.#negotiation.ask('client', TN3270E, false)
    else if (answer !== null) this.#sendSubnegotiation(TN3270E, answer)
  }

  #rules(): NegotiationRules {
    return {
      accepts: (side, option) => {
        if (option === BINARY || option === END_OF_RECORD) return true
        return side === 'client' && (option === TERMINAL_TYPE || option === TN3270E)
      },
      send: (verb, option) => this.#send([IAC, verb, option], negotiationText(verb, option)),
      changed: (side, option, isOn) => {
        if (side === 'client' && option === TN3270E && !isOn) this.#device.isAgreed = false
      },
    }
  }

  #sendSubnegotiation(option: number, octets: readonly number[]): void {
    this.#send(subnegotiation(option, octets), `IAC SB ${optionName(option)}`)
  }

  #send(octets: readonly number[], shown: string): void {
    this.#outgoing.push({ octets, shown })
  }

  async #flush(): Promise<void> {
    const outgoing = this.#outgoing
    this.#outgoing = []
    for (const { octets, shown } of outgoing) {
      await this.#connection.sendMessage(String.fromCharCode(...octets), `${shown}\r\n`)
    }
  }

  /** Emits an event. It names a record without its octets, which may hold a hidden field. */
  #received(shown: string): void {
    const { emit, url } = this.#context
    emit({ type: 'received', url, octets: `${shown}\r\n` })
  }

  #violation(what: string): never {
    throw this.#context.error('protocol-violation', `The server broke TN3270: ${what}.`)
  }
}
