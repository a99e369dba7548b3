import { encodeOctets, octetsToText } from '@retriever/core'
import { authority, berOid, utf8Octets, type Z3950Plan, z3950SyntaxName } from '@retriever/core/internal'
import type { Item } from './answers.ts'
import { type Diagnostic, diagnosticError, diagnosticWords, isAboutElementSet, isAboutSyntax } from './diagnostics.ts'
import { searchDocid } from './docid.ts'
import { failureOf, firstSyntax, type RetrievedRecord, syntaxesOf } from './record.ts'
import type { PresentAnswer, Z3950Session } from './session.ts'
import { maxText, summaryOf } from './summary.ts'

/** How many records one request asks for; fewer if the server refuses this many. */
const batchSizes = [50, 10, 1] as const
const [batchSize] = batchSizes

/** How many records are listed if the caller sets no limit. */
const defaultLimit = 1000

/** One record of a list, as its line in the body has it. Texts are untrusted. */
export interface ListedRecord {
  /** The place in the result set, counted from 1. */
  readonly position: number
  readonly title: string | null
  readonly author: string | null
  readonly date: string | null
  readonly database: string | null
  readonly syntax: string | null
  /** How many octets the record had as it came. */
  readonly size: number | null
  /** The URL of the record, by its document id or its place. Null: there is no record. */
  readonly url: string | null
  /** What the server said in place of the record. */
  readonly diagnostic?: string
}

/** How the records of a list are requested. */
interface Listing {
  readonly plan: Z3950Plan
  readonly session: Z3950Session
  /** The last position to list. */
  readonly last: number
  /** The contents of an OID. */
  readonly syntax: string | null
  readonly elementSet: string | null
  /** Whether the identifiers of records are their document ids. */
  readonly hasDocids: boolean
}

/** Searches. Returns how many records were found, and their list with a line of JSON each. */
export async function openList(
  plan: Z3950Plan,
  session: Z3950Session,
): Promise<{ readonly hits: number; readonly lines: AsyncIterable<Uint8Array> }> {
  const { context } = session
  const hits = await search(plan, session)
  const limit = context.request.limit ?? defaultLimit
  const last = Math.min(hits, limit)
  if (context.request.limit === undefined && hits > last) {
    const message = `The server has found ${hits} records; the first ${last} are listed.`
    context.emit({ type: 'remark', url: context.url, message })
  }
  if (last < 1)
    return { hits, lines: linesOf({ plan, session, last, syntax: null, elementSet: null, hasDocids: false }, []) }
  const { items, ...way } = await firstBatch(plan, session, Math.min(last, batchSize))
  const [first] = items
  const identifier = first?.kind === 'record' ? summaryOf(first.record).identifier : null
  const hasDocids = identifier !== null && (await isDocid(plan, session, identifier))
  // The search for the document id has replaced the result set.
  if (identifier !== null && last > items.length) await search(plan, session)
  return { hits, lines: linesOf({ plan, session, last, ...way, hasDocids }, items) }
}

/** Sends the second message of the plan. */
async function search({ wire }: Z3950Plan, session: Z3950Session): Promise<number> {
  const { context } = session
  const { hits, isDone, diagnostic } = await session.search(wire[1] ?? '')
  if (diagnostic !== null) throw diagnosticError(context, 'The server refuses the search', diagnostic)
  if (!isDone) throw context.error('server-refused', 'The search failed, and the server does not say why.')
  if (hits < 0) throw context.error('protocol-violation', `The server says that it found ${hits} records.`)
  return hits
}

/**
 * Whether a search for this document id gives one record. Identifiers of records often are such ids, but need not be.
 */
async function isDocid(plan: Z3950Plan, session: Z3950Session, identifier: string): Promise<boolean> {
  const { hits, isDone } = await searchDocid(plan, session, utf8Octets(identifier), syntaxesOf(plan, undefined))
  return isDone && hits === 1
}

/**
 * Requests the first records, in the first syntax and the first element set that the server has. It prefers brief
 * records.
 */
async function firstBatch(
  plan: Z3950Plan,
  session: Z3950Session,
  count: number,
): Promise<Pick<Listing, 'syntax' | 'elementSet'> & { readonly items: readonly Item[] }> {
  let last: Diagnostic | null = null
  for (const oid of syntaxesOf(plan, undefined)) {
    const syntax = berOid(oid) ?? null
    for (const elementSet of plan.elementSet === null ? ['B', 'F', null] : [plan.elementSet]) {
      const { items, diagnostic } = await presentSome({ session, elementSet, syntax }, 1, count, 'request')
      last = failureOf(items, diagnostic)
      if (last === null || !(isAboutSyntax(last) || isAboutElementSet(last))) {
        if (diagnostic !== null)
          throw diagnosticError(session.context, 'The server does not send the records', diagnostic)
        return { items, syntax, elementSet }
      }
      if (!isAboutElementSet(last)) break
    }
  }
  const { context } = session
  if (last === null) throw context.error('server-refused', 'No record syntax is left to ask for.')
  throw diagnosticError(context, 'The server does not send the records', last)
}

