import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import type { Control } from './control.ts'
import type { Habits } from './habits.ts'
import { withPatience } from './patience.ts'
import type { Reply } from './replies.ts'

/** A command, and what is to be made of its reply: throws where that ends the retrieval. */
export interface Step {
  readonly phase: Phase
  readonly command: string
  take(reply: Reply): void
}

/** How long a server that was sent several commands may be silent before it is taken for one that lost some of them. */
const patience = 10_000
const silence = 'The server answers only some of the commands that were sent together.'

/**
 * Sends commands in one segment and takes their replies in order: one round trip for all. A server that is known to take one at a
 * time gets one at a time. Only commands that do no harm where an earlier one fails belong into one flight.
 */
export async function fly(
  control: Control,
  context: RetrievalContext,
  habits: Habits,
  steps: readonly Step[],
): Promise<void> {
  if (habits.pipelining === false || steps.length < 2) {
    for (const { phase, command, take } of steps) take(await control.ask(phase, command))
    return
  }
  const pending = control.together(() => steps.map(({ command }) => control.post(command)))
  for (const [index, { phase, take }] of steps.entries()) {
    const reply = pending[index] ?? Promise.reject(new RangeError('a step without a reply'))
    // Whoever answers the first command is there; whoever then says nothing may have thrown the others away.
    const isTrial = index > 0 && habits.pipelining === undefined
    take(await control.wait(phase, isTrial ? withPatience(context, reply, patience, silence) : reply))
  }
  // One reply too many is one of another command.
  control.checkQuiet()
  // What another retrieval has found out meanwhile stands.
  habits.pipelining ??= true
}
