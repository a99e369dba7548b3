import { setTimeout as wait } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import type { Exchange } from '../control/control.ts'
import type { Step } from '../control/pipeline.ts'
import { type Reply, refusedByServer, violation, withReplyTimeout, wordsOf } from '../control/replies.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { askPort, DataConnection, takePrefetchedPort } from './data.ts'
import { finalReply } from './final-reply.ts'

/** A transfer that has begun (125 or 150). */
export interface Transfer {
  readonly data: DataConnection
  readonly exchange: Exchange
}

/** What a transfer command led to: a transfer, or the reply that refused it or ended it at once. */
export type TransferStart =
  | { readonly transfer: Transfer; readonly reply: Reply }
  | { readonly transfer: null; readonly reply: Reply }

export interface TransferCommand {
  readonly command: string
  /** The port that the server has already named; null: none. */
  readonly port: number | null
  /** The offset of the first octet. Default 0. */
  readonly restart?: number
  /** Commands that are sent in the same pipeline. */
  readonly questions?: readonly Step[]
  /**
   * Whether 226 may come at once, without 150 and without octets: some servers answer an empty folder in this way.
   * Default: that breaks the protocol.
   */
  readonly mayBeEmpty?: boolean
  /** Whether a request for the next transfer's port may follow this command. */
  readonly prefetches?: boolean
}

/**
 * Starts a transfer. If the server refuses it on a prefetched port, it is tried once more on a fresh one: some servers
 * tie a port to the transfer that was running. If a server cannot open its side of an EPSV connection (425), PASV is
 * used.
 */
export async function startTransfer(retrieval: FtpRetrieval, wanted: TransferCommand): Promise<TransferStart> {
  const { session } = retrieval
  const { quirks } = session
  if (wanted.port !== session.prefetchedPort) session.prefetchedPort = null
  const isPrefetched = session.prefetchedPort !== null
  const start = await begin(retrieval, wanted, wanted.port)
  if (start.transfer !== null) return start
  if (isPrefetched && !(quirks.prefetching === true && start.reply.code === 550)) {
    const again = await beginAgain(retrieval, wanted)
    if (again.transfer !== null) quirks.prefetching = false
    return again
  }
  if (start.reply.code !== 425 || quirks.passive === 'PASV') return start
  quirks.passive = 'PASV'
  return beginAgain(retrieval, wanted)
}

async function begin(retrieval: FtpRetrieval, wanted: TransferCommand, port: number | null): Promise<TransferStart> {
  const say = retrieval.session.quirks.pipelining === false ? sendOneByOne : sendTogether
  return say(retrieval, wanted, port ?? (await askPort(retrieval)))
}

/** Tries again on a fresh port. A port that was prefetched after the refused command may be tied to that command. */
async function beginAgain(retrieval: FtpRetrieval, wanted: TransferCommand): Promise<TransferStart> {
  const { session } = retrieval
  const ahead = session.takePrefetchReply()
  if (ahead !== null) await takePrefetchedPort(retrieval, ahead)
  session.prefetchedPort = null
  return begin(retrieval, { ...wanted, questions: [], prefetches: false }, null)
}

/** How many milliseconds a server has to begin a transfer on a prefetched port, while we do not know whether it can. */
const replyTimeout = 10_000
const silence = 'The server does not begin a transfer on a port that was requested during the previous one.'

