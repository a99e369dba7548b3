import { octetsToText, printable } from '@retriever/core'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'

const tab = 0x09
const lf = 0x0a

/** How many octets of an answer that is no menu the remark shows. */
const shown = 200

/**
 * The octets of a menu, unchanged. If servers do not have the menu, they often answer in prose. If no line has the four
 * fields of a menu (RFC 1436 3.4), a remark says so.
 */
export class MenuOctets implements ByteSource {
  readonly #octets: ByteSource
  readonly #context: RetrievalContext
  #isMenu = false
  /** The number of TABs in the current line. */
  #tabs = 0
  #beginning = ''

  constructor(octets: ByteSource, context: RetrievalContext) {
    this.#octets = octets
    this.#context = context
  }

  async read(): Promise<Uint8Array | null> {
    const chunk = await this.#octets.read()
    if (this.#isMenu) return chunk
    if (chunk !== null) this.#look(chunk)
    else if (this.#beginning.trim() !== '') this.#remark()
    return chunk
  }

  cancel(): Promise<void> {
    return this.#octets.cancel()
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
