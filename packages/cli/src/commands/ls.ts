import { existsSync } from 'node:fs'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { Session } from '../session.ts'
import { StdoutClosed } from '../terminal/output.ts'
import { keepPage, type NumberedUrls } from '../views/last-page.ts'
import { printListing, printRecords } from '../views/listing.ts'

/** `retrieve ls URL...`: lists the entries of directories, menus and newsgroups, and the parts of messages. */
export async function ls(run: Run): Promise<number> {
  await using session = new Session(run)
  return await eachUrl(run, async (operand) => {
    if (isArchive(operand)) return await listArchive(run, operand)
    await using listing = await session.open(operand).begin()
    if (!listing.hasEntries) {
      const what = listing.mediaType === null ? 'one object' : `one object (${listing.mediaType})`
      throw usageError(`${listing.url} is not a listing but ${what}. To get it: retrieve ${listing.url}`)
    }
    if (run.config.json) return await printRecords(listing, run.output)
    const urls: NumberedUrls = new Map()
    try {
      const { paged } = await import('../terminal/pager.ts')
      await paged(run, () => printListing(listing, run.output, run.output.stdoutIsTerminal, urls))
    } finally {
      // This also runs when `| head` has ended the command.
      keepPage(run.config.stateFolder, 'ls', listing.url, urls)
    }
  })
}

/** Lists the answers in a web archive. They get no numbers to open, which would contact servers. */
async function listArchive({ config, output, report }: Run, file: string): Promise<void> {
  const { describedEntries, entriesOf } = await import('../archive/reading/list-archive.ts')
  const warn = (message: string): void => report.warning({ message })
  if (config.json) await printRecords({ entries: () => entriesOf(file, warn) }, output)
  else await printListing({ entries: () => describedEntries(file, warn) }, output, false)
}

/** Whether an operand names a web archive on this machine. A URL without a scheme has a slash behind its host. */
function isArchive(operand: string): boolean {
  if (!/\.warc(?:\.gz)?$/i.test(operand) || /^[a-z][a-z\d+.-]+:/i.test(operand)) return false
  return !operand.includes('/') || existsSync(operand)
}

/**
 * Calls `action` for each URL in turn. A failure is reported, and the other URLs are still tried. Returns the exit code
 * of the first failure.
 */
async function eachUrl(run: Run, action: (operand: string) => Promise<void>): Promise<number> {
  const { targets, command } = run.config
  if (targets.count === 0) throw usageError(`No URL is given. Try: retrieve ${command} --help`)
  let exit = 0
  for (const { operand } of targets) {
    try {
      await action(operand)
    } catch (error) {
      if (run.signal.aborted) throw error
      if (error instanceof StdoutClosed) return exit
      const code = run.report.error(error)
      exit ||= code
    }
  }
  return exit
}
