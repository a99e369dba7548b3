import type { RetrievalError } from '@retriever/core'
import { ftpCommands } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { sourceOf, wholeSource } from '../../../kit/byte-source.ts'
import { octetsDecoder } from '../../../kit/text/text.ts'
import { linesOf } from '../../../wire/framing/lines.ts'
import { textListing } from '../../../wire/text-listing.ts'
import { isPositive, isUnknownCommand, type Reply, refusedByServer, shownName, wordsOf } from '../control/replies.ts'
import { enter, isDirectory, prepare } from '../prepare.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import { LineEnds } from '../transfer/line-ends.ts'
import { startTransfer, type Transfer } from '../transfer/transfer.ts'
import { TransferBody } from '../transfer/transfer-body.ts'
import { type Found, type ListingFormat, readEntries } from './entries.ts'

/**
 * Retrieves the listing of a directory. `;type=d` means NLST and nothing else (RFC 1738 3.2.2). A URL that ends in `/`
 * names no file, so it gets the best format that the server knows.
 */
export async function retrieveListing(retrieval: FtpRetrieval): Promise<Retrieved<'ftp'>> {
  const { plan, context, session } = retrieval
  if (context.request.head === true) return listingHead(retrieval)
  const known = formatsOf(retrieval)
  let port = await prepare(retrieval, { type: ftpCommands(plan).type })
  let refusal: Reply | null = null
  for (const format of known) {
    const command = plan.typecode === 'd' ? ftpCommands(plan).transfer : format.toUpperCase()
    const { transfer, reply } = await startTransfer(retrieval, { command, port, mayBeEmpty: true })
    if (transfer !== null) {
      const found = { isFile: false }
      return listing(retrieval, format, listingBody(retrieval, transfer, refusal, found), reply, found)
    }
    if (isPositive(reply)) return emptyListing(retrieval, format, reply, refusal)
    if (refusal === null && isEmpty(format, reply)) {
      await confirmDirectory(retrieval)
      retrieval.done()
      return listing(retrieval, format, wholeSource(), reply)
    }
    if (isUnknownForm(reply)) session.quirks.unknown.add(format.toUpperCase())
    else refusal ??= reply
    if (format === known.at(-1) || !mayListOtherwise(format, refusal)) throw refusedListing(retrieval, refusal ?? reply)
    port = null
  }
  throw context.error('server-refused', 'The server knows no way to list a directory.')
}

/** Retrieves only metadata: whether the directory exists. */
async function listingHead(retrieval: FtpRetrieval): Promise<Retrieved<'ftp'>> {
  const { session } = retrieval
  await enter(retrieval, undefined, [])
  await confirmDirectory(retrieval)
  retrieval.done()
  return textListing({ metadata: { welcome: session.welcome }, body: wholeSource(), entries: noEntries })
}

async function* noEntries(): AsyncGenerator<Entry> {}

/**
 * Whether to try the next command: the server does not know this one, or has refused MLSD. LIST, the server's `ls`, may
 * still work then.
 */
function mayListOtherwise(format: ListingFormat, refusal: Reply | null): boolean {
  return refusal === null || (format === 'mlsd' && isNothing(refusal))
}

function refusedListing(retrieval: FtpRetrieval, reply: Reply): RetrievalError {
  if (isNothing(reply)) retrieval.done()
  return refusedByServer(retrieval.context, reply, 'the listing')
}

/**
 * Retrieves the listing of a name without `/` that turned out to be a directory, in which the session is now. `reply`
 * refused to send it as a file. Throws `not-found` if the caller wants octets of a file.
 */
export async function retrieveDirectory(retrieval: FtpRetrieval, reply: Reply | null): Promise<Retrieved<'ftp'>> {
  const { plan, context } = retrieval
  const { range, resumeFrom } = context.request
  const cwd = [...plan.cwd, plan.name]
  const advice = 'It is a directory; for its listing, write a / at the end of the URL.'
  const notAFile = context.error('not-found', advice, reply === null ? {} : { reply: wordsOf(reply) })
  if (range !== undefined || resumeFrom !== undefined) {
    retrieval.done()
    throw notAFile
  }
  const retrieved = await retrieveListing({ ...retrieval, plan: { ...plan, cwd, name: '' } })
  return { ...retrieved, body: remarked(context, retrieved.body), notAFile }
}

