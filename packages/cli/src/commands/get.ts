import { resolve } from 'node:path'
import { brokenPipe, usageError } from '../exit-codes.ts'
import type { Journal } from '../journal/journal.ts'
import { allEntries, type Entries, type Entry, typedEntries } from '../many/entries.ts'
import { tellEachMinute } from '../many/minute-line.ts'
import { retrieveInTurn } from '../many/serial.ts'
import { Tally } from '../many/tally.ts'
import type { Run } from '../run.ts'
import { checkEtagFile } from '../saving/etag.ts'
import { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'

/** `retrieve [get] URL...`: writes the bodies to standard output in the order of the URLs, or to files. */
export async function get(run: Run): Promise<number> {
  const { targets, etagFile, damagedEtagFile, many, hashes } = run.config
  const hasList = many.from.length > 0
  if (targets.count === 0 && !hasList) throw usageError('No URL is given. Try: retrieve --help')
  if (targets.unused !== null) tellUnused(targets.unused, run)
  if (etagFile !== null) checkEtagFile(etagFile)
  if (damagedEtagFile !== null) {
    run.report.warning({ message: `--etag-compare ${damagedEtagFile} holds no entity tag, and is ignored.` })
  }
  if (run.config.handoff) return await handOverAll(run, hasList)
  for (const name of hashes?.weak ?? []) {
    run.report.warning({ message: `--checksum by ${name} finds damage, but no forgery: use sha256 if you can.` })
  }
  const tally = new Tally(run)
  let isWhole = false
  try {
    await using session = new Session(run)
    await using journal = await openJournalOf(session)
    if (hasList || journal !== null) session.ledger = new (await import('../journal/ledger.ts')).Ledger(journal)
    if (!hasList) expectUrls(run, targets.count, targets)
    if (journal !== null && tally.total !== null) journal.listed(tally.total)
    if (hasList) await watchNames(session)
    const isTold = many.isCounted && !run.config.silent && !run.config.json
    if (isTold) session.progress.showMany(tally)
    using _told = isTold && !run.output.stderrIsTerminal ? tellEachMinute(() => tally.state, run.output) : null
    const entries = (signal: AbortSignal): Entries =>
      hasList ? counted(run, tally, journal, signal) : typedEntries(run)
    if (many.concurrency > 1 && (hasList || targets.count > 1)) {
      const { retrieveInParallel } = await import('../many/parallel.ts')
      await retrieveInParallel(entries, session, tally)
    } else await retrieveInTurn(entries(run.signal), session, tally)
    isWhole = tally.done === tally.total
    if (isWhole) journal?.whole(session.ledger?.size ?? tally.done)
  } catch (error) {
    // The reader of the lines is gone, as with `| head`. Files that did not come are a failure, unlike a body that is
    // read in part.
    if (!(error instanceof StdoutClosed)) throw error
    if (tally.exitCode === 0 && tally.done !== tally.total && writesFiles(run)) return brokenPipe
  } finally {
    tally.end(isWhole)
  }
  return tally.exitCode
}

/** Tells of an `-o FILE` beyond the URLs of the command line, or throws `invalid-option`: no list is written to it. */
function tellUnused(file: string, { config, report }: Run): void {
  if (config.many.from.length > 0) {
    throw usageError(`-o ${file} names no file for --from: give -O or --output-dir, or -o - for standard output.`)
  }
  report.warning({ message: `-o ${file} has no URL, and is ignored.` })
}

function writesFiles({ config: { targets, many } }: Run): boolean {
  const lists = many.from.length > 0 ? [many.destination] : []
  return [...targets.destinations, ...lists].some(({ to }) => to !== 'stdout')
}

/** Lets V8 delay its optimisation for few URLs, unless the command itself reads the bodies. */
function expectUrls({ config, optimisation }: Run, count: number, entries: Iterable<Pick<Entry, 'operand'>>): void {
  if (optimisation === null || count > optimisation.most || config.text || config.page) return
  optimisation.expect(Array.from(entries, ({ operand }) => operand))
}

/** Tells of names in a list that some systems take for one, and tells them apart where this system does. */
async function watchNames({ run, names }: Session): Promise<void> {
  const { destination } = run.config.many
  if (destination.to !== 'remote-name') return
  const { ignoresCase } = await import('@retriever/fetchers/internal')
  names.ignoresCase = await ignoresCase(resolve(destination.directory))
  names.onTwin = (path) => {
    const message = 'another file of the list has this name but for its case; Windows and macOS hold only one of them'
    run.report.notice({ operand: path, message })
  }
}

async function openJournalOf({ run, names }: Session): Promise<Journal | null> {
  if (run.config.journal === null) return null
  const { openJournal } = await import('../journal/open.ts')
  return openJournal(run, { onFile: (file) => names.take(file) })
}

async function handOverAll(run: Run, hasList: boolean): Promise<number> {
  const { handOver } = await import('../programs/hand-over.ts')
  await using session = new Session(run)
  return await handOver(hasList ? allEntries(run, run.signal) : typedEntries(run), session)
}

/** How many URLs of a list are read ahead, so that the total is soon known. */
const maxAhead = 1000

/** The URLs of the command line and of its lists. Tells the tally how many there are. */
async function* counted(run: Run, tally: Tally, journal: Journal | null, signal: AbortSignal): AsyncGenerator<Entry> {
  const { readAhead } = await import('../many/read-ahead.ts')
  const stop = new AbortController()
  let count = 0
  /** The first ones: with more, V8 optimises as it does usually. */
  const first: Entry[] = []
  const most = run.optimisation?.most ?? 0
  async function* counting(): AsyncGenerator<Entry> {
    for await (const entry of allEntries(run, AbortSignal.any([signal, stop.signal]))) {
      count++
      if (first.length < most) first.push(entry)
      else if (count === most + 1) run.optimisation?.expectMany()
      yield entry
    }
  }
  try {
    yield* readAhead(counting(), maxAhead, () => {
      tally.listed(count)
      expectUrls(run, count, first)
      journal?.listed(tally.total ?? count)
    })
  } finally {
    stop.abort()
  }
}
