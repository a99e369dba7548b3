import type { FtpPlan } from '@retriever/core'
import type { Retrieved } from '../fetcher.ts'
import { octetsDecoder } from '../text.ts'
import { emptyBody } from '../wire/empty-body.ts'
import { linesOf } from '../wire/lines.ts'
import { textListing } from '../wire/text-listing.ts'
import type { Dialogue } from './dialogue.ts'
import { readEntries } from './entries.ts'
import { LineEnds } from './line-ends.ts'
import { owned } from './owned.ts'
import { prepare } from './prepare.ts'
import { isPositive, isUnknownCommand, type Reply, refused, shownName, wordsOf } from './replies.ts'
import { startTransfer, type Transfer } from './transfer.ts'
import { TransferBody } from './transfer-body.ts'

/** How a listing is written: RFC 3659 7, whatever the server's `ls` writes, names alone. */
export type ListingFormat = 'mlsd' | 'list' | 'nlst'

/**
 * The listing of a directory. `;type=d` is NLST and nothing else (RFC 1738 3.2.2); a URL that ends in `/` names nothing to retrieve,
 * so it may have the best that the server knows.
 */
export async function retrieveListing(dialogue: Dialogue): Promise<Retrieved> {
  const { plan, context, session } = dialogue
  const known = formatsOf(dialogue)
  let port = await prepare(dialogue, { type: 'A' })
  for (const format of known) {
    const command = listingCommand(plan, format)
    const { transfer, reply } = await startTransfer(dialogue, { command, port })
    if (transfer !== null) return listing(dialogue, format, listingBody(dialogue, transfer), reply)
    if (isEmpty(reply)) {
      await confirmDirectory(dialogue)
      dialogue.done()
      return listing(dialogue, format, emptyBody(), reply)
    }
    if (!asksForAnother(reply) || format === known.at(-1)) throw refused(context, reply, 'the listing')
    session.habits.unknown.add(format.toUpperCase())
    port = null
  }
  throw context.error('server-refused', 'The server knows no way to list a directory.')
}

/** Of a name without `/` that turned out to be a directory, in which the session is now. */
export function retrieveDirectory(dialogue: Dialogue): Promise<Retrieved> {
  const { plan, context, session } = dialogue
  const cwd = [...plan.cwd, plan.name]
  session.directory = cwd
  const message = `It is a directory; this is its listing. A / at the end of the URL would have said so.`
  context.emit({ type: 'remark', url: context.url, message })
  return retrieveListing({ ...dialogue, plan: { ...plan, cwd, name: '' } })
}

/** MLSD is from 2007; vsftpd and inetutils do not know it. */
function formatsOf({ plan, session }: Dialogue): readonly ListingFormat[] {
  if (plan.typecode === 'd') return ['nlst']
  const { unknown } = session.habits
  return (['mlsd', 'list', 'nlst'] as const).filter((format) => format === 'nlst' || !unknown.has(format.toUpperCase()))
}

function listingCommand(plan: FtpPlan, format: ListingFormat): string {
  const verb = format.toUpperCase()
  if (plan.name === '') return verb
  // Most servers hand the argument to ls, which would read `-la` as options.
  return `${verb} ${plan.name.startsWith('-') ? './' : ''}${plan.name}`
}

/** inetutils says `550 No files found.` of an empty directory, proftpd 450 of a missing name. */
function isEmpty({ code }: Reply): boolean {
  return code === 450 || code === 550
}

/** 501 and 504: the server knows the command in another form, which nobody here knows. */
function asksForAnother(reply: Reply): boolean {
  return isUnknownCommand(reply) || reply.code === 501 || reply.code === 504
}

/**
 * Nothing listed may be an empty directory or a missing one: vsftpd gives 226 and no line for both. A CWD tells. Where the URL ends
 * in `/`, the CWDs before have told already.
 */
async function confirmDirectory({ session, plan, context }: Dialogue): Promise<void> {
  if (plan.name === '') return
  const reply = await session.control.ask('request', `CWD ${plan.name}`)
  if (isPositive(reply)) session.directory = [...plan.cwd, plan.name]
  else throw refused(context, reply, `the directory ${shownName(plan.name)}`)
}

function listingBody(dialogue: Dialogue, transfer: Transfer): TransferBody {
  const whenEmpty = (): Promise<void> => confirmDirectory(dialogue)
  return new TransferBody(dialogue, transfer, { lineEnds: new LineEnds(), whenEmpty })
}

function listing(
  { plan, context, session }: Dialogue,
  format: ListingFormat,
  body: AsyncIterableIterator<Uint8Array>,
  reply: Reply,
): Retrieved {
  return textListing({
    metadata: { format, welcome: session.welcome, reply: wordsOf(reply) },
    body: owned(body),
    entries: (octets) =>
      readEntries(linesOf(octets, context), format, {
        url: context.url,
        name: plan.name,
        decode: octetsDecoder(context.request.charset),
      }),
  })
}
