import { type AccessPlans, octetsToText, resolve } from '@retriever/core'
import { adviceText, type WaisDocument, waisLimit, waisMost, waisSearch } from '@retriever/core/internal'
import type { Entry, Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { ConnectionBody } from '../../wire/connection-body.ts'
import { openConnection } from '../../wire/transport/socket.ts'
import { wais } from './about.ts'
import type { FoundDocument, WaisAnswer } from './answer.ts'
import { isTextType, mediaTypeOf } from './docid.ts'
import { DocumentReader } from './document.ts'
import { entryOf, keptEntries, lineOf } from './listing.ts'
import { WaisDialogue } from './packets.ts'
import { recordsOf, wordsOf } from './search.ts'

type Plan = AccessPlans['wais']

/** Makes a fetcher for WAIS (RFC 1625): the description of a database, a search in it, or a document. */
export function waisFetcher(): Fetcher<'wais'> {
  return { ...wais, retrieve, reread }
}

async function reread(
  answer: Retrieved<'wais'>,
  { docid, search }: Plan,
  context: RetrievalContext,
): Promise<Retrieved<'wais'>> {
  if (docid !== null || search === null) return answer
  return { ...answer, kind: 'listing', entries: (body) => keptEntries(body, context) }
}

async function retrieve(plan: Plan, context: RetrievalContext): Promise<Retrieved<'wais'>> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A WAIS document comes whole; leave the range out.', { phase: 'policy' })
  }
  const connection = await openConnection(context, plan)
  try {
    const dialogue = new WaisDialogue(connection, context)
    const { wtype, docid, length } = plan
    const retrieved =
      wtype !== null && docid !== null
        ? await document({ wtype, docid, length }, plan, dialogue, context)
        : plan.search === null
          ? await description(plan, dialogue, context)
          : await search(plan, dialogue, context)
    return { ...retrieved, body: new ConnectionBody(sourceOf(retrieved.body), connection) }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function document(
  found: WaisDocument,
  { database }: Plan,
  dialogue: WaisDialogue,
  context: RetrievalContext,
): Promise<Retrieved<'wais'>> {
  const reader = new DocumentReader(found, database, dialogue, context)
  const first = await reader.next('request')
  const { wtype, length } = found
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType: mediaTypeOf(wtype),
    charset: null,
    // The length counts the marks in a text, which are then removed.
    size: isTextType(wtype) ? null : length,
    modified: null,
    completeness: length === null ? 'terminated' : 'verified',
    metadata: { wtype },
    body: sourceOf(pieces(first, reader)),
  }
}

async function* pieces(first: Uint8Array | null, reader: DocumentReader): AsyncGenerator<Uint8Array> {
  for (let piece = first; piece !== null; piece = await reader.next('body')) if (piece.length > 0) yield piece
}

/** Gives the source description of a database, or else its catalogue. Both are entries of the empty search. */
async function description(plan: Plan, dialogue: WaisDialogue, context: RetrievalContext): Promise<Retrieved<'wais'>> {
  const answer = await find(waisSearch(plan.database, ''), dialogue, context)
  const { documents } = answer
  const best = documents.find(({ types }) => types[0]?.toUpperCase() === 'WSRC') ?? documents[0]
  if (best === undefined) {
    throw context.error('not-found', 'The server describes no such database. A search may find something in it.')
  }
  const { docid, length, types } = best
  const retrieved = await document({ docid, length, wtype: types[0] ?? 'TEXT' }, plan, dialogue, context)
  return { ...retrieved, entries: (body) => entries(documents, plan, body) }
}