/** Emits a remark when the body is read, or cancelled as for metadata alone: a listing came instead of a file. */
function remarked(context: RetrievalContext, body: Retrieved<'ftp'>['body']): ByteSource {
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

/** Returns the formats to try, in order. MLSD is from 2007; vsftpd and inetutils do not know it. */
function formatsOf({ plan, session }: FtpRetrieval): readonly ListingFormat[] {
  if (plan.typecode === 'd') return ['nlst']
  const { unknown } = session.quirks
  return (['mlsd', 'list', 'nlst'] as const).filter((format) => format === 'nlst' || !unknown.has(format.toUpperCase()))
}

/** Whether the reply is 450 or 550: there is nothing, or the server may not read it. */
function isNothing({ code }: Reply): boolean {
  return code === 450 || code === 550
}

/**
 * Whether the reply says that the directory is empty. Only NLST says it by a refusal: inetutils answers `550 No files
 * found.` for an empty directory, but proftpd 450 for a missing name. MLSD and LIST are refused if the directory may
 * not be read (mode 711); LIST means an empty one only if it says so.
 */
function isEmpty(format: ListingFormat, reply: Reply): boolean {
  return isNothing(reply) && (format === 'nlst' || (format === 'list' && /^no files/i.test(reply.text)))
}

/** Whether the server does not know the command, or knows it in another form (501, 504). */
function isUnknownForm(reply: Reply): boolean {
  return isUnknownCommand(reply) || reply.code === 501 || reply.code === 504
}

/**
 * Throws `not-found` if an empty listing means a missing directory. vsftpd gives 226 and no line for both, so a CWD
 * decides. If the URL ends in `/`, earlier CWDs have decided already.
 */
async function confirmDirectory({ session, plan, context }: FtpRetrieval): Promise<void> {
  if (plan.name === '') return
  const reply = await session.control.ask('request', `CWD ${plan.name}`)
  if (isPositive(reply)) session.directory = [...plan.cwd, plan.name]
  else throw refusedByServer(context, reply, `the directory ${shownName(plan.name)}`, { advice: noDirectory })
}

const noDirectory = 'It does not exist, may not be read, or is a file; for a file, leave ;type=d out'

/** Makes the listing of a directory after the server has ended the transfer without beginning it. */
async function emptyListing(
  retrieval: FtpRetrieval,
  format: ListingFormat,
  reply: Reply,
  refusal: Reply | null,
): Promise<Retrieved<'ftp'>> {
  if (refusal !== null) throw refusedListing(retrieval, refusal)
  if (isUnreadable(reply)) throw unreadable(retrieval, reply)
  await confirmDirectory(retrieval)
  // The missing reply may still come, and would be read as that to the next command (threats.md case 67).
  retrieval.drop()
  return listing(retrieval, format, wholeSource(), reply)
}

function listingBody(retrieval: FtpRetrieval, transfer: Transfer, refusal: Reply | null, found: Found): TransferBody {
  const check = async (reply: Reply, received: number): Promise<void> => {
    if (received > 0) {
      if (isNameAlone(retrieval, received)) found.isFile = !(await isDirectory(retrieval))
      return
    }
    if (refusal !== null) throw refusedByServer(retrieval.context, refusal, 'the listing')
    if (isUnreadable(reply)) throw unreadable(retrieval, reply)
    await confirmDirectory(retrieval)
  }
  return new TransferBody(retrieval, transfer, { lineEnds: new LineEnds(), check })
}

/**
 * Whether only `./`, the requested name and a line end came. NLST of a file gives that, and NLST of a directory may.
 */
function isNameAlone({ plan }: FtpRetrieval, received: number): boolean {
  return plan.name !== '' && received <= plan.name.length + 4
}

/**
 * Whether vsftpd could not read the directory. Only these words distinguish it from an empty one: 226 Transfer done
 * (but failed to open directory).
 */
function isUnreadable({ text }: Reply): boolean {
  return text.includes('failed to open directory')
}

function unreadable({ context }: FtpRetrieval, reply: Reply): RetrievalError {
  const words = wordsOf(reply)
  return context.error('not-found', `The server may not read the directory. It said: ${words}`, { reply: words })
}

function listing(
  { plan, context, session }: FtpRetrieval,
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
