import type { Z3950Plan } from '@retriever/core/internal'
import type { Fetcher, Outcome, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { ConnectionBody } from '../../wire/connection-body.ts'
import { z3950 } from './about.ts'
import { recordEntries } from './entries.ts'
import { bodyOf } from './forms.ts'
import { type RetrievedRecord, retrieveRecord } from './record.ts'
import { openList, retrievePlace } from './search.ts'
import { Z3950Session } from './session.ts'

/**
 * Makes a fetcher for Z39.50 (ANSI/NISO Z39.50-1995, RFC 2056): one record by its document id, or the list of records
 * that a query finds. It hands a session URL without a query to yaz-client. Each retrieval has its own connection.
 */
export function z3950Fetcher(): Fetcher<'z3950'> {
  return { ...z3950, retrieve }
}

async function retrieve(plan: Z3950Plan, context: RetrievalContext): Promise<Outcome<'z3950'>> {
  if (plan.operation === 'session') return context.handoff()
  if (context.request.range !== undefined) {
    const message = 'Z39.50 sends no parts of a record; retrieve the whole.'
    throw context.error('range-refused', message, { phase: 'policy' })
  }
  const session = await Z3950Session.open(plan, context)
  try {
    const isSearch = plan.operation === 'search'
    if (isSearch && plan.record === null) return await retrieveList(plan, session)
    const found = isSearch ? await retrievePlace(plan, session) : await retrieveRecord(plan, session)
    return objectOf(found, session)
  } catch (error) {
    session.close()
    throw error
  }
}

function objectOf({ record, syntax, elementSet }: RetrievedRecord, session: Z3950Session): Retrieved<'z3950'> {
  session.end()
  const { mediaType, charset, octets } = bodyOf(record, session.context)
  return wholeResult(octets, {
    kind: 'object',
    mediaType,
    charset,
    metadata: { syntax, elementSet, database: record.database, server: session.implementation },
  })
}

async function retrieveList(plan: Z3950Plan, session: Z3950Session): Promise<Retrieved<'z3950'>> {
  const { hits, lines } = await openList(plan, session)
  return {
    outcome: 'retrieved',
    kind: 'listing',
    mediaType: 'application/x-ndjson',
    charset: 'utf-8',
    size: null,
    modified: null,
    completeness: 'terminated',
    metadata: { count: hits, server: session.implementation },
    body: new ConnectionBody(sourceOf(lines), session),
    entries: (body) => recordEntries(body, session.context),
  }
}
