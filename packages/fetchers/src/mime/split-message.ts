import { RetrievalError } from '@retriever/core'
import { trimBlanks } from '../kit/text/blanks.ts'
import { Entity } from './entity.ts'

/** Limits the memory that a message needs beyond its octets. */
export interface MessageLimits {
  readonly maxParts: number
  readonly maxHeader: number
  /** The URL for errors. */
  readonly url: string | null
}

/** A part that has no parts itself, and its octets in the message. */
export interface Leaf {
  readonly entity: Entity
  readonly octets: Buffer
}

/** A message, split into its parts. */
export interface SplitMessage {
  /** The message, its multiparts and their parts, in order. The first is the message itself. */
  readonly entities: readonly Entity[]
  readonly leaves: readonly Leaf[]
  /** The octets of each multipart with a boundary, from its preamble or first delimiter to its last one. */
  readonly multiparts: ReadonlyMap<Entity, Buffer>
}

const lf = 0x0a
const cr = 0x0d

/**
 * Splits a message (RFC 2046 5.1) without copying it. A message within the message is a leaf. Throws `limit-exceeded`.
 */
export function splitMessage(octets: Uint8Array, limits: MessageLimits): SplitMessage {
  const message = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
  return new Splitter(message, limits).split()
}

class Splitter {
  readonly #message: Buffer
  readonly #limits: MessageLimits
  readonly #entities: Entity[] = []
  readonly #leaves: Leaf[] = []
  /** The octets of the multiparts. Until a multipart's end is found, it has everything after its header. */
  readonly #multiparts = new Map<Entity, Buffer>()
  /** The multiparts that have not ended. The innermost is last. */
  readonly #open: Entity[] = []
  /** The open multiparts by boundary. If two have the same boundary, the inner one counts. */
  readonly #byBoundary = new Map<string, Entity>()

  constructor(message: Buffer, limits: MessageLimits) {
    this.#message = message
    this.#limits = limits
  }

