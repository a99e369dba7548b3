import type { FtpPlan, RetrievalError } from '@retriever/core'
import { type ByteSource, sourceOf, wholeSource } from '../../plugin/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../../plugin/fetcher.ts'
import { octetsDecoder } from '../../plugin/text.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { textListing } from '../../wire/text-listing.ts'
import type { Dialogue } from '../control/dialogue.ts'
import { isPositive, isUnknownCommand, type Reply, refusedByServer, shownName, wordsOf } from '../control/replies.ts'
import { enter, prepare } from '../prepare.ts'
import { isDirectory } from '../transfer/directories.ts'
import { LineEnds } from '../transfer/line-ends.ts'
import { startTransfer, type Transfer } from '../transfer/transfer.ts'
import { TransferBody } from '../transfer/transfer-body.ts'
import { type Found, readEntries } from './entries.ts'

/** How a listing is written: RFC 3659 7, whatever the server's `ls` writes, names alone. */
export type ListingFormat = 'mlsd' | 'list' | 'nlst'

/**
 * The listing of a directory. `;type=d` is NLST and nothing else (RFC 1738 3.2.2); a URL that ends in `/` names nothing to retrieve,
 * so it may have the best that the server knows.
 */
export async function retrieveListing(dialogue: Dialogue): Promise<Retrieved<'ftp'>> {
  const { plan, context, session } = dialogue
  if (context.request.head === true) return listingHead(dialogue)
  const known = formatsOf(dialogue)
  let port = await prepare(dialogue, { type: 'A' })
  let refusal: Reply | null = null
  for (const format of known) {
    const command = listingCommand(plan, format)
    const { transfer, reply } = await startTransfer(dialogue, { command, port })
    if (transfer !== null) {
      const found = { isFile: false }
      return listing(dialogue, format, listingBody(dialogue, transfer, refusal, found), reply, found)
    }
    if (refusal === null && isEmpty(format, reply)) {
      await confirmDirectory(dialogue)
      dialogue.done()
      return listing(dialogue, format, wholeSource(), reply)
    }
    if (isUnknownForm(reply)) session.quirks.unknown.add(format.toUpperCase())
    else refusal ??= reply
    if (format === known.at(-1) || !mayListOtherwise(format, refusal)) throw refusedListing(dialogue, refusal ?? reply)
    port = null
  }
  throw context.error('server-refused', 'The server knows no way to list a directory.')
}

/** Metadata alone: that the directory is there. */
async function listingHead(dialogue: Dialogue): Promise<Retrieved<'ftp'>> {
  const { session } = dialogue
  await enter(dialogue, undefined, [])
  await confirmDirectory(dialogue)
  dialogue.done()
  return textListing({ metadata: { welcome: session.welcome }, body: wholeSource(), entries: noEntries })
}

async function* noEntries(): AsyncGenerator<Entry> {}

/**
 * Where a command is not known, the next one is tried. LIST may also give what MLSD refuses: it is the server's `ls`.
 */
function mayListOtherwise(format: ListingFormat, refusal: Reply | null): boolean {
  return refusal === null || (format === 'mlsd' && isNothing(refusal))
}

function refusedListing(dialogue: Dialogue, reply: Reply): RetrievalError {
  if (isNothing(reply)) dialogue.done()
  return refusedByServer(dialogue.context, reply, 'the listing')
}

/**
 * Of a name without `/` that turned out to be a directory, in which the session is now. `reply` refused to send it as
 * a file. Throws `not-found` where octets of a file are asked for.
 */
export async function retrieveDirectory(dialogue: Dialogue, reply: Reply | null): Promise<Retrieved<'ftp'>> {
  const { plan, context } = dialogue
  const { range, resumeFrom } = context.request
  const cwd = [...plan.cwd, plan.name]
  const advice = 'It is a directory; for its listing, write a / at the end of the URL.'
  const notAFile = context.error('not-found', advice, reply === null ? {} : { reply: wordsOf(reply) })
  if (range !== undefined || resumeFrom !== undefined) {
    dialogue.done()
    throw notAFile
  }
  const retrieved = await retrieveListing({ ...dialogue, plan: { ...plan, cwd, name: '' } })
  return { ...retrieved, body: remarked(context, retrieved.body), notAFile }
}

