import { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../../contract/fetcher.ts'
import type { NestedRepresentation } from '../../contract/nested.ts'
import { messagesIn } from '../../mime/mailbox.ts'

/** One message and the URL of it or of its mailbox, or why it could not be read. */
export interface StoredMessage {
  readonly url: string
  readonly octets: Uint8Array | RetrievalError
}

/** How many messages of a folder are searched. */
const maxFiles = 100_000

/** The media types of messages and mailboxes. Others may be either, unless they say that they are something else. */
const messageTypes = /^(?:message\/(?:rfc822|news|global)|application\/mbox)$/
const vagueTypes = /^(?:text\/plain|application\/octet-stream|binary\/octet-stream)$/

const advice = { option: 'base' } as const

/**
 * Retrieves a message, a mailbox file (mbox), a Maildir or a folder of messages, and yields its messages. What nobody
 * reads is cancelled. Throws `invalid-option` if the URL leads to something else.
 */
export async function* messagesAt(base: string, context: RetrievalContext): AsyncGenerator<StoredMessage, void, void> {
  // The caller has given the URL, so it may be that of a file.
  const found = await context.retrieve(base, { pointedTo: false })
  try {
    if (found.kind === 'listing') yield* inFolder(found, context)
    else yield* inObject(found, context)
  } finally {
    await found.cancel()
  }
}

async function* inObject(
  found: NestedRepresentation,
  context: RetrievalContext,
): AsyncGenerator<StoredMessage, void, void> {
  const { url, mediaType } = found
  const isKnown = messageTypes.test(mediaType ?? '')
  if (!isKnown && mediaType !== null && !vagueTypes.test(mediaType)) {
    throw context.error('invalid-option', `${noMessage(url)} Its media type is ${mediaType}.`, { advice })
  }
  let isFirst = true
  for await (const message of messagesIn(found, context)) {
    if (isFirst && !isKnown && message instanceof Uint8Array && !beginsWithField(message)) {
      throw context.error('invalid-option', `${noMessage(url)} It does not begin with a header field.`, { advice })
    }
    isFirst = false
    yield { url, octets: message }
  }
}

/**
 * Yields the messages in the files of a local folder: those in `new` and `cur` of a Maildir and of its folders
 * (`.Sub`), and in any other folder those with names of messages. Names that a server gives are not followed here.
 */
async function* inFolder(
  folder: NestedRepresentation,
  context: RetrievalContext,
): AsyncGenerator<StoredMessage, void, void> {
  if (folder.mechanism !== 'file') {
    const message = `${adviceText(advice)} leads to a listing of a server, ${folder.url}; give the URL of one message.`
    throw context.error('invalid-option', message, { advice })
  }
  const entries = await collect(folder)
  if (maildirParts(entries).length === 0) {
    const files = entries.filter(({ kind, name }) => kind === 'file' && isMessageName(name))
    return yield* inFiles(files, maxFiles - files.length, context)
  }
  const parts = [...maildirParts(entries)]
  // The folders of a Maildir are Maildirs within it, with a dot before their names (Maildir++).
  const folders = entries.filter(({ kind, name }) => kind === 'directory' && /^\.[^.]/.test(name))
  for (const each of folders) {
    const inIt = await list(each, context)
    if (inIt instanceof RetrievalError) yield { url: each.name, octets: inIt }
    else parts.push(...maildirParts(inIt))
  }
  let left = maxFiles
  for (const part of parts) {
    const all = await list(part, context)
    if (all instanceof RetrievalError) throw all
    const files = all.filter(({ kind, name }) => kind === 'file' && !name.startsWith('.'))
    left -= files.length
    yield* inFiles(files, left, context)
  }
}

/** Returns the folders `new` and `cur` of a Maildir; none for another folder. */
function maildirParts(entries: readonly Entry[]): readonly Entry[] {
  const parts = ['new', 'cur'].flatMap((name) => entries.find((each) => isFolder(each, name)) ?? [])
  return parts.length === 2 ? parts : []
}

/** Returns the entries of a local folder, or the error if it cannot be read. */
async function list({ url }: Entry, context: RetrievalContext): Promise<Entry[] | RetrievalError> {
  try {
    return await collect(await context.retrieve(url ?? '', { pointedTo: false }))
  } catch (error) {
    context.deadline.throwIfAborted()
    if (RetrievalError.is(error)) return error
    throw error
  }
}

async function collect(listing: NestedRepresentation): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of listing.entries()) entries.push(entry)
  return entries
}

async function* inFiles(
  files: readonly Entry[],
  left: number,
  context: RetrievalContext,
): AsyncGenerator<StoredMessage, void, void> {
  if (left < 0) {
    const message = `The folder has over ${maxFiles} messages; give the URL of the message by ${adviceText(advice)}.`
    throw context.error('limit-exceeded', message, { advice })
  }
  for (const { url, name } of files) {
    try {
      const file = await context.retrieve(url ?? '', { pointedTo: false })
      try {
        for await (const octets of messagesIn(file, context)) yield { url: file.url, octets }
      } finally {
        await file.cancel()
      }
    } catch (error) {
      context.deadline.throwIfAborted()
      // A mail program may have moved it since, or it may belong to another user.
      if (!RetrievalError.is(error)) throw error
      yield { url: name, octets: error }
    }
  }
}

function isFolder({ kind, name }: Entry, wanted: string): boolean {
  return kind === 'directory' && name === wanted
}

/** Whether a file has the name of a message: `x.eml`, `x.mbox`, a number (MH), or as in a Maildir. */
function isMessageName(name: string): boolean {
  return /\.(?:eml|mbox)$/i.test(name) || /^\d+(?:\..*)?$/.test(name)
}

/** Whether octets begin as a message does (RFC 5322 2.2), perhaps without a header. */
function beginsWithField(octets: Uint8Array): boolean {
  const line = Buffer.from(octets.buffer, octets.byteOffset, Math.min(octets.length, 200)).toString('latin1')
  return /^(?:\r?\n|[!-9;-~]+[ \t]*:)/.test(line)
}

function noMessage(url: string): string {
  return `${adviceText(advice)} leads to ${url}, which is neither a message nor a mailbox.`
}
