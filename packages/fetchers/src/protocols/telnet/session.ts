import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { octetsToText } from '@retriever/core'
import type { TelnetPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Session, SessionOptions, SessionSignal } from '../../contract/session.ts'
import { checkSize } from '../../kit/session-options.ts'
import {
  AO,
  AYT,
  BINARY,
  BRK,
  DM,
  ECHO,
  IAC,
  IP,
  NEW_ENVIRONMENT,
  NOP,
  negotiationText,
  optionName,
  SUPPRESS_GO_AHEAD,
  TERMINAL_TYPE,
  WILL,
  WINDOW_SIZE,
  X_DISPLAY_LOCATION,
} from '../../wire/nvt/codes.ts'
import { type CommandListener, NvtDecoder } from '../../wire/nvt/decoder.ts'
import { maxSubnegotiations, NvtEncoder, subnegotiation } from '../../wire/nvt/encoder.ts'
import { Negotiation, type NegotiationRules, type Side } from '../../wire/nvt/negotiation.ts'
import { receiveError } from '../../wire/transport/socket-error.ts'
import { answerTo, windowSize } from './subnegotiation.ts'

const signals: Readonly<Record<SessionSignal, number>> = {
  'are-you-there': AYT,
  break: BRK,
  interrupt: IP,
  'abort-output': AO,
  nop: NOP,
}

/**
 * If the server has not taken this many octets of answers, we stop reading, so that a flood of requests cannot fill
 * memory.
 */
const maxUnsentAnswers = 64 * 1024

/**
 * Milliseconds of silence after which we assume that the server waits for input: the first for a server that may speak
 * no Telnet, the second within a negotiation and at the end of the input.
 */
const silence = { atFirst: 300, later: 1000 }

/** The character that people type to end their input, if a terminal reads it. */
const END_OF_INPUT = 4

/** A Telnet connection as a stream of text (RFC 854). */
export class TelnetSession extends Duplex implements Session {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly user: string | null
  received = 0
  readonly #socket: Socket
  readonly #context: RetrievalContext
  readonly #told: SessionOptions
  readonly #decoder: NvtDecoder
  readonly #encoder = new NvtEncoder()
  readonly #negotiation: Negotiation
  readonly #forget: () => void
  #columns: number | undefined
  #rows: number | undefined
  #unsentAnswers = 0
  /** How many subnegotiations the server has asked for. */
  #subnegotiations = 0
  #isReaderFull = false
  /** Whether the server has sent a command. */
  #hasNegotiated = false
  /** Whether the server's last word is that it shows what is typed, so that it has a terminal. */
  #offersEcho = false
  /** The last octet that was written. At the beginning of a line it is LF. */
  #lastWritten = 10
  /** Whether Ctrl-D was sent at the end of the input. */
  #hasTypedEnd = false
  /** Whether what was sent last makes servers throw output away, as Ctrl-C does. */
  #hasInterrupted = false
  #octets = 0
  #wake: () => void = () => {}
  /** Resolves when the service has begun, or is silent. */
  readonly #begun: Promise<void>

