import { usageError } from '../exit-codes.ts'
import { allEntries, type Entries, type Entry, typedEntries } from '../many/entries.ts'
import { retrieveInTurn } from '../many/serial.ts'
import { Tally } from '../many/tally.ts'
import type { Run } from '../run.ts'
import { checkEtagFile } from '../saving/etag.ts'
import { Session } from '../session.ts'

/** `retrieve [get] URL...`: the bodies to standard output, in the order of the URLs, or to files. */
export async function get(run: Run): Promise<number> {
  const { targets, etagFile, damagedEtagFile, many } = run.config
  const hasList = many.from.length > 0
  if (targets.count === 0 && !hasList) throw usageError('No URL is given. Try: retrieve get --help')
  if (etagFile !== null) checkEtagFile(etagFile)
  if (damagedEtagFile !== null) {
    run.report.warning({ message: `--etag-compare ${damagedEtagFile} holds no entity tag, and is ignored.` })
  }
  const tally = new Tally(run)
  let isWhole = false
  try {
    await using session = new Session(run)
    const entries = (signal: AbortSignal): Entries => (hasList ? counted(run, tally, signal) : typedEntries(run))
    if (many.concurrency > 1 && (hasList || targets.count > 1)) {
      const { retrieveInParallel } = await import('../many/parallel.ts')
      await retrieveInParallel(entries, session, tally)
    } else await retrieveInTurn(entries(run.signal), session, tally)
    isWhole = tally.done === tally.total
  } finally {
    tally.end(isWhole)
  }
  return tally.exitCode
}

/** The URLs of the command line and of its lists; the tally learns how many they are. */
async function* counted(run: Run, tally: Tally, signal: AbortSignal): AsyncGenerator<Entry> {
  let count = 0
  for await (const entry of allEntries(run, signal)) {
    count++
    yield entry
  }
  tally.total = count
}