/** Sends the command while the data connection opens, which saves a round trip. */
async function sendTogether(retrieval: FtpRetrieval, wanted: TransferCommand, port: number): Promise<TransferStart> {
  const { session, context } = retrieval
  const { control } = session
  const { command, restart = 0, questions = [], prefetches = false } = wanted
  const data = new DataConnection(retrieval, port)
  try {
    const sent = control.together(() => {
      const answers = questions.map((question) => control.post(question.command))
      // REST is sent right before the command: some servers forget the offset at any other command.
      const restarted = restart > 0 ? control.post(`REST ${restart}`) : null
      const exchange = control.begin(command)
      if (prefetches) session.prefetchPort()
      return { answers, restarted, exchange }
    })
    for (const [index, { phase, onReply }] of questions.entries()) {
      const answer = sent.answers[index]
      if (answer !== undefined) onReply(await control.wait(phase, answer))
    }
    if (sent.restarted !== null) checkRestart(retrieval, await control.wait('request', sent.restarted), restart)
    const { first: begins } = sent.exchange
    const first = control.hasArrived(begins) ? begins : Promise.race([begins, failureOf(data, wanted)])
    // With a prefetched port, the server may wait for a connection to another port.
    const isUntried = session.prefetchedPort !== null && session.quirks.prefetching === undefined
    const reply = await control.wait(
      'request',
      isUntried ? withReplyTimeout(context, first, replyTimeout, silence) : first,
    )
    const last = prefetches ? finalReply(retrieval, data, sent.exchange.last) : sent.exchange.last
    last.catch(() => {})
    return await begun(retrieval, wanted, data, { ...sent.exchange, last }, reply)
  } catch (error) {
    data.close()
    if (RetrievalError.is(error) && error.code === 'connect-failed') session.isWaitingForData = true
    throw context.deadline.reason ?? error
  }
}

/** Sends the command after the data connection is open, for servers that take one command at a time. */
async function sendOneByOne(retrieval: FtpRetrieval, wanted: TransferCommand, port: number): Promise<TransferStart> {
  const { control } = retrieval.session
  const { command, restart = 0 } = wanted
  const data = await openData(retrieval, port)
  try {
    if (restart > 0) checkRestart(retrieval, await control.ask('request', `REST ${restart}`), restart)
    const exchange = control.begin(command)
    return await begun(retrieval, wanted, data, exchange, await control.wait('request', exchange.first))
  } catch (error) {
    data.close()
    throw error
  }
}

/** Opens the data connection; by PASV if the port that EPSV named is dead. */
async function openData(retrieval: FtpRetrieval, port: number): Promise<DataConnection> {
  const { quirks } = retrieval.session
  const data = new DataConnection(retrieval, port)
  try {
    await data.opened
    return data
  } catch (error) {
    data.close()
    const isDead = RetrievalError.is(error) && error.code === 'connect-failed'
    if (!isDead || quirks.passive === 'PASV') throw error
    quirks.passive = 'PASV'
    return openData(retrieval, await askPort(retrieval))
  }
}

async function begun(
  retrieval: FtpRetrieval,
  { mayBeEmpty = false }: TransferCommand,
  data: DataConnection,
  exchange: Exchange,
  reply: Reply,
): Promise<TransferStart> {
  const isRefused = reply.code >= 400
  if (isRefused || (mayBeEmpty && reply.code === 226 && (await isSilent(data)))) {
    data.close()
    return { transfer: null, reply }
  }
  if (reply.code >= 200) {
    const message = `The server ends a transfer ("${wordsOf(reply)}") that it has not begun.`
    throw violation(retrieval.context, message, wordsOf(reply))
  }
  await data.opened
  await data.secure()
  return { transfer: { data, exchange }, reply }
}

/** How many milliseconds the other connection has to tell what happened to a transfer. */
const grace = 1000

/** Rejects if the data connection fails. Never resolves. */
async function failureOf(data: DataConnection, { mayBeEmpty = false }: TransferCommand): Promise<never> {
  try {
    await data.opened
  } catch (error) {
    // A server that has nothing to send need not listen.
    if (mayBeEmpty) await wait(grace, undefined, { ref: false })
    throw error
  }
  return new Promise<never>(() => {})
}

/** Whether no octet comes: the server has closed the data connection, or does not accept it. */
async function isSilent(data: DataConnection): Promise<boolean> {
  const timer = setTimeout(() => data.close(), grace)
  try {
    return (await data.read()) === null
  } catch (error) {
    return RetrievalError.is(error) && (error.code === 'connect-failed' || error.code === 'receive-failed')
  } finally {
    clearTimeout(timer)
  }
}

/** Checks the answer to `REST 100`, which is 350 (RFC 3659 5). */
function checkRestart({ context }: FtpRetrieval, reply: Reply, offset: number): void {
  if (reply.code !== 350)
    throw refusedByServer(context, reply, `to begin at octet ${offset}`, { code: 'range-refused' })
}