async function search(plan: Plan, dialogue: WaisDialogue, context: RetrievalContext): Promise<Retrieved<'wais'>> {
  const { limit, wais: { relevantTo = [] } = {} } = context.request
  const most = limit && Math.min(limit, waisLimit)
  const relevant = relevantTo.map((url) => relevantDocument(url, context))
  const words = plan.search ?? ''
  const findWords = (octets: string): Promise<WaisAnswer> =>
    find(waisSearch(plan.database, octets, most, relevant), dialogue, context)
  let { documents } = await findWords(words)
  const latin1 = inLatin1(words)
  if (!hasHits(documents) && latin1 !== null) {
    const { documents: others } = await findWords(latin1)
    const found = 'The words were found in Latin-1; in UTF-8, nothing was found.'
    tell(context, hasHits(others) ? found : 'The words were searched in UTF-8, and then in Latin-1.')
    documents = others
  }
  if (documents.length > 0 && !hasHits(documents)) {
    tell(context, 'Nothing was found; the server shows the catalogue of the database instead.')
  }
  if (limit === undefined && documents.length >= waisMost) {
    const advice = { option: 'limit' } as const
    const message = `The list has the ${waisMost} best documents; ${adviceText(advice)} asks for more.`
    context.emit({ type: 'remark', url: context.url, message, advice })
  }
  const lines = documents.map((found) => lineOf(entryOf(found, plan)))
  return wholeResult(Buffer.from(lines.join('')), {
    kind: 'listing',
    mediaType: 'text/plain',
    charset: 'utf-8',
    metadata: { count: documents.length },
    entries: (body) => entries(documents, plan, body),
  })
}

/**
 * Reads the document to which found documents should be similar. Throws `invalid-option` for the URL of anything else.
 */
function relevantDocument(url: string, context: RetrievalContext): WaisDocument {
  const { plan } = resolve(url)
  const { docid = null, wtype = null } = plan.mechanism === 'wais' ? plan : {}
  if (docid !== null && wtype !== null) return { docid, wtype, length: null }
  const advice = { option: 'wais.relevantTo', value: url } as const
  const message = `A search can be relevant only to WAIS documents; ${adviceText(advice)} names none.`
  throw context.error('invalid-option', message, { phase: 'resolve', advice })
}

/** Yields the entries, which have already come, and ends the body. */
async function* entries(
  documents: readonly FoundDocument[],
  plan: Plan,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Entry> {
  for await (const _octets of body) break
  for (const found of documents) yield entryOf(found, plan)
}

/** Searches. A diagnostic is an error if nothing was found, otherwise a remark. */
async function find(request: string, dialogue: WaisDialogue, context: RetrievalContext): Promise<WaisAnswer> {
  await dialogue.send(request)
  const apdu = await dialogue.answer('request')
  const answer = recordsOf(apdu, 'request', context)
  const { documents, diagnostics } = answer
  const [diagnostic] = diagnostics
  const reply = diagnostic === undefined ? '' : wordsOf(diagnostic)
  if (diagnostic !== undefined && documents.length === 0) throw refusal(diagnostic.code, reply, context)
  if (diagnostic !== undefined) tell(context, `The server remarks: ${reply}.`)
  if (apdu.length > fullAnswer) {
    tell(context, 'The list is as long as an answer of the server may be; documents may be missing at its end.')
  }
  return answer
}

/** freeWAIS omits from an answer what would make it larger than 100000 octets, and does not say so. */
const fullAnswer = 99_000

/** Whether a search has found something. If not, freeWAIS shows the catalogue of the database, with the score 0. */
function hasHits(documents: readonly FoundDocument[]): boolean {
  return documents.length > 1 || (documents.length === 1 && documents[0]?.score !== 0)
}

/**
 * Converts words in UTF-8 to Latin-1, which old servers use. Null if they are ASCII, no UTF-8, or have other letters.
 */
function inLatin1(octets: string): string | null {
  const text = octetsToText(octets)
  return text === octets || /[^\0-\xff]/.test(text) ? null : text
}

function tell({ emit, url }: RetrievalContext, message: string): void {
  emit({ type: 'remark', url, message })
}

/** Makes the error for a code of Z39.50-1988. S1 is a malformed request or unknown database, SD too many documents. */
function refusal(code: string, reply: string, context: RetrievalContext): Error {
  const isUnknown = code === 'S1' && /database|exist|open|found/i.test(reply)
  return context.error(isUnknown ? 'not-found' : 'server-refused', `The server refused the search: ${reply}.`, {
    reply,
  })
}
