import { printable, redact } from '@retriever/core'
import type { RetrievalEvent, RetrieveOptions } from '@retriever/fetchers'
import type { TraceOptions } from '../options/tracing.ts'
import { SideFile } from '../saving/side-file.ts'
import type { Output } from '../terminal/output.ts'
import { hostOf } from '../write-out/facts.ts'

/** Turns the octets of a trace into lines. */
type Dump = (octets: string) => string[]

/** The number of a retrieval, and the time by performance.now(). */
type Stamp = Pick<RetrievalEvent, 'id' | 'time'>

/**
 * The file of --trace and --trace-ascii, in curl's form. Events come without secrets, and this class hides the same
 * ones in bodies. The stated sizes of bodies are those before hiding.
 */
export class TraceFile {
  readonly #options: TraceOptions
  readonly #dump: Dump
  readonly #file: SideFile

  /** Opens the file. Throws `write-failed`. */
  constructor(options: TraceOptions, output: Output) {
    const { file, ascii } = options
    this.#options = options
    this.#dump = ascii ? asLines : asHex
    this.#file = new SideFile(file, output)
    this.#file.open()
  }

  event(event: RetrievalEvent): void {
    if (event.type === 'sent') this.#data(event, '=> Send header', event.octets)
    else if (event.type === 'received') {
      for (const line of event.octets.match(/[^\n]*\n|[^\n]+$/g) ?? []) this.#data(event, '<= Recv header', line)
    } else {
      const text = infoOf(event)
      if (text !== null) this.#file.add(`${this.#stamp(event)}== Info: ${printable(text)}\n`)
    }
  }

  /** The option that passes the body of a retrieval to this trace. */
  get listener(): Pick<RetrieveOptions, 'onBody'> {
    return { onBody: (chunk, id) => this.#body(chunk, id) }
  }

  /** Writes a chunk of the body of the retrieval with this number. */
  #body(chunk: Uint8Array, id: number): void {
    const octets = redact(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1'))
    this.#data({ id, time: performance.now() }, '<= Recv data', octets, chunk.length)
  }

  close(): void {
    this.#file.close()
  }

  #data(stamp: Stamp, what: string, octets: string, length: number = octets.length): void {
    const lines = this.#dump(octets).map((line) => `${line}\n`)
    this.#file.add(`${this.#stamp(stamp)}${what}, ${size(length)}\n${lines.join('')}`)
  }

  /** The time of day with microseconds, and the number of the retrieval. */
  #stamp({ id, time }: Stamp): string {
    const ids = this.#options.ids ? `[${id - 1}] ` : ''
    if (!this.#options.time) return ids
    const at = performance.timeOrigin + time
    const date = new Date(at)
    const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'))
    const micros = String(Math.floor((at * 1000) % 1_000_000)).padStart(6, '0')
    return `${clock.join(':')}.${micros} ${ids}`
  }
}

/** What the trace says of a step that is no part of the dialogue with the server; null if it shows nothing. */
function infoOf(event: RetrievalEvent): string | null {
  if (event.type === 'connected') return `Connected to ${hostOf(event.url)} (${event.address}) port ${event.port}`
  if (event.type === 'secured') return `SSL connection using ${event.version} / ${event.cipher}`
  if (event.type === 'redirected') return `Issue another request to this URL: '${event.location}'`
  if (event.type === 'retried') return event.error.message
  return event.type === 'done' ? (event.error?.message ?? null) : null
}

function size(octets: number): string {
  return `${octets} bytes (0x${octets.toString(16)})`
}

/** Lines of 16 octets, in hexadecimal and as characters. */
function asHex(octets: string): string[] {
  const lines: string[] = []
  for (let at = 0; at < octets.length; at += 16) {
    const part = Buffer.from(octets.slice(at, at + 16), 'latin1')
    const hex = (part.toString('hex').match(/../g) ?? []).map((pair) => `${pair} `).join('')
    lines.push(`${offset(at)}: ${hex.padEnd(48)}${visible(part.toString('latin1'))}`)
  }
  return lines
}

/** The lines of a text, each at most 64 octets long. */
function asLines(octets: string): string[] {
  const lines: string[] = []
  let at = 0
  while (at < octets.length) {
    const end = octets.indexOf('\r\n', at)
    const isLine = end >= 0 && end - at <= 64
    const next = isLine ? end : Math.min(octets.length, at + 64)
    lines.push(`${offset(at)}: ${visible(octets.slice(at, next))}`)
    at = isLine ? end + 2 : next
  }
  return lines
}

function offset(at: number): string {
  return at.toString(16).padStart(4, '0')
}

/** Octets that are no visible ASCII become dots. */
function visible(octets: string): string {
  return octets.replace(/[^\x20-\x7E]/g, '.')
}