/**
 * Requests records. Servers may refuse many at once, by any diagnostic, so it asks for fewer until a request is for one
 * record.
 */
async function presentSome(
  { session, elementSet, syntax }: Pick<Listing, 'session' | 'elementSet' | 'syntax'>,
  start: number,
  count: number,
  phase: 'request' | 'body',
): Promise<PresentAnswer> {
  let answer = await session.present(start, count, elementSet, syntax, phase)
  for (const fewer of batchSizes) {
    const { diagnostic } = answer
    if (diagnostic === null || isAboutSyntax(diagnostic) || isAboutElementSet(diagnostic)) break
    if (fewer < count) answer = await session.present(start, fewer, elementSet, syntax, phase)
  }
  return answer
}

async function* linesOf(listing: Listing, first: readonly Item[]): AsyncGenerator<Uint8Array, void, void> {
  const { session, last } = listing
  const { context } = session
  let position = 1
  let items = first
  // A server that gives fewer at first is later asked for no more than that.
  const size = Math.min(Math.max(items.length, 1), batchSize)
  while (true) {
    if (items.length > 0) {
      const records = items.map((item, at) => listed(listing, item, position + at))
      yield Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    }
    position += items.length
    if (position > last) break
    const answer = await presentSome(listing, position, Math.min(last - position + 1, size), 'body')
    if (answer.diagnostic !== null || answer.items.length === 0) {
      const came = `The server stopped after ${position - 1} records`
      const reply = answer.diagnostic === null ? 'it sends no more' : diagnosticWords(answer.diagnostic)
      throw context.error('partial', `${came}: ${reply}`, { phase: 'body', reply })
    }
    items = answer.items
  }
  session.end()
}

function listed({ plan, hasDocids }: Listing, item: Item, position: number): ListedRecord {
  const unknown = { title: null, author: null, date: null, database: null, syntax: null, size: null, url: null }
  if (item.kind === 'diagnostic') return { position, ...unknown, diagnostic: diagnosticWords(item.diagnostic) }
  if (item.kind !== 'record') return { position, ...unknown }
  const { record } = item
  const { identifier, ...facts } = summaryOf(record)
  const only = plan.databases.length === 1 ? (plan.databases[0] ?? null) : null
  const database = record.database !== null && record.database.length <= maxText ? record.database : only
  const isKnown = hasDocids && identifier !== null && database !== null
  const url = isKnown ? recordUrl(plan, database, identifier) : placeUrl(plan, position)
  return {
    position,
    ...facts,
    database: database === null ? null : octetsToText(database),
    syntax: z3950SyntaxName(record.syntax),
    size: record.octets.length,
    url,
  }
}

/** Makes the URL of one record on the same server, in the syntaxes of this URL. */
function recordUrl(plan: Z3950Plan, database: string, identifier: string): string {
  return `z39.50r://${placeOf(plan)}/${encodeOctets(database)}?${encodeOctets(utf8Octets(identifier))}${syntaxesIn(plan)}`
}

/** Makes the URL of the record at a place of the result set, for servers that find no document id. */
function placeUrl(plan: Z3950Plan, position: number): string {
  const databases = plan.databases.map((name) => encodeOctets(name)).join('+')
  const query = encodeOctets(plan.query ?? '')
  return `z39.50s://${placeOf(plan)}/${databases};query=${query};record=${position}${syntaxesIn(plan)}`
}

function placeOf({ host, port }: Z3950Plan): string {
  return authority({ host: host.replace('%', '%25'), port }, 210)
}

function syntaxesIn({ recordSyntaxes }: Z3950Plan): string {
  return recordSyntaxes.length === 0 ? '' : `;rs=${recordSyntaxes.map((name) => encodeOctets(name)).join('+')}`
}

/** Searches, and requests the record at the place that the URL names. */
export async function retrievePlace(plan: Z3950Plan, session: Z3950Session): Promise<RetrievedRecord> {
  const hits = await search(plan, session)
  const position = plan.record ?? 1
  if (position <= hits) return await firstSyntax(plan, session, position)
  const reply = `${hits} ${hits === 1 ? 'hit' : 'hits'}`
  throw session.context.error('not-found', `The query finds no record ${position}: ${reply}`, { reply })
}
