import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../plugin/byte-source.ts'
import { expectReply } from '../../wire/framing/reply.ts'
import { checkAnswer } from '../article.ts'
import { type PendingCommand, SessionLost } from '../connection/command-queue.ts'
import type { Dialogue } from '../connection/exchange.ts'
import { fieldsOf } from '../fields.ts'
import { overviewCut, refusedByServer } from '../nntp-errors.ts'

/** What servers say of a number that no article has, and sn and leafnode of any that they do not have. */
const none: ReadonlySet<number> = new Set([420, 423, 430])

/**
 * An overview made of the articles' headers, for servers that keep none: HEAD after HEAD, several on their way at a
 * time.
 */
export class HeadOverview implements ByteSource {
  readonly #dialogue: Dialogue
  readonly #numbers: Iterator<number>
  readonly #underWay: { readonly number: number; readonly slots: readonly PendingCommand[] }[] = []
  readonly #unlink: () => void
  #isOver = false

  constructor(dialogue: Dialogue, numbers: Iterable<number>) {
    this.#dialogue = dialogue
    this.#numbers = numbers[Symbol.iterator]()
    this.#unlink = dialogue.context.deadline.onAbort(() => this.#giveUp())
  }

  async read(): Promise<Uint8Array | null> {
    try {
      while (!this.#isOver) {
        const line = await this.#line()
        if (line !== null) return Buffer.from(line, 'latin1')
      }
    } catch (error) {
      // Nobody knows what comes next in it.
      if (RetrievalError.is(error) && error.code === 'protocol-violation') this.#dialogue.session.lose()
      this.#giveUp()
      throw error instanceof SessionLost ? overviewCut(this.#dialogue, error) : error
    }
    return null
  }

  async cancel(): Promise<void> {
    this.#giveUp()
  }

  /** The next article's line; null where the number has none, and at the end. */
  async #line(): Promise<string | null> {
    const { session, plan, context } = this.#dialogue
    while (this.#underWay.length < session.quirks.depth) {
      const { done, value: number } = this.#numbers.next()
      if (done === true) break
      this.#underWay.push({ number, slots: session.postIn(plan.newsgroup ?? '', `HEAD ${number}`, context) })
    }
    const [head] = this.#underWay
    if (head === undefined) {
      this.#giveUp()
      return null
    }
    for (const slot of head.slots) {
      const reply = await session.reply(slot, context)
      // Perhaps somebody else's: without its group, the answer is about another one.
      const group = slot.selection === null ? reply : slot.selection.reply
      if (group !== null && group.code !== 211) throw refusedByServer(context, group, 'such newsgroup')
      if (reply.code >= 400 || slot.selection === null) session.end(slot)
      else {
        expectReply(context, reply, 221)
        checkAnswer(context, reply, { articleNumber: head.number, messageId: null })
        const fields = await fieldsOf(session, slot, context)
        this.#underWay.shift()
        return overviewLine(head.number, fields)
      }
      if (reply.code >= 400 && !none.has(reply.code)) throw refusedByServer(context, reply, 'header of an article')
    }
    this.#underWay.shift()
    return null
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#unlink()
    this.#dialogue.session.abandon(...this.#underWay.flatMap(({ slots }) => slots))
    this.#dialogue.done()
  }
}

/** RFC 3977 8.3.2: a TAB, NUL, CR or LF within a field becomes one blank. */
function overviewLine(number: number, fields: ReadonlyMap<string, string>): string {
  const names = ['subject', 'from', 'date', 'message-id', 'references', 'bytes', 'lines']
  const values = names.map((name) => (fields.get(name) ?? '').replace(/[\t\r\n\0]/g, ' '))
  return `${[number, ...values].join('\t')}\r\n`
}
