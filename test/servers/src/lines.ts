import type { Duplex } from 'node:stream'

/** Longer than any of the protocols allows (RFC 3977: 512, RFC 1436: 255), so that a test can send too long a line. */
export const LONGEST: number = 64 * 1024

export interface LinesOptions {
  /** 'crlf': a single CR or LF is part of the line (RFC 959). 'lf': LF ends the line, and a CR before it is dropped. */
  readonly end: 'crlf' | 'lf'
  /** Called for each line as it arrives, even while an earlier one is being answered. */
  readonly onLine?: (line: string) => void
  /** Called before `onLine`. If it returns false, the line is lost. */
  readonly accepts?: () => boolean
}

/** The lines of a stream, without their ends, one char an octet. They are taken in order. */
export class Lines {
  readonly #options: LinesOptions
  readonly #ready: string[] = []
  #stream: Duplex | undefined
  #rest = ''
  #ended = false
  #wake: (() => void) | undefined

  constructor(stream: Duplex, options: LinesOptions) {
    this.#options = options
    this.attach(stream)
  }

  /** The next line, or undefined when the client has ended or is gone. */
  async next(): Promise<string | undefined> {
    while (this.#ready.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#ready.shift()
  }

  /**
   * Takes no more from the stream, since the next octets are for another reader, such as the handshake after AUTH TLS.
   */
  stop(): void {
    this.#stream?.off('data', this.#onData).pause()
  }

  /**
   * Reads from another stream, as after AUTH TLS. Octets that came in clear before are forgotten, for the reason in RFC
   * 3207, 4.2.
   */
  attach(stream: Duplex): void {
    this.#stream?.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd)
    this.#stream = stream
    this.#rest = ''
    this.#ready.length = 0
    stream.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#rest += chunk.toString('latin1')
    const end = this.#options.end === 'crlf' ? '\r\n' : '\n'
    let start = 0
    for (let at = this.#rest.indexOf(end); at !== -1; at = this.#rest.indexOf(end, start)) {
      this.#take(this.#rest.slice(start, at))
      start = at + end.length
    }
    this.#rest = this.#rest.slice(start)
    if (this.#rest.length > LONGEST) this.#stream?.destroy()
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    this.#wake?.()
  }

  #take(line: string): void {
    const taken = this.#options.end === 'lf' && line.endsWith('\r') ? line.slice(0, -1) : line
    if (this.#options.accepts?.() ?? true) this.#ready.push(taken)
    this.#options.onLine?.(taken)
    this.#wake?.()
  }
}