  split(): SplitMessage {
    const root = this.#readEntity(null, 0)
    let part: { readonly entity: Entity; readonly bodyStart: number } | null = root
    for (let at = root.bodyStart; part !== null || at < this.#message.length; ) {
      const delimiter = this.#nextDelimiter(at)
      if (part !== null && part.entity.boundary === null)
        this.#leaves.push({ entity: part.entity, octets: this.#body(part.bodyStart, delimiter?.start ?? null) })
      if (delimiter === null) break
      const { multipart, isEnd } = delimiter
      this.#closeDownTo(delimiter)
      part = isEnd ? null : this.#readEntity(multipart, delimiter.end)
      at = part?.bodyStart ?? delimiter.end
    }
    // A multipart whose boundary never comes is one text.
    if (this.#leaves.length === 0)
      this.#leaves.push({ entity: root.entity, octets: this.#message.subarray(root.bodyStart) })
    return { entities: this.#entities, leaves: this.#leaves, multiparts: this.#multiparts }
  }

  /** Reads a header up to the empty line after it, a delimiter within it, or the end. */
  #readEntity(parent: Entity | null, start: number): { entity: Entity; bodyStart: number } {
    let [end, bodyStart] = [start, start]
    for (let isHeader = true; isHeader && bodyStart < this.#message.length; ) {
      const next = lineEnd(this.#message, bodyStart)
      const isEmpty = this.#message[bodyStart] === lf || (this.#message[bodyStart] === cr && next === bodyStart + 2)
      isHeader = !isEmpty && this.#delimiterAt(bodyStart) === null
      end = isHeader ? next : bodyStart
      bodyStart = isHeader || isEmpty ? next : bodyStart
      if (bodyStart - start > this.#limits.maxHeader) throw headerTooLong(this.#limits)
    }
    const entity = new Entity(parent, this.#message.toString('latin1', start, end))
    this.#entities.push(entity)
    if (this.#entities.length > this.#limits.maxParts) throw tooManyParts(this.#limits)
    if (entity.boundary !== null) {
      this.#open.push(entity)
      this.#multiparts.set(entity, this.#message.subarray(bodyStart))
      this.#byBoundary.set(entity.boundary, entity)
    }
    return { entity, bodyStart }
  }

  /** Finds the first delimiter from the line at `at` on. Returns null if there is none. */
  #nextDelimiter(at: number): Delimiter | null {
    if (this.#open.length === 0) return null
    for (let start = at; start < this.#message.length; ) {
      const delimiter = this.#delimiterAt(start)
      if (delimiter !== null) return delimiter
      start = this.#message.indexOf('\n--', start) + 1
      if (start === 0) return null
    }
    return null
  }

  /** Reads the delimiter in the line that begins at `start`. Returns null if the line is no delimiter. */
  #delimiterAt(start: number): Delimiter | null {
    if (this.#open.length === 0 || this.#message[start] !== dash || this.#message[start + 1] !== dash) return null
    const end = lineEnd(this.#message, start)
    // Blanks after a boundary were added on the way (RFC 2046 5.1.1).
    const text = trimBlanks(this.#message.toString('latin1', start + 2, end))
    const opened = this.#byBoundary.get(text)
    // Without a line end, this is the beginning of `--boundary--`.
    if (opened !== undefined) return { multipart: opened, start, end, isEnd: this.#message[end - 1] !== lf }
    const ended = text.endsWith('--') ? this.#byBoundary.get(text.slice(0, -2)) : undefined
    return ended === undefined ? null : { multipart: ended, start, end, isEnd: true }
  }

  /** Ends the multiparts within this one, whose own ends are missing, and this one if the delimiter is its last. */
  #closeDownTo({ multipart, isEnd, start, end }: Delimiter): void {
    while (this.#open.at(-1) !== multipart || isEnd) {
      const closed = this.#open.pop()
      if (closed?.boundary == null) return
      const octets = this.#multiparts.get(closed)
      const bodyStart = this.#message.length - (octets?.length ?? 0)
      // A multipart's octets include its own last delimiter, but not that of an outer multipart.
      const isOwn = closed === multipart
      this.#multiparts.set(closed, isOwn ? this.#message.subarray(bodyStart, end) : this.#body(bodyStart, start))
      const outer = this.#open.findLast(({ boundary }) => boundary === closed.boundary)
      if (outer === undefined) this.#byBoundary.delete(closed.boundary)
      else this.#byBoundary.set(closed.boundary, outer)
      if (closed === multipart) return
    }
  }

  /** Returns the octets of a body. The line end before a delimiter belongs to the delimiter (RFC 2046 5.1.1). */
  #body(start: number, delimiter: number | null): Buffer {
    let end = delimiter ?? this.#message.length
    if (delimiter !== null && end > start && this.#message[end - 1] === lf) end--
    if (delimiter !== null && end > start && this.#message[end - 1] === cr) end--
    return this.#message.subarray(start, end)
  }
}

const dash = 0x2d

/** A line that separates parts. */
interface Delimiter {
  readonly multipart: Entity
  readonly start: number
  readonly end: number
  /** Whether this is the last delimiter of its multipart. */
  readonly isEnd: boolean
}

/** Returns the position after the line end. */
function lineEnd(message: Buffer, start: number): number {
  return message.indexOf(lf, start) + 1 || message.length
}

function headerTooLong(limits: MessageLimits): RetrievalError {
  return exceeded(limits, `A header of the message is over ${limits.maxHeader} octets, the most that are read`)
}

/** Makes the error for a message that has more parts than are allowed. */
export function tooManyParts(limits: MessageLimits): RetrievalError {
  return exceeded(limits, `The message has over ${limits.maxParts} parts, the most that are read`)
}

function exceeded({ url }: MessageLimits, what: string): RetrievalError {
  const place = url === null ? '' : `${url}: `
  return new RetrievalError('limit-exceeded', `${place}${what}; save it as it is, to a file.`, {
    phase: 'body',
    ...(url !== null && { url }),
  })
}
