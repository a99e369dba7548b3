import { RetrievalError } from '@retriever/core'
import type { Exchange } from '../control/control.ts'
import type { Dialogue } from '../control/dialogue.ts'
import type { Step } from '../control/pipeline.ts'
import { type Reply, refusedByServer, violation, wordsOf } from '../control/replies.ts'
import { withReplyTimeout } from '../control/reply-timeout.ts'
import { DataConnection } from './data.ts'
import { finalReply } from './final-reply.ts'
import { askPort, takePrefetchedPort } from './passive.ts'

/** A transfer that has begun: 125 or 150 has come. */
export interface Transfer {
  readonly data: DataConnection
  readonly exchange: Exchange
}

/** What a transfer command has led to: octets on their way, or the reply that refuses them. */
export type Start =
  | { readonly transfer: Transfer; readonly reply: Reply }
  | { readonly transfer: null; readonly reply: Reply }

export interface TransferCommand {
  readonly command: string
  /** Where the server has told one already. */
  readonly port: number | null
  /** The octet to begin at. Default 0. */
  readonly restart?: number
  /** To be asked in the same flight. */
  readonly questions?: readonly Step[]
  /** Whether the port for the next transfer may be asked for behind this command. */
  readonly asksAhead?: boolean
}

/**
 * Starts a transfer. Where it is refused on a port that was asked for ahead, it is asked for once more on a fresh one: some servers
 * tie the port to the transfer that was under way. One that cannot open its side of an EPSV connection (425) is asked by PASV.
 */
export async function startTransfer(dialogue: Dialogue, wanted: TransferCommand): Promise<Start> {
  const { session } = dialogue
  const { quirks } = session
  if (wanted.port !== session.prefetchedPort) session.prefetchedPort = null
  const isAhead = session.prefetchedPort !== null
  const start = await begin(dialogue, wanted, wanted.port)
  if (start.transfer !== null) return start
  if (isAhead && !(quirks.prefetching === true && start.reply.code === 550)) {
    const again = await beginAgain(dialogue, wanted)
    if (again.transfer !== null) quirks.prefetching = false
    return again
  }
  if (start.reply.code !== 425 || quirks.passive === 'PASV') return start
  quirks.passive = 'PASV'
  return beginAgain(dialogue, wanted)
}

async function begin(dialogue: Dialogue, wanted: TransferCommand, port: number | null): Promise<Start> {
  const say = dialogue.session.quirks.pipelining === false ? inSteps : inOneFlight
  return say(dialogue, wanted, port ?? (await askPort(dialogue)))
}

/** On a port that is asked for now; what was asked for behind the refused command may be tied to that. */
async function beginAgain(dialogue: Dialogue, wanted: TransferCommand): Promise<Start> {
  const { session } = dialogue
  const ahead = session.takePrefetchReply()
  if (ahead !== null) await takePrefetchedPort(dialogue, ahead)
  session.prefetchedPort = null
  return begin(dialogue, { ...wanted, questions: [], asksAhead: false }, null)
}

/** How long a server may take to begin a transfer on a port that was asked for ahead, where that is new to it. */
const replyTimeout = 10_000
const silence = 'The server does not begin a transfer on a port that it was asked for during the one before.'

/** The command is sent while the data connection opens: one round trip less. */
async function inOneFlight(dialogue: Dialogue, wanted: TransferCommand, port: number): Promise<Start> {
  const { session, context } = dialogue
  const { control } = session
  const { command, restart = 0, questions = [], asksAhead = false } = wanted
  const data = new DataConnection(dialogue, port)
  try {
    const sent = control.together(() => {
      const answers = questions.map((question) => control.post(question.command))
      // Right before the command: some servers forget it at any other.
      const restarted = restart > 0 ? control.post(`REST ${restart}`) : null
      const exchange = control.begin(command)
      if (asksAhead) session.prefetchPort()
      return { answers, restarted, exchange }
    })
    for (const [index, { phase, take }] of questions.entries()) {
      const answer = sent.answers[index]
      if (answer !== undefined) take(await control.wait(phase, answer))
    }
    if (sent.restarted !== null) checkRestart(dialogue, await control.wait('request', sent.restarted), restart)
    const first = Promise.race([sent.exchange.first, failureOf(data)])
    // On a port that was asked for ahead, the server may wait for a connection to another one.
    const isTrial = session.prefetchedPort !== null && session.quirks.prefetching === undefined
    const reply = await control.wait(
      'request',
      isTrial ? withReplyTimeout(context, first, replyTimeout, silence) : first,
    )
    const last = asksAhead ? finalReply(dialogue, data, sent.exchange.last) : sent.exchange.last
    last.catch(() => {})
    return await begun(dialogue, data, { ...sent.exchange, last }, reply)
  } catch (error) {
    data.close()
    if (RetrievalError.is(error) && error.code === 'connect-failed') session.isWaitingForData = true
    throw context.deadline.reason ?? error
  }
}

/** For servers that take one command at a time, on a data connection that is open. */
async function inSteps(dialogue: Dialogue, wanted: TransferCommand, port: number): Promise<Start> {
  const { control } = dialogue.session
  const { command, restart = 0 } = wanted
  const data = await reach(dialogue, port)
  try {
    if (restart > 0) checkRestart(dialogue, await control.ask('request', `REST ${restart}`), restart)
    const exchange = control.begin(command)
    return await begun(dialogue, data, exchange, await control.wait('request', exchange.first))
  } catch (error) {
    data.close()
    throw error
  }
}

/** By PASV where EPSV's port is dead. */
async function reach(dialogue: Dialogue, port: number): Promise<DataConnection> {
  const { quirks } = dialogue.session
  const data = new DataConnection(dialogue, port)
  try {
    await data.opened
    return data
  } catch (error) {
    data.close()
    const isDead = RetrievalError.is(error) && error.code === 'connect-failed'
    if (!isDead || quirks.passive === 'PASV') throw error
    quirks.passive = 'PASV'
    return reach(dialogue, await askPort(dialogue))
  }
}

async function begun(dialogue: Dialogue, data: DataConnection, exchange: Exchange, reply: Reply): Promise<Start> {
  if (reply.code >= 400) {
    data.close()
    return { transfer: null, reply }
  }
  if (reply.code >= 200) {
    const message = `The server ends a transfer ("${wordsOf(reply)}") that it has not begun.`
    throw violation(dialogue.context, message, wordsOf(reply))
  }
  await data.opened
  await data.secure()
  return { transfer: { data, exchange }, reply }
}

/** Settles only where the data connection fails. */
function failureOf(data: DataConnection): Promise<never> {
  return data.opened.then(() => new Promise<never>(() => {}))
}

/** RFC 3659 5: `REST 100`, 350. */
function checkRestart({ context }: Dialogue, reply: Reply, offset: number): void {
  if (reply.code !== 350)
    throw refusedByServer(context, reply, `to begin at octet ${offset}`, { code: 'range-refused' })
}
