import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { Control } from './control.ts'
import type { Reply } from './replies.ts'
import { withReplyTimeout } from './reply-timeout.ts'
import type { FtpQuirks } from './server-quirks.ts'

/** A command, and what is to be made of its reply: throws where that ends the retrieval. */
export interface Step {
  readonly phase: Phase
  readonly command: string
  take(reply: Reply): void
  /** It is not worth a round trip: left out where the commands go one by one. */
  readonly isSpare?: boolean
  /** Where the command had to be sent twice, and both were answered: what is to be made of the second reply. */
  takeSecond?(reply: Reply): void
}

/** The server does not take several commands at a time, and has refused what was sent again: it is to begin anew, step by step. */
export class FlightLost extends Error {
  override readonly name = 'FlightLost'
}

/** A server that was sent several commands may take this long, in milliseconds, for the next reply, however near it is. */
const leastTimeout = 100
/** And for the reply to a command that it was sent twice. */
const longestPatience = 10_000
const silence = 'The server answers only some of the commands that were sent together.'

interface Trial {
  readonly control: Control
  readonly context: RetrievalContext
  readonly quirks: FtpQuirks
  readonly steps: readonly Step[]
  /** The replies, and when the commands were sent. */
  readonly pending: readonly Promise<Reply>[]
  readonly start: number
}

/**
 * Sends commands in one segment and takes their replies in order: one round trip for all. A server that is known to take one at a
 * time gets one at a time. Only commands that do no harm where an earlier one fails belong into one flight.
 */
export async function pipeline(
  control: Control,
  context: RetrievalContext,
  quirks: FtpQuirks,
  steps: readonly Step[],
): Promise<void> {
  if (quirks.pipelining === false || steps.length < 2) return inSteps(control, steps)
  const isTrial = quirks.pipelining === undefined
  const start = performance.now()
  const pending = control.together(() => steps.map(({ command }) => control.post(command)))
  if (isTrial) return tryOut({ control, context, quirks, steps, pending, start })
  for (const [index, { phase, take }] of steps.entries()) take(await control.wait(phase, of(pending, index)))
  // One reply too many is one of another command.
  control.checkQuiet()
}

async function inSteps(control: Control, steps: readonly Step[]): Promise<void> {
  for (const { phase, command, take } of steps) take(await control.ask(phase, command))
}

/**
 * The first flight to a server. Some throw away what has come behind the first command, or read all as one. So where a reply takes
 * longer than the first one did, its command is sent again; where the reply after that is late as well, the rest is said step by
 * step, in the same session.
 */
async function tryOut({ control, context, quirks, steps, pending, start }: Trial): Promise<void> {
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
        return inSteps(
          control,
          steps.slice(index).filter(({ isSpare }) => isSpare !== true),
        )
      }
      second = { step, reply: control.post(step.command) }
    }
    const patient = second === null ? reply : withReplyTimeout(context, reply, longestPatience, silence)
    const said = await control.wait(step.phase, patient)
    replyTimeout = Math.min(replyTimeout, Math.max(leastTimeout, performance.now() - start))
    try {
      step.take(said)
    } catch (cause) {
      // A refusal of all the commands, read as one, is not followed by another reply.
      const isLost =
        second !== null || (index + 1 < steps.length && !(await comesWithin(of(pending, index + 1), replyTimeout)))
      if (!isLost) throw cause
      giveUp()
      throw new FlightLost('The server does not take several commands at a time.', { cause })
    }
  }
  // Where others were answered after it, nothing was thrown away.
  if (second !== null && second.step === steps.at(-1) && !(await comesWithin(second.reply, replyTimeout)))
    return giveUp()
  if (second !== null) second.step.takeSecond?.(await control.wait(second.step.phase, second.reply))
  // One reply too many is one of another command.
  control.checkQuiet()
  // What another retrieval has found out meanwhile stands.
  quirks.pipelining ??= true
}

function of(pending: readonly Promise<Reply>[], index: number): Promise<Reply> {
  return pending[index] ?? Promise.reject(new RangeError('a step without a reply'))
}

/** False: it has not come yet. What it is, or why it never comes, is met where it is awaited. */
function comesWithin(reply: Promise<Reply>, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    const settled = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    reply.then(settled, settled)
  })
}
