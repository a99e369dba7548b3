import { octetsToText, printable } from '@retriever/core'
import type { RetrievalEvent } from '@retriever/fetchers'
import type { TraceOptions } from '../options/tracing.ts'
import { SideFile } from '../saving/side-file.ts'
import type { Output } from '../terminal/output.ts'
import { hostOf } from '../write-out/facts.ts'

/** How the octets of a trace are shown. */
type Dump = (octets: string) => string[]

/**
 * The file of --trace and --trace-ascii, in the form of curl. Secrets are hidden, as in all events, and the octets of
 * bodies are counted, not shown.
 */
export class TraceFile {
  readonly #options: TraceOptions
  readonly #dump: Dump
  readonly #file: SideFile
  /** The octets of each body that have come, by the number of its retrieval. */
  readonly #received = new Map<number, number>()

  /** Throws `write-failed`. */
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
    } else if (event.type === 'progress') this.#body(event)
    else {
      const text = infoOf(event)
      if (text !== null) this.#write(`${this.#stamp(event)}== Info: ${printable(text)}\n`)
      if (event.type === 'done') this.#received.delete(event.id)
    }
  }

  close(): void {
    this.#file.close()
  }

  #write(text: string): void {
    void this.#file.write(text).catch(() => {})
  }

  #body(event: Extract<RetrievalEvent, { type: 'progress' }>): void {
    const count = event.received - (this.#received.get(event.id) ?? 0)
    this.#received.set(event.id, event.received)
    if (count > 0) this.#write(`${this.#stamp(event)}<= Recv data, ${size(count)}\n`)
  }

  #data(event: RetrievalEvent, what: string, octets: string): void {
    const lines = this.#dump(octets).map((line) => `${line}\n`)
    this.#write(`${this.#stamp(event)}${what}, ${size(octets.length)}\n${lines.join('')}`)
  }

  /** The time of day with microseconds, and the number of the retrieval. */
  #stamp({ id, time }: RetrievalEvent): string {
    const ids = this.#options.ids ? `[${id - 1}] ` : ''
    if (!this.#options.time) return ids
    const at = performance.timeOrigin + time
    const date = new Date(at)
    const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'))
    const micros = String(Math.floor((at * 1000) % 1_000_000)).padStart(6, '0')
    return `${clock.join(':')}.${micros} ${ids}`
  }
}

/** The words for a step that sends and receives nothing of the dialogue; null: it is not shown. */
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

/** 16 octets a line, in hexadecimal and as characters. */
function asHex(octets: string): string[] {
  const lines: string[] = []
  for (let at = 0; at < octets.length; at += 16) {
    const part = Buffer.from(octets.slice(at, at + 16), 'latin1')
    const hex = (part.toString('hex').match(/../g) ?? []).map((pair) => `${pair} `).join('')
    lines.push(`${offset(at)}: ${hex.padEnd(48)}${visible(part.toString('latin1'))}`)
  }
  return lines
}

/** A line of text a line, of at most 64 octets. */
function asLines(octets: string): string[] {
  const lines: string[] = []
  let at = 0
  while (at < octets.length) {
    const end = octets.indexOf('\r\n', at)
    const isLine = end >= 0 && end - at <= 64
    const next = isLine ? end : Math.min(octets.length, at + 64)
    lines.push(`${offset(at)}: ${visible(octetsToText(octets.slice(at, next)))}`)
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
