import type { Run } from '../run.ts'
import type { Target } from '../saving/destination.ts'

/** One URL to get. */
export interface Entry extends Target {
  /** The number of the URL among all URLs of the command, from 0. */
  readonly index: number
  /** The name that a list gives to its file; null if none does. */
  readonly name: string | null
}

export type Entries = Iterable<Entry> | AsyncIterable<Entry>

/** The URLs of the command line. */
export function* typedEntries({ config }: Run): Generator<Entry> {
  let index = 0
  for (const target of config.targets) yield { ...target, index: index++, name: null }
}

/** The URLs of the command line and of its lists; the lists are read only as far as they are asked for. */
export async function* allEntries(run: Run, signal: AbortSignal): AsyncGenerator<Entry> {
  const { from, isText, destination } = run.config.many
  const { readList, readFromText } = await import('./list.ts')
  yield* typedEntries(run)
  let index = run.config.targets.count
  for (const file of from) {
    const listed = isText ? readFromText(file, run) : readList(file, run.output.streams, signal)
    for await (const { operand, name } of listed) yield { operand, index: index++, destination, name }
  }
}
