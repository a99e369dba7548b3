import type { Run } from '../run.ts'
import type { Target } from '../saving/destination.ts'

/** One URL to get. */
export interface Entry extends Target {
  /** Its place among all URLs of the command, from 0. */
  readonly index: number
  /** The name of its file, if a list gives one. */
  readonly name: string | null
}

export type Entries = Iterable<Entry> | AsyncIterable<Entry>

/** The URLs of the command line. */
export function* typedEntries({ config }: Run): Generator<Entry> {
  let index = 0
  for (const target of config.targets) yield { ...target, index: index++, name: null }
}

/** The URLs of the command line, and those of its lists, which are read as far as they are asked for. */
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
