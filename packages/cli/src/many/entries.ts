import type { Run } from '../run.ts'
import type { Destination } from '../saving/destination.ts'

/** One URL to get. */
export interface Entry {
  readonly operand: string
  /** Its place among all URLs of the command, from 0. */
  readonly index: number
  readonly destination: Destination
  /** The name of its file, if a list gives one. */
  readonly name: string | null
}

export type Entries = Iterable<Entry> | AsyncIterable<Entry>

const standardOutput: Destination = { to: 'stdout', asIs: false }

/** The URLs of the command line. */
export function typedEntries({ config }: Run): readonly Entry[] {
  return config.operands.map((operand, index) => {
    return { operand, index, destination: config.destinations[index] ?? standardOutput, name: null }
  })
}

/** The URLs of the command line, and those of its lists, which are read as far as they are asked for. */
export async function* allEntries(run: Run, signal: AbortSignal): AsyncGenerator<Entry> {
  const { from, isText, destination } = run.config.many
  const { readList, readFromText } = await import('./list.ts')
  yield* typedEntries(run)
  let index = run.config.operands.length
  for (const file of from) {
    const listed = isText ? readFromText(file, signal, run.report) : readList(file, signal)
    for await (const { operand, name } of listed) yield { operand, index: index++, destination, name }
  }
}
