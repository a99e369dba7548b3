import type { Exchange } from './control.ts'
import type { DataConnection } from './data.ts'
import type { Dialogue } from './dialogue.ts'
import { openData } from './passive.ts'
import { isPositive, type Reply, refused, violation, wordsOf } from './replies.ts'

/** A transfer that has begun: 125 or 150 has come. */
export interface Transfer {
  readonly data: DataConnection
  readonly exchange: Exchange
}

/** What a transfer command has led to: octets on their way, or the reply that refuses them. */
export type Start =
  | { readonly transfer: Transfer; readonly reply: Reply }
  | { readonly transfer: null; readonly reply: Reply }

/** RFC 959 3.1.1: A or I. The server's own default is A. */
export async function setType({ control, context }: Dialogue, type: 'A' | 'I'): Promise<void> {
  const reply = await control.ask('request', `TYPE ${type}`)
  if (!isPositive(reply)) throw refused(context, reply, `TYPE ${type}`)
}

/** Opens the data connection and sends the command; REST between the two, since some servers forget it at any other command. */
export async function startTransfer(dialogue: Dialogue, command: string, restart = 0): Promise<Start> {
  const { control, context } = dialogue
  const data = await openData(dialogue)
  try {
    if (restart > 0) await restartAt(dialogue, restart)
    const exchange = await control.begin(command)
    const reply = exchange.first
    if (reply.code >= 400) {
      data.close()
      return { transfer: null, reply }
    }
    if (reply.code >= 200) {
      throw violation(
        context,
        `The server ends a transfer ("${wordsOf(reply)}") that it has not begun.`,
        wordsOf(reply),
      )
    }
    await data.secure()
    return { transfer: { data, exchange }, reply }
  } catch (error) {
    data.close()
    throw error
  }
}

/** RFC 3659 5: `REST 100`, 350. */
async function restartAt({ control, context }: Dialogue, offset: number): Promise<void> {
  const reply = await control.ask('request', `REST ${offset}`)
  if (reply.code !== 350) throw refused(context, reply, `to begin at octet ${offset}`, { code: 'range-refused' })
}
