import { type AccessPlans, RetrievalError } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { checkOptions, type OptionKind } from '../../kit/options.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { openConnection } from '../../wire/transport/socket.ts'
import { tn3270 } from './about.ts'
import { alternateSizes, type Model, Terminal } from './data-stream.ts'
import { Dialogue } from './dialogue.ts'

export interface Tn3270FetcherOptions {
  /**
   * The model of the IBM 3278: 2 has 24 rows of 80 columns, 3 has 32 rows, 4 has 43 rows, 5 has 27 rows of 132. Default
   * 2.
   */
  readonly model?: Model
}

const modelKind: OptionKind = [
  'a model of the IBM 3278: 2, 3, 4 or 5',
  (value) => typeof value === 'number' && Object.hasOwn(alternateSizes, value),
]

/**
 * Makes a fetcher for tn3270 URLs (RFC 6270). It gives the first screen of the service as text. It types nothing, and
 * closes the connection when the server unlocks the keyboard. Throws `invalid-option`.
 */
export function tn3270Fetcher(options: Tn3270FetcherOptions = {}): Fetcher<'tn3270'> {
  checkOptions(options, { model: modelKind }, 'tn3270.')
  const { model = 2 } = options
  return { ...tn3270, retrieve: (plan, context) => retrieve(plan, context, model) }
}

async function retrieve(
  plan: AccessPlans['tn3270'],
  context: RetrievalContext,
  model: Model,
): Promise<Retrieved<'tn3270'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A screen has no ranges; retrieve it without one.', { phase: 'policy' })
  }
  const terminal = new Terminal(model, (what) => {
    throw context.error('protocol-violation', `The server broke TN3270: ${what}.`)
  })
  const dialogue = await firstScreen(plan, context, terminal, model)
  const { screen, isUnlocked } = terminal
  const { rows, columns } = screen.size
  const text = Buffer.from(
    screen
      .lines()
      .map((line) => `${line}\n`)
      .join(''),
  )
  return wholeResult(new Uint8Array(text), {
    kind: 'object',
    mediaType: 'text/plain',
    charset: 'utf-8',
    completeness: isUnlocked ? 'terminated' : 'eof-only',
    metadata: {
      protocol: dialogue.isEnhanced ? 'tn3270e' : 'tn3270',
      device: dialogue.deviceName,
      rows,
      columns,
      cursor: { row: Math.floor(screen.cursor / columns) + 1, column: (screen.cursor % columns) + 1 },
      keyboard: isUnlocked ? 'unlocked' : 'locked',
      fields: screen.fields(),
    },
  })
}

/**
 * Reads until the screen is complete. If a server leaves the keyboard locked until the time limit, its screen is given
 * as it is. If it then ends the connection, it has refused the terminal.
 */
async function firstScreen(
  plan: AccessPlans['tn3270'],
  context: RetrievalContext,
  terminal: Terminal,
  model: Model,
): Promise<Dialogue> {
  // The limit of a wait ends only this attempt, so that a screen that has arrived can still be given.
  const deadline = context.deadline.attempt()
  const connection = await openConnection({ ...context, deadline }, plan)
  const dialogue = new Dialogue(connection, { ...context, deadline }, terminal, `IBM-3278-${model}`)
  try {
    if (!(await dialogue.run())) throw dialogue.endError()
  } catch (error) {
    const isLate = RetrievalError.is(error) && error.code === 'timeout' && context.deadline.reason === null
    if (!isLate || !terminal.isWritten) throw error
  } finally {
    connection.close()
    deadline.end()
  }
  if (!terminal.isUnlocked) {
    const message = 'The server has left the keyboard locked; the screen may not be complete.'
    context.emit({ type: 'remark', url: context.url, message })
  }
  return dialogue
}