/** Says what comes in place of a file as soon as the body is read, or metadata alone was wanted. */
function remarked(context: RetrievalContext, body: Retrieved['body']): ByteSource {
  const source = sourceOf(body)
  let isTold = false
  const tell = (): void => {
    const message = 'It is a directory; this is its listing. A / at the end of the URL would have said so.'
    if (!isTold) context.emit({ type: 'remark', url: context.url, message })
    isTold = true
  }
  return {
    reusesChunks: source.reusesChunks === true,
    read() {
      tell()
      return source.read()
    },
    cancel() {
      tell()
      return source.cancel()
    },
  }
}

/** MLSD is from 2007; vsftpd and inetutils do not know it. */
function formatsOf({ plan, session }: Dialogue): readonly ListingFormat[] {
  if (plan.typecode === 'd') return ['nlst']
  const { unknown } = session.quirks
  return (['mlsd', 'list', 'nlst'] as const).filter((format) => format === 'nlst' || !unknown.has(format.toUpperCase()))
}

function listingCommand(plan: FtpPlan, format: ListingFormat): string {
  const verb = format.toUpperCase()
  if (plan.name === '') return verb
  // Most servers hand the argument to ls, which would read `-la` as options.
  return `${verb} ${plan.name.startsWith('-') ? './' : ''}${plan.name}`
}

/** 450 and 550: nothing is there, or it may not be read. */
function isNothing({ code }: Reply): boolean {
  return code === 450 || code === 550
}

/**
 * NLST has no other way to say so: inetutils answers `550 No files found.` for an empty directory, proftpd 450 for a
 * missing name. MLSD and LIST are refused where the directory may not be read (mode 711); LIST means an empty one
 * where it says so.
 */
function isEmpty(format: ListingFormat, reply: Reply): boolean {
  return isNothing(reply) && (format === 'nlst' || (format === 'list' && /^no files/i.test(reply.text)))
}

/** 501 and 504: the server knows the command in another form, which nobody here knows. */
function isUnknownForm(reply: Reply): boolean {
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
  else throw refusedByServer(context, reply, `the directory ${shownName(plan.name)}`, { advice: noDirectory })
}

const noDirectory = 'It does not exist, or may not be read, or is a file: for that leave ;type=d out'

function listingBody(dialogue: Dialogue, transfer: Transfer, refusal: Reply | null, found: Found): TransferBody {
  const check = async (reply: Reply, received: number): Promise<void> => {
    if (received > 0) {
      if (isNameAlone(dialogue, received)) found.isFile = !(await isDirectory(dialogue))
      return
    }
    if (refusal !== null) throw refusedByServer(dialogue.context, refusal, 'the listing')
    if (isUnreadable(reply)) throw unreadable(dialogue, reply)
    await confirmDirectory(dialogue)
  }
  return new TransferBody(dialogue, transfer, { lineEnds: new LineEnds(), check })
}

/**
 * No more than `./`, the name that was asked for, and the end of the line: NLST of a file gives that, and so may one of
 * a directory.
 */
function isNameAlone({ plan }: Dialogue, received: number): boolean {
  return plan.name !== '' && received <= plan.name.length + 4
}

/**
 * vsftpd's words, the only ones that tell such a directory from an empty one: 226 Transfer done (but failed to open
 * directory).
 */
function isUnreadable({ text }: Reply): boolean {
  return text.includes('failed to open directory')
}

function unreadable({ context }: Dialogue, reply: Reply): RetrievalError {
  const words = wordsOf(reply)
  return context.error('not-found', `The server may not read the directory. It said: ${words}`, { reply: words })
}

function listing(
  { plan, context, session }: Dialogue,
  format: ListingFormat,
  body: ByteSource,
  reply: Reply,
  found: Found = { isFile: false },
): Retrieved<'ftp'> {
  return textListing({
    metadata: { format, welcome: session.welcome, reply: wordsOf(reply) },
    body,
    entries: (octets) =>
      readEntries(linesOf(octets, context), format, {
        url: context.url,
        name: plan.name,
        found,
        decode: octetsDecoder(context.request.charset),
      }),
  })
}
