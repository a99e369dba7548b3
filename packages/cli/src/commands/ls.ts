import { usageError } from '../exit-codes.ts'
import { eachUrl, type Run } from '../run.ts'
import { Session } from '../session.ts'
import { keepPage, type NumberedUrls } from '../views/last-page.ts'
import { printListing, printRecords } from '../views/listing.ts'

/** `retrieve ls URL...`: lists the entries of directories, menus and newsgroups, and the parts of messages. */
export async function ls(run: Run): Promise<number> {
  await using session = new Session(run)
  return await eachUrl(run, async (operand) => {
    await using listing = await session.open(operand).begin()
    if (!listing.hasEntries) {
      const what = listing.mediaType === null ? 'one object' : `one object (${listing.mediaType})`
      throw usageError(`${listing.url} is not a listing but ${what}. To get it: retrieve ${listing.url}`)
    }
    if (run.config.json) return await printRecords(listing, run.output)
    const urls: NumberedUrls = new Map()
    try {
      await printListing(listing, run.output, run.output.stdoutIsTerminal, urls)
    } finally {
      // Also for `| head`, which ends the command.
      keepPage(run.config.stateFolder, 'ls', listing.url, urls)
    }
  })
}
