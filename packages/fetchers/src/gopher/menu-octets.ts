import { octetsToText, printable } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'

const tab = 0x09
const lf = 0x0a

/** As much of an answer that is no menu as a remark shows of it. */
const shown = 200

/**
 * A menu on its way. Servers answer in prose, too, where they do not have it: a remark says so where no line of all was
 * one of a menu, which is one of four fields (RFC 1436 3.4).
 */
export class MenuOctets implements AsyncIterableIterator<Uint8Array> {
  readonly #octets: AsyncIterator<Uint8Array>
  readonly #context: RetrievalContext
  #isMenu = false
  /** In the line that is open. */
  #tabs = 0
  #beginning = ''

  constructor(octets: AsyncIterable<Uint8Array>, context: RetrievalContext) {
    this.#octets = octets[Symbol.asyncIterator]()
    this.#context = context
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const result = await this.#octets.next()
    if (result.done !== true) {
      if (!this.#isMenu) this.#look(result.value)
      return result
    }
    if (!this.#isMenu && this.#beginning.trim() !== '') this.#remark()
    return { done: true, value: undefined }
  }

  #look(chunk: Uint8Array): void {
    if (this.#beginning.length < shown) {
      this.#beginning += Buffer.from(chunk.subarray(0, shown - this.#beginning.length)).toString('latin1')
    }
    for (const octet of chunk) {
      if (octet === lf) this.#tabs = 0
      else if (octet === tab && ++this.#tabs === 3) {
        this.#isMenu = true
        return
      }
    }
  }

  #remark(): void {
    const { emit, url } = this.#context
    const [first = ''] = octetsToText(this.#beginning).trim().split(/\r?\n/)
    const message = `The answer is no menu: no line of it has the fields of one. It begins: ${printable(first)}`
    emit({ type: 'remark', url, message })
  }
}
