import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Control } from './control.ts'
import { type Reply, withReplyTimeout } from './replies.ts'
import type { FtpQuirks } from './server-quirks.ts'

/** A command and the handler of its reply. The handler throws if the reply ends the retrieval. */
export interface Step {
  readonly phase: Phase
  readonly command: string
  onReply(reply: Reply): void
  /** True: skip the command if commands go one by one, since it is not worth a round trip. */
  readonly isSpare?: boolean
  /** Handles the second reply if the command was sent and answered twice. */
  onSecondReply?(reply: Reply): void
}

/**
 * Thrown if the server cannot take several commands at a time and has refused those that were sent again. The retrieval
 * starts anew, one command at a time.
 */
export class PipelineLost extends Error {
  override readonly name = 'PipelineLost'
}

/** Thrown if a slow server got a command twice that changes the session. A new session is needed. */
export class SentTwice extends PipelineLost {}

/** How many milliseconds a server has at least for the next reply to a pipeline, however near it is. */
const leastTimeout = 100
/** How many milliseconds a server has for the reply to a command that was sent a second time. */
const secondReplyTimeout = 10_000
const silence = 'The server answers only some of the commands that were sent together.'

interface FirstPipeline {
  readonly control: Control
  readonly context: RetrievalContext
  readonly quirks: FtpQuirks
  readonly steps: readonly Step[]
  /** The replies, and when the commands were sent. */
  readonly pending: readonly Promise<Reply>[]
  readonly start: number
}

/**
 * Sends commands in one segment and handles their replies in order, so that all take one round trip. A server that
 * takes only one command at a time gets one at a time. The commands must do no harm if an earlier one fails.
 */
export async function pipeline(
  control: Control,
  context: RetrievalContext,
  quirks: FtpQuirks,
  steps: readonly Step[],
): Promise<void> {
  if (quirks.pipelining === false || steps.length < 2) return oneByOne(control, steps)
  const isFirst = quirks.pipelining === undefined
  const start = performance.now()
  const pending = control.together(() => steps.map(({ command }) => control.post(command)))
  if (isFirst) return firstPipeline({ control, context, quirks, steps, pending, start })
  for (const [index, { phase, onReply }] of steps.entries()) onReply(await control.wait(phase, of(pending, index)))
  // If there are more replies than commands, the next reply would be read as the answer to another command.
  control.checkQuiet()
}

async function oneByOne(control: Control, steps: readonly Step[]): Promise<void> {
  for (const { phase, command, onReply } of steps) onReply(await control.ask(phase, command))
}

/**
 * Sends the first pipeline to a server. Some servers throw away all commands but the first, or read all of them as one.
 * Therefore a command is sent again if its reply takes longer than the first reply took. If the next reply is late,
 * too, the rest is sent one by one in the same session.
 */
async function firstPipeline({ control, context, quirks, steps, pending, start }: FirstPipeline): Promise<void> {
  let replyTimeout = Number.POSITIVE_INFINITY
  let second: { readonly step: Step; readonly reply: Promise<Reply> } | null = null
  const giveUp = (): void => {
    quirks.pipelining = false
    control.forget()
  }
  for (const [index, step] of steps.entries()) {
    const reply = of(pending, index)
    if (index > 0 && !(await comesWithin(reply, replyTimeout))) {
      if (second !== null) {
        giveUp()
        return oneByOne(
          control,
          steps.slice(index).filter(({ isSpare }) => isSpare !== true),
        )
      }
      second = { step, reply: control.post(step.command) }
    }
    const answer = second === null ? reply : withReplyTimeout(context, reply, secondReplyTimeout, silence)
    const received = await control.wait(step.phase, answer)
    replyTimeout = Math.min(replyTimeout, Math.max(leastTimeout, performance.now() - start))
    try {
      step.onReply(received)
    } catch (cause) {
      // If the server has read all commands as one, its refusal is the only reply.
      const isLost =
        second !== null || (index + 1 < steps.length && !(await comesWithin(of(pending, index + 1), replyTimeout)))
      if (!isLost) throw cause
      giveUp()
      throw new PipelineLost('The server does not take several commands at a time.', { cause })
    }
  }
  // If replies to later commands came, nothing was thrown away.
  if (second !== null && second.step === steps.at(-1) && !(await comesWithin(second.reply, replyTimeout)))
    return giveUp()
  const secondReply = second === null ? null : await control.wait(second.step.phase, second.reply)
  // A surplus reply belongs to another command.
  control.checkQuiet()
  // Another retrieval may have found it out in the meantime.
  quirks.pipelining ??= true
  if (secondReply !== null) second?.step.onSecondReply?.(secondReply)
}

/** Makes the error for a slow server that got a command twice that changes its session. */
export function sentTwice(context: RetrievalContext, what: string): SentTwice {
  const cause = context.error('receive-failed', `The server was too slow and ${what} twice; try again.`)
  return new SentTwice('The server answers slowly.', { cause })
}

function of(pending: readonly Promise<Reply>[], index: number): Promise<Reply> {
  return pending[index] ?? Promise.reject(new RangeError('a step without a reply'))
}

/** Whether the reply comes in time. The caller that awaits the reply gets its error. */
function comesWithin(reply: Promise<Reply>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    // If this program itself was busy, the reply may have arrived already. It is read before setImmediate's turn.
    const timer = setTimeout(() => setImmediate(resolve, false), milliseconds)
    const settled = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    reply.then(settled, settled)
  })
}
