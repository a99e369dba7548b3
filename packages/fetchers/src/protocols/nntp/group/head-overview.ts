import type { ByteSource } from '../../../contract/byte-source.ts'
import { expectReply } from '../../../wire/framing/reply.ts'
import { checkAnswer } from '../article.ts'
import type { PendingCommand } from '../connection/command-queue.ts'
import type { NntpLease } from '../connection/exchange.ts'
import { fieldsOf } from '../fields.ts'
import { overviewError, refusedByServer } from '../nntp-errors.ts'
import { plannedCommand } from '../planned-command.ts'

/** The replies for a number without an article. sn and leafnode answer 430. */
const absent: ReadonlySet<number> = new Set([420, 423, 430])

/** An overview made from each article's HEAD, several at a time, for servers that keep no overview. */
export class HeadOverview implements ByteSource {
  readonly #lease: NntpLease
  readonly #numbers: Iterator<number>
  readonly #underWay: { readonly number: number; readonly commands: readonly PendingCommand[] }[] = []
  readonly #unlink: () => void
  #isOver = false

  constructor(lease: NntpLease, numbers: Iterable<number>) {
    this.#lease = lease
    this.#numbers = numbers[Symbol.iterator]()
    this.#unlink = lease.context.deadline.onAbort(() => this.#giveUp())
  }

  async read(): Promise<Uint8Array | null> {
    try {
      while (!this.#isOver) {
        const line = await this.#line()
        if (line !== null) return Buffer.from(line, 'latin1')
      }
    } catch (error) {
      const failure = overviewError(this.#lease.session, this.#lease.context, error)
      this.#giveUp()
      throw failure
    }
    return null
  }

  async cancel(): Promise<void> {
    this.#giveUp()
  }

  /** Returns the next article's line. Null if the number has no article, and at the end. */
  async #line(): Promise<string | null> {
    const { session, plan, context } = this.#lease
    while (this.#underWay.length < session.quirks.depth) {
      const { done, value: number } = this.#numbers.next()
      if (done === true) break
      this.#underWay.push({
        number,
        commands: session.postIn(plannedCommand(plan, 'GROUP'), `HEAD ${number}`, context),
      })
    }
    const [head] = this.#underWay
    if (head === undefined) {
      this.#giveUp()
      return null
    }
    for (const pending of head.commands) {
      const reply = await session.reply(pending, context)
      // Another retrieval may have sent the GROUP. If it was refused, the answer is about another group.
      const group = pending.selection === null ? reply : pending.selection.reply
      if (group !== null && group.code !== 211) throw refusedByServer(context, group, 'such newsgroup')
      if (reply.code >= 400 || pending.selection === null) session.end(pending)
      else {
        expectReply(context, reply, 221)
        checkAnswer(context, reply, { articleNumber: head.number, messageId: null })
        const fields = await fieldsOf(session, pending, context)
        this.#underWay.shift()
        return overviewLine(head.number, fields)
      }
      if (reply.code >= 400 && !absent.has(reply.code)) throw refusedByServer(context, reply, 'header of an article')
    }
    this.#underWay.shift()
    return null
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#unlink()
    this.#lease.session.abandon(...this.#underWay.flatMap(({ commands }) => commands))
    this.#lease.giveBack()
  }
}

/** Makes a line of an overview. A TAB, NUL, CR or LF within a field becomes one blank (RFC 3977 8.3.2). */
function overviewLine(number: number, fields: ReadonlyMap<string, string>): string {
  const names = ['subject', 'from', 'date', 'message-id', 'references', 'bytes', 'lines']
  const values = names.map((name) => (fields.get(name) ?? '').replace(/[\t\r\n\0]/g, ' '))
  return `${[number, ...values].join('\t')}\r\n`
}