  constructor(socket: Socket, plan: TelnetPlan, context: RetrievalContext, options: SessionOptions) {
    super({ allowHalfOpen: true })
    this.url = context.url
    this.host = plan.host
    this.port = plan.port
    this.tls = plan.tls === 'implicit'
    this.user = plan.user === null ? null : octetsToText(plan.user)
    this.#socket = socket
    this.#context = context
    this.#told = options
    this.#columns = options.columns
    this.#rows = options.rows
    this.#decoder = new NvtDecoder(this.#listener(), context.limits.maxReply)
    this.#negotiation = new Negotiation(this.#rules())
    this.#forget = context.deadline.onAbort(() => this.destroy(context.deadline.reason ?? undefined))
    socket.on('data', (octets: Uint8Array) => this.#onData(octets))
    socket.once('end', () => this.#onEnd())
    socket.once('error', (cause) => this.#onError(cause))
    socket.once('close', () => this.#onEnd())
    if (options.binary === true) {
      this.#negotiation.ask('client', BINARY, true)
      this.#negotiation.ask('server', BINARY, true)
    }
    this.#begun = this.#begin()
  }

  get echoes(): boolean {
    return this.#negotiation.isOn('server', ECHO)
  }

  get binary(): boolean {
    return this.#encoder.binary
  }

  get options(): readonly string[] {
    return (['server', 'client'] as const).flatMap((side) =>
      this.#negotiation.on(side).map((option) => `${side} ${optionName(option)}`),
    )
  }

  resize(columns: number, rows: number): void {
    checkSize(columns, rows)
    this.#columns = columns
    this.#rows = rows
    if (this.#negotiation.isOn('client', WINDOW_SIZE)) this.#sendSize()
  }

  signal(name: SessionSignal): void {
    this.#hasInterrupted = name !== 'are-you-there' && name !== 'nop'
    this.#send([IAC, signals[name]], `IAC ${name}`)
  }

  override _read(): void {
    this.#isReaderFull = false
    this.#flow()
  }

  /**
   * Input waits until the service has begun. Earlier, a login program drops it, the terminal echoes it, or the server
   * reads it by options that are not agreed yet.
   */
  override _write(text: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    void this.#begun.then(() => this.#writeNow(text, done))
  }

  #writeNow(text: Buffer, done: () => void): void {
    const last = text.at(-1)
    if (last !== undefined) {
      this.#lastWritten = last
      // A control character such as Ctrl-C, Ctrl-Z or Ctrl-\, but not the end of a line.
      this.#hasInterrupted = last < 32 && last !== 9 && last !== 10 && last !== 13
    }
    // An error shows in the socket's own event.
    this.#socket.write(this.#encoder.encode(text), () => done())
  }

  /**
   * Tells the service that the input has ended. If it has a terminal, we send Ctrl-D, as a person would: the end of the
   * connection would end its program at once, and lose the last answer. Therefore the service must have begun.
   */
  override _final(done: (error?: Error | null) => void): void {
    done()
    void this.#endInput().catch((error: Error) => this.destroy(error))
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#forget()
    this.#wake()
    this.#socket.destroy()
    done(error)
  }

  async #begin(): Promise<void> {
    await this.#nextEvent(silence.atFirst)
    let octets = 0
    while (this.received === 0 && this.#octets > octets && !this.#isOver) {
      octets = this.#octets
      await this.#nextEvent(silence.later)
    }
  }

  async #endInput(): Promise<void> {
    const { deadline } = this.#context
    await this.#begun
    if (this.#octets === 0 && !this.#isOver) await this.#nextEvent(silence.later)
    while (this.received === 0 && this.#hasNegotiated && !this.#isOver) {
      await deadline.within('request', () => this.#nextEvent())
    }
    if (this.#isOver) return
    if (this.#offersEcho) {
      this.#hasTypedEnd = true
      // Within a line, the first Ctrl-D only ends the line.
      const isWithinLine = this.#lastWritten !== 10 && this.#lastWritten !== 13
      this.#socket.write(Uint8Array.from(isWithinLine ? [END_OF_INPUT, END_OF_INPUT] : [END_OF_INPUT]))
    } else this.#socket.end()
    // Until now the app decided how long to wait. From now on, the server must continue or end.
    while (!this.#isOver) {
      const next = (): Promise<void> => this.#nextEvent()
      await (this.#isReaderFull ? deadline.unlimited(next) : deadline.within('request', next))
    }
  }

  get #isOver(): boolean {
    return this.destroyed || this.#socket.readableEnded || this.#socket.destroyed
  }

  /** Resolves at the next octets, at the end, when the reader continues, or after a time. */
  #nextEvent(milliseconds?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #onData(octets: Uint8Array): void {
    this.#octets += octets.length
    const text = this.#decoder.feed(this.#withoutLostMark(octets))
    this.received += text.length
    if (this.received > this.#context.limits.maxSize) {
      const advice = { option: 'limits.maxSize', value: this.#context.limits.maxSize } as const
      const message = `The text of the service is longer than ${this.#context.limits.maxSize} octets.`
      this.destroy(this.#context.error('limit-exceeded', message, { advice }))
    } else if (text.length > 0) this.#isReaderFull = !this.push(text)
    this.#flow()
    this.#wake()
  }

  /**
   * Removes the rest of a Synch (RFC 854: IAC DM with TCP's urgent mark). Servers mark the IAC as urgent, which takes
   * it out of the stream and begins a new chunk. DM is left, which is the letter `ò` in Latin-1. Servers send a Synch
   * when they throw output away, which Ctrl-C and Interrupt Process make them do.
   */
  #withoutLostMark(octets: Uint8Array): Uint8Array {
    if (!this.#hasInterrupted || octets[0] !== DM) return octets
    this.#hasInterrupted = false
    return octets.subarray(1)
  }

  #flow(): void {
    if (this.#isReaderFull || this.#unsentAnswers > maxUnsentAnswers) this.#socket.pause()
    else this.#socket.resume()
  }

  /**
   * Handles an error. If the last command ends a service, Ctrl-D stays unread, and the system resets the connection.
   */
  #onError(cause: Error): void {
    if (this.#hasTypedEnd && 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')) this.#onEnd()
    else this.destroy(receiveError(this.#context, cause))
  }

  #onEnd(): void {
    this.#wake()
    if (this.destroyed || this.readableEnded) return
    this.push(null)
    // The service has ended, so nothing reads further input.
    if (!this.writableEnded) this.end()
  }

  #listener(): CommandListener {
    const { emit, url } = this.#context
    const received = (octets: string): void => {
      this.#hasNegotiated = true
      emit({ type: 'received', url, octets })
    }
    return {
      negotiated: (verb, option) => {
        received(`${negotiationText(verb, option)}\r\n`)
        if (option === ECHO && verb < 253) this.#offersEcho = verb === WILL
        this.#negotiation.receive(verb, option)
      },
      subnegotiated: (option, octets) => {
        received(`IAC SB ${optionName(option)}\r\n`)
        if (!this.#negotiation.isOn('client', option)) return
        const answer = this.#mayAnswer() ? answerTo(option, octets, this.#told) : null
        if (answer !== null) this.#sendSubnegotiation(option, answer)
      },
      commanded: () => {
        this.#hasNegotiated = true
      },
      overflowed: () => {
        const message = 'The server sent a subnegotiation that is too long.'
        this.destroy(this.#context.error('limit-exceeded', message, { advice: { option: 'limits.maxReply' } }))
      },
    }
  }

  #rules(): NegotiationRules {
    const { echo, terminalType, displayLocation, environment, binary } = this.#told
    return {
      accepts: (side, option) => {
        if (option === BINARY) return binary === true
        if (option === SUPPRESS_GO_AHEAD) return echo === true
        if (side === 'server') return option === ECHO && echo === true
        if (option === WINDOW_SIZE) return this.#columns !== undefined && this.#rows !== undefined
        if (option === TERMINAL_TYPE) return terminalType !== undefined
        if (option === X_DISPLAY_LOCATION) return displayLocation !== undefined
        return option === NEW_ENVIRONMENT && environment !== undefined
      },
      send: (verb, option) => this.#send([IAC, verb, option], negotiationText(verb, option)),
      changed: (side, option, isOn) => this.#changed(side, option, isOn),
    }
  }

  #changed(side: Side, option: number, isOn: boolean): void {
    if (option === BINARY && side === 'server') this.#decoder.binary = isOn
    if (option === BINARY && side === 'client') this.#encoder.binary = isOn
    if (option === WINDOW_SIZE && side === 'client' && isOn && this.#mayAnswer()) this.#sendSize()
    if (side === 'server' && option === ECHO) this.emit('mode')
  }

  #mayAnswer(): boolean {
    return this.#subnegotiations++ < maxSubnegotiations
  }

  #sendSize(): void {
    if (this.#columns === undefined || this.#rows === undefined) return
    this.#sendSubnegotiation(WINDOW_SIZE, windowSize(this.#columns, this.#rows))
  }

  /** Sends a subnegotiation. The values are the caller's own, so events name only the option. */
  #sendSubnegotiation(option: number, octets: readonly number[]): void {
    this.#send(subnegotiation(option, octets), `IAC SB ${optionName(option)}`)
  }

  #send(octets: readonly number[], shown: string): void {
    if (this.destroyed || !this.#socket.writable) return
    const { emit, url } = this.#context
    emit({ type: 'sent', url, octets: `${shown}\r\n` })
    this.#unsentAnswers += octets.length
    this.#socket.write(Uint8Array.from(octets), () => {
      this.#unsentAnswers -= octets.length
      if (!this.destroyed) this.#flow()
    })
  }
}
