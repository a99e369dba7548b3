import { octetsToText, printable } from '@retriever/core'
import { berOid, type Z3950Plan, z3950SyntaxName, z3950SyntaxOid } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Item, ReceivedRecord } from './answers.ts'
import { type Diagnostic, diagnosticError, isAboutElementSet, isAboutSyntax } from './diagnostics.ts'
import { searchDocid } from './docid.ts'
import { formQuality } from './forms.ts'
import type { Z3950Session } from './session.ts'

export interface RetrievedRecord {
  readonly record: ReceivedRecord
  /** The name of the record's syntax. */
  readonly syntax: string
  /** The element set that we asked for. Null: the server chose. */
  readonly elementSet: string | null
}

/** The record syntaxes to try if the URL names none. The one that says the most is first. */
const usual = ['usmarc', 'xml', 'unimarc', 'grs-1', 'sutrs']

/** Finds the one record of a document id (RFC 2056 4), and requests it in the first syntax that the server has. */
export async function retrieveRecord(plan: Z3950Plan, session: Z3950Session): Promise<RetrievedRecord> {
  const { context } = session
  const { hits, isDone, diagnostic } = await searchDocid(plan, session, plan.docid ?? '', syntaxesOf(plan, undefined))
  if (diagnostic !== null) throw diagnosticError(context, 'The server refuses the search', diagnostic)
  if (!isDone) throw context.error('server-refused', 'The search failed, and the server does not say why.')
  if (hits !== 1) throw notOne(plan, hits, context)
  return firstSyntax(plan, session, 1)
}

/**
 * Returns the syntaxes to ask for as OIDs, preferred ones first: those of the URL, else those that fit the request's
 * `accept`.
 */
export function syntaxesOf({ recordSyntaxes }: Z3950Plan, accept: string | undefined): readonly string[] {
  const oids = recordSyntaxes.flatMap((name) => z3950SyntaxOid(octetsToText(name)) ?? [])
  if (oids.length > 0) return [...new Set(oids)]
  const others = usual.flatMap((name) => z3950SyntaxOid(name) ?? [])
  return others.sort((a, b) => formQuality(b, accept) - formQuality(a, accept))
}

/** Requests the record at a place of the result set, counted from 1. */
export async function firstSyntax(plan: Z3950Plan, session: Z3950Session, position: number): Promise<RetrievedRecord> {
  const { context } = session
  let elementSet = plan.elementSet ?? 'F'
  let last: Diagnostic | null = null
  for (const oid of syntaxesOf(plan, context.request.accept)) {
    let found = await session.present(position, 1, elementSet, berOid(oid) ?? null)
    let failure = failureOf(found.items, found.diagnostic)
    if (failure !== null && isAboutElementSet(failure) && plan.elementSet === null && elementSet !== '') {
      // The client chooses the element set (RFC 2056 4), and a server may have none of that name.
      elementSet = ''
      found = await session.present(position, 1, null, berOid(oid) ?? null)
      failure = failureOf(found.items, found.diagnostic)
    }
    const [item] = found.items
    if (failure === null && item?.kind === 'record') {
      tellOther(oid, item.record, context)
      const syntax = z3950SyntaxName(item.record.syntax)
      return { record: item.record, syntax, elementSet: elementSet === '' ? null : elementSet }
    }
    if (failure === null) throw context.error('protocol-violation', 'The server has found a record, and sends none.')
    last = failure
    if (!isAboutSyntax(failure)) break
  }
  if (last === null) throw context.error('not-found', 'No record syntax is left to ask for.')
  throw diagnosticError(context, 'The server does not send the record', last)
}

/** Returns why an answer has no record: a diagnostic of the whole answer, or in the record's place. */
export function failureOf([first]: readonly Item[], diagnostic: Diagnostic | null): Diagnostic | null {
  if (diagnostic !== null) return diagnostic
  return first?.kind === 'diagnostic' ? first.diagnostic : null
}

/** Says that the server sent another syntax than the preferred one, which it may do. */
function tellOther(oid: string, { syntax }: ReceivedRecord, { emit, url }: RetrievalContext): void {
  if (syntax === oid) return
  const message = `The record was asked for as ${z3950SyntaxName(oid)}, and came as ${z3950SyntaxName(syntax)}.`
  emit({ type: 'remark', url, message })
}

function notOne({ docid, databases }: Z3950Plan, hits: number, { error }: RetrievalContext): Error {
  const place = databases.map((name) => printable(octetsToText(name))).join(', ')
  const id = printable(octetsToText(docid ?? ''))
  const reply = `${hits} ${hits === 1 ? 'hit' : 'hits'}`
  if (hits === 0) return error('not-found', `The database ${place} has no document ${id}: ${reply}`, { reply })
  const message = `The document-id ${id} is not unique, and RFC 2056 4 wants one record: ${reply}`
  return error('not-found', message, { reply })
}
