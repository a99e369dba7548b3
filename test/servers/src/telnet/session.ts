import { wholeBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'
import { recorded } from '../request.ts'
import { Nvt, type NvtEvent } from './nvt.ts'

/** The server offers WILL ECHO and DO TERMINAL-TYPE. */
const NEGOTIATION = '\xff\xfb\x01\xff\xfd\x18'
const BANNER = 'Welcome to the test server.\r\nType lines to hear them again, quit to leave.\r\n'
const PROMPT = '> '
const DO_ECHO = '\xff\xfd\x01'
const DONT_ECHO = '\xff\xfe\x01'
const ARE_YOU_THERE = '\xff\xf6'

/** The session of one connection. Its banner waits for the client's first octets; that of telnetd waits for answers. */
export class TelnetSession {
  readonly #connection: Connection
  readonly #server: Listener
  readonly #nvt = new Nvt()
  #welcomed = false
  /** Whether the client wants each typed character shown (RFC 857). */
  #echoes = false

  constructor(connection: Connection, server: Listener) {
    this.#connection = connection
    this.#server = server
  }

  async run(): Promise<void> {
    const connection = this.#connection
    if (connection.faults.stall === 'greeting') return connection.stall()
    if (!(await connection.sendFault('greeting'))) await connection.send(NEGOTIATION)
    for await (const chunk of connection.stream as AsyncIterable<Buffer>) {
      const events = this.#nvt.feed(chunk)
      const typed = this.#nvt.takeTyped()
      if (this.#echoes && typed !== '') await connection.send(typed.replace(/\r\n|\r\0|\n/g, '\r\n'))
      for (const event of events) {
        if (!(await this.#answer(event))) return
      }
      if (!(await this.#welcome())) return
      // Ctrl-D ends the input of a program.
      if (typed.includes('\x04')) return
    }
  }

  /** Answers an event. Resolves to whether the session goes on. */
  async #answer(event: NvtEvent): Promise<boolean> {
    if ('command' in event) {
      this.#record(event.command)
      if (event.command === DO_ECHO) this.#echoes = true
      if (event.command === DONT_ECHO) this.#echoes = false
      // RFC 854 wants some sign that the server is alive.
      if (event.command === ARE_YOU_THERE) await this.#connection.send('\r\n[Yes]\r\n')
      return true
    }
    const { line } = event
    this.#record(line)
    if (!(await this.#welcome())) return false
    if (await this.#connection.sendFault(line)) return true
    const echo = `${line.replaceAll('\xff', '\xff\xff')}\r\n`
    if (line === 'quit') {
      await this.#connection.send(`${echo}Goodbye.\r\n`)
      return false
    }
    return this.#send(echo + PROMPT)
  }

  #record(line: string): void {
    this.#server.record(recorded(this.#connection, { line, method: '', target: line }))
  }

  async #welcome(): Promise<boolean> {
    if (this.#welcomed) return true
    this.#welcomed = true
    if (this.#connection.faults.stall === 'login') {
      await this.#connection.stall()
      return false
    }
    return this.#send(BANNER + PROMPT)
  }

  async #send(text: string): Promise<boolean> {
    const connection = this.#connection
    if (connection.faults.stall === 'response') {
      await connection.stall()
      return false
    }
    await connection.delay()
    return connection.sendBody(wholeBody(text))
  }
}
