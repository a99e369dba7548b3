import { trimBlanks } from '@retriever/fetchers/internal'

/** Gives the lines of a block with their ends; null, or nothing, at the end of the block. */
interface Lines {
  readlineRaw(): Promise<Uint8Array | null>
}

/** The head of an HTTP message as it was archived, one octet a character. */
export class HttpHead {
  /** `HTTP/1.1 200 OK`, or `GET /path HTTP/1.1`. */
  readonly startLine: string
  readonly fields: readonly (readonly [name: string, value: string])[]

  private constructor(startLine: string, fields: HttpHead['fields']) {
    this.startLine = startLine
    this.fields = fields
  }

  /**
   * Reads a block up to its body. Lines may end in LF alone, there may be no fields, and values may be folded, as in
   * answers of old servers: warcio takes the body of such an answer for fields. Null: the block is empty.
   */
  static async read(block: Lines): Promise<HttpHead | null> {
    const startLine = await lineOf(block)
    if (startLine === '') return null
    const fields: [name: string, value: string][] = []
    for (let line = await lineOf(block); line !== ''; line = await lineOf(block)) {
      const last = fields.at(-1)
      const colon = line.indexOf(':')
      if (/^[ \t]/.test(line) && last !== undefined) last[1] += ` ${trimBlanks(line)}`
      else if (colon > 0) fields.push([trimBlanks(line.slice(0, colon)), trimBlanks(line.slice(colon + 1))])
    }
    return new HttpHead(startLine, fields)
  }

  /** Null: the message is no answer. */
  get status(): number | null {
    const [, status] = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})(?!\S)/i.exec(this.startLine) ?? []
    return status === undefined ? null : Number(status)
  }

  get reason(): string {
    return trimBlanks(this.startLine.split(' ').slice(2).join(' '))
  }

  /** The method of a request. */
  get method(): string {
    return this.startLine.split(' ', 1)[0] ?? ''
  }

  /** The value of the first field with this name, which is in lower case. */
  get(name: string): string | undefined {
    return this.fields.find(([other]) => other.toLowerCase() === name)?.[1]
  }
}

/** The next line without its end; "" at the end of the block. */
async function lineOf(block: Lines): Promise<string> {
  const octets = (await block.readlineRaw()) ?? new Uint8Array()
  return Buffer.from(octets)
    .toString('latin1')
    .replace(/\r?\n$/, '')
}
