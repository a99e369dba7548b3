import type { Run } from '../run.ts'
import { Journal, type JournalOptions } from './journal.ts'

/** Opens the journal of --journal; null if there is none. Rejects as Journal.open() does. */
export async function openJournal(
  { config, report }: Pick<Run, 'config' | 'report'>,
  options: Pick<JournalOptions, 'hasRounds' | 'onFile'>,
): Promise<Journal | null> {
  if (config.journal === null) return null
  const { path, retriesFailed } = config.journal
  const journal = await Journal.open(path, { command: config.command, retriesFailed, ...options })
  if (journal.damaged > 0) report.warning({ message: damagedLines(path, journal.damaged) })
  return journal
}

/** The warning about a journal with damaged lines. */
export function damagedLines(path: string, count: number): string {
  const lines = count === 1 ? 'one damaged line, which is' : `${count} damaged lines, which are`
  return `${path} has ${lines} ignored: a URL may be asked for again.`
}
