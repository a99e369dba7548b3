import type { Socket } from 'node:net'

/** The octets of a client, held until the script asks for them. */
export class Segments {
  /** Resolves when the client is gone. */
  readonly end: Promise<void>
  #held = ''
  #over = false
  #wake: () => void = () => {}

  constructor(socket: Socket) {
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      this.#held += piece
      this.#wake()
    })
    this.end = new Promise((resolve) => {
      const over = (): void => {
        this.#over = true
        this.#wake()
        resolve()
      }
      socket.once('end', over)
      socket.once('close', over)
    })
  }

  /** Come, but not taken yet. */
  get held(): string {
    return this.#held
  }

  /** The first line, left where it is; what there is of it where the client ends. */
  async peekLine(): Promise<string> {
    while (!this.#over && !this.#held.includes('\n')) await this.#change()
    return this.#held.split(/(?<=\n)/, 1).join('')
  }

  /** Takes these octets as soon as they are here; else what came instead: the line that differs, or '' at the end. */
  async take(expected: string): Promise<string> {
    while (!this.#over && expected.startsWith(this.#held) && this.#held.length < expected.length) {
      await this.#change()
    }
    const right = this.#held.startsWith(expected)
    const got = right ? expected : this.#held.split(/(?<=\n)/, 1).join('')
    this.#held = this.#held.slice(got.length)
    return got
  }

  #change(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = wake
    })
  }
}
