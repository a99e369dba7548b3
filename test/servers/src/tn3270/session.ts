import { wholeBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'
import { recorded } from '../request.ts'
import { Nvt } from '../telnet/nvt.ts'
import { recordsOf, type ScreenName } from './screens.ts'

/** Telnet commands, one char an octet. */
const DO_TERMINAL_TYPE = '\xff\xfd\x18'
const WILL_TERMINAL_TYPE = '\xff\xfb\x18'
const SEND_TERMINAL_TYPE = '\xff\xfa\x18\x01\xff\xf0'
const TERMINAL_TYPE_IS = '\xff\xfa\x18\0'
const RECORDS = '\xff\xfd\x19\xff\xfb\x19'
const WILL_RECORDS = '\xff\xfb\x19'
const BINARY = '\xff\xfd\0\xff\xfb\0'
const WILL_BINARY = '\xff\xfb\0'
const END = '\xff\xef'
const DO_TN3270E = '\xff\xfd\x28'
const WILL_TN3270E = '\xff\xfb\x28'
const WONT_TN3270E = '\xff\xfc\x28'
/** Subnegotiations of TN3270E (RFC 2355 7). */
const tn3270e = (octets: string): string => `\xff\xfa\x28${octets}\xff\xf0`
const SEND_DEVICE_TYPE = tn3270e('\x08\x02')
const DEVICE_TYPE_REQUEST = '\xff\xfa\x28\x02\x07'
const REJECT = tn3270e('\x02\x06\x05\x04')
const FUNCTIONS_REQUEST = '\xff\xfa\x28\x03\x07'
const FUNCTIONS_ARE = tn3270e('\x03\x04')
const ASK_FUNCTIONS = tn3270e('\x03\x07\x00\x02')

/** The session of one connection: it negotiates by RFC 1576 or RFC 2355, then sends the records of a screen. */
export class Tn3270Session {
  readonly #connection: Connection
  readonly #server: Listener
  readonly #screen: ScreenName
  readonly #nvt = new Nvt()
  readonly #commands: string[] = []
  #isEnhanced: boolean

  constructor(connection: Connection, server: Listener, screen: ScreenName, isEnhanced: boolean) {
    this.#connection = connection
    this.#server = server
    this.#screen = screen
    this.#isEnhanced = isEnhanced
  }

  async run(): Promise<void> {
    const connection = this.#connection
    if (connection.faults.stall === 'greeting') return connection.stall()
    if (await connection.sendFault('greeting')) return
    if (this.#screen === 'text') return connection.send('Welcome.\r\nThis is no mainframe.\r\n')
    if (this.#screen === 'subnegotiation') return this.#flood('\xff\xfa\x18', 'x')
    if (!(await this.#negotiate())) return
    if (connection.faults.stall === 'response') return connection.stall()
    if (this.#screen === 'endless') return this.#flood('', this.#framed('\xf5\x40'))
    if (this.#screen === 'unended') return this.#flood('\xf5', '\x40')
    if (this.#screen === 'short-header') return connection.send(`\0\0${END}`)
    if (this.#screen === 'hangs-up') return
    for (const record of recordsOf(this.#screen)) {
      await connection.delay()
      if (!(await connection.sendBody(wholeBody(Buffer.from(this.#framed(record), 'latin1'))))) return
    }
    if (this.#screen !== 'refused') await connection.stall()
  }

  /** A record as sent: with its header in TN3270E, each FF doubled, and the end mark. */
  #framed(record: string): string {
    const header = this.#isEnhanced ? '\0\0\0\0\0' : ''
    return header + record.replaceAll('\xff', '\xff\xff') + END
  }

  async #flood(first: string, more: string): Promise<void> {
    await this.#connection.send(first)
    const piece = more.repeat(Math.ceil(4096 / more.length))
    while (!this.#connection.stream.destroyed) await this.#connection.send(piece)
  }

  /** Negotiates. Resolves to false if the client has gone. */
  async #negotiate(): Promise<boolean> {
    if (this.#isEnhanced) {
      if (!(await this.#exchange(DO_TN3270E, WILL_TN3270E))) return false
      if (!(await this.#exchange(SEND_DEVICE_TYPE, DEVICE_TYPE_REQUEST))) return false
      if (this.#screen !== 'rejected' && this.#screen !== 'turned-away') return this.#agree()
      if (!(await this.#exchange(REJECT, WONT_TN3270E)) || this.#screen === 'turned-away') return false
      this.#isEnhanced = false
    }
    return (
      (await this.#exchange(DO_TERMINAL_TYPE, WILL_TERMINAL_TYPE)) &&
      (await this.#exchange(SEND_TERMINAL_TYPE, TERMINAL_TYPE_IS)) &&
      (await this.#exchange(RECORDS, WILL_RECORDS)) &&
      (await this.#exchange(BINARY, WILL_BINARY))
    )
  }

  /** Names the device that the client asks for, and agrees on functions. */
  async #agree(): Promise<boolean> {
    const type = this.#commands.at(-1)?.slice(DEVICE_TYPE_REQUEST.length, -2) ?? ''
    if (!(await this.#exchange(tn3270e(`\x02\x04${type}\x01TEST0001`), FUNCTIONS_REQUEST))) return false
    if (this.#screen === 'functions') {
      while (await this.#exchange(ASK_FUNCTIONS, FUNCTIONS_REQUEST));
      return false
    }
    await this.#connection.send(FUNCTIONS_ARE)
    return true
  }

  /** Sends octets, and waits for a command that begins with `answer`. Resolves to false if the client leaves before. */
  async #exchange(sent: string, answer: string): Promise<boolean> {
    await this.#connection.send(sent)
    let seen = this.#commands.length
    while (true) {
      for (; seen < this.#commands.length; seen++) if (this.#commands[seen]?.startsWith(answer)) return true
      const chunk = await this.#read()
      if (chunk === null) return false
      for (const event of this.#nvt.feed(chunk)) if ('command' in event) this.#note(event.command)
    }
  }

  #note(command: string): void {
    this.#commands.push(command)
    this.#server.record(recorded(this.#connection, { line: command, method: '', target: command }))
  }

  async #read(): Promise<Buffer | null> {
    const { stream } = this.#connection
    while (!stream.destroyed && !stream.readableEnded) {
      const chunk: Buffer | null = stream.read()
      if (chunk !== null) return chunk
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          for (const name of ['readable', 'end', 'close']) stream.off(name, wake)
          resolve()
        }
        for (const name of ['readable', 'end', 'close']) stream.on(name, wake)
      })
    }
    return null
  }
}
