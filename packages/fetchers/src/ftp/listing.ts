import type { Retrieved } from '../fetcher.ts'
import { linesOf } from '../wire/lines.ts'
import { textListing } from '../wire/text-listing.ts'
import type { Dialogue } from './dialogue.ts'
import { readEntries } from './entries.ts'
import { LineEnds } from './line-ends.ts'
import { isPositive, type Reply, refused, shownName, wordsOf } from './replies.ts'
import { setType, startTransfer, type Transfer } from './transfer.ts'
import { TransferBody } from './transfer-body.ts'

/** How a listing is written: RFC 3659 7, whatever the server's `ls` writes, names alone. */
export type ListingFormat = 'mlsd' | 'list' | 'nlst'

/**
 * The listing of a directory. `;type=d` is NLST and nothing else (RFC 1738 3.2.2); a URL that ends in `/` names nothing to retrieve,
 * so it may have the best that the server knows.
 */
export async function retrieveListing(dialogue: Dialogue, welcome: string): Promise<Retrieved> {
  const { plan, context } = dialogue
  await setType(dialogue, 'A')
  const formats: readonly ListingFormat[] = plan.typecode === 'd' ? ['nlst'] : ['mlsd', 'list', 'nlst']
  for (const format of formats) {
    const { transfer, reply } = await startTransfer(dialogue, listingCommand(dialogue, format))
    if (transfer !== null) return listing(dialogue, format, listingBody(dialogue, transfer), { welcome, reply })
    if (isEmpty(reply)) {
      await confirmDirectory(dialogue)
      dialogue.control.end()
      return listing(dialogue, format, emptyBody(), { welcome, reply })
    }
    if (!isUnknownCommand(reply) || format === formats.at(-1)) throw refused(context, reply, 'the listing')
  }
  throw context.error('server-refused', 'The server knows no way to list a directory.')
}

function listingCommand({ plan }: Dialogue, format: ListingFormat): string {
  const verb = format.toUpperCase()
  if (plan.name === '') return verb
  // Most servers hand the argument to ls, which would read `-la` as options.
  return `${verb} ${plan.name.startsWith('-') ? './' : ''}${plan.name}`
}

/** inetutils says `550 No files found.` of an empty directory, proftpd 450 of a missing name. */
function isEmpty({ code }: Reply): boolean {
  return code === 450 || code === 550
}

/** MLSD is from 2007; vsftpd and inetutils do not know it. */
function isUnknownCommand({ code }: Reply): boolean {
  return code === 500 || code === 501 || code === 502 || code === 504
}

/**
 * Nothing listed may be an empty directory or a missing one: vsftpd gives 226 and no line for both. A CWD tells. Where the URL ends
 * in `/`, the CWDs before have told already.
 */
async function confirmDirectory({ control, plan, context }: Dialogue): Promise<void> {
  if (plan.name === '') return
  const reply = await control.ask('request', `CWD ${plan.name}`)
  if (!isPositive(reply)) throw refused(context, reply, `the directory ${shownName(plan.name)}`)
}

function listingBody(dialogue: Dialogue, transfer: Transfer): TransferBody {
  const whenEmpty = (): Promise<void> => confirmDirectory(dialogue)
  return new TransferBody(dialogue, transfer, { lineEnds: new LineEnds(), whenEmpty })
}

async function* emptyBody(): AsyncGenerator<Uint8Array, void, void> {}

interface Words {
  readonly welcome: string
  readonly reply: Reply
}

function listing(
  { plan, context }: Dialogue,
  format: ListingFormat,
  body: AsyncIterable<Uint8Array>,
  { welcome, reply }: Words,
): Retrieved {
  return textListing({
    metadata: { format, welcome, reply: wordsOf(reply) },
    body,
    entries: (octets) => readEntries(linesOf(octets, context), format, { url: context.url, name: plan.name }),
  })
}
