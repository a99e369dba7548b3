import { adviceText, type LdapPlan, ldapMaxLimit } from '@retriever/core'
import { type ByteSource, wholeSource } from '../plugin/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { LdifBody } from './body.ts'
import { ldifEntries } from './entries.ts'
import { ldifVersion } from './ldif.ts'
import { logIn, logInAsPlanned } from './login.ts'
import { searchError, wantsLogin } from './result-errors.ts'
import { Search } from './search.ts'
import { isText, LdapSession } from './session.ts'

/**
 * Retrieves from directories by LDAP (RFC 4511, RFC 4516): the entries of a search as LDIF (RFC 2849). Each retrieval
 * has a connection of its own.
 */
export function ldapFetcher(): Fetcher<'ldap'> {
  return { mechanism: 'ldap', retrieve }
}

async function retrieve(plan: LdapPlan, context: RetrievalContext): Promise<Retrieved<'ldap'>> {
  checkPlan(plan, context)
  const session = await LdapSession.open(plan, context)
  try {
    await logInAsPlanned(session)
    return await search(session)
  } catch (error) {
    session.close()
    throw error
  }
}

/** Refuses what cannot be sent, before anything is contacted. */
function checkPlan({ host, socket, dn, attributes }: LdapPlan, context: RetrievalContext): void {
  const { error, request } = context
  if (request.range !== undefined) {
    throw error('range-refused', 'LDAP sends no parts of a search; retrieve the whole.', { phase: 'policy' })
  }
  if (![dn, ...attributes].every(isText)) {
    throw error('malformed-url', 'The dn and the attributes of an LDAP URL must be UTF-8.', { phase: 'resolve' })
  }
  if (host !== '' || socket !== null) return
  const advice = { option: 'defaults.ldapServer' } as const
  const message = `The URL names no server. Name one by ${adviceText(advice)}.`
  throw error('no-server', message, { phase: 'resolve', advice })
}

/** Searches; a server that wants a login for it gets one, if the caller has one. */
async function search(session: LdapSession): Promise<Retrieved<'ldap'>> {
  const { context } = session
  const limit = Math.min(context.request.limit ?? 0, ldapMaxLimit)
  const asked = await Search.begin(session, limit)
  const answer = await asked.result()
  if (answer === null) return retrieved(session, new LdifBody(asked))
  if (answer.of !== 'search') {
    throw context.error('protocol-violation', 'The server did not answer the search.')
  }
  const { result } = answer
  if (result.code === 0) return nothingFound(session)
  if (session.login === null && wantsLogin(result) && (await logIn(session, null))) return search(session)
  throw searchError(context, result, session.login)
}

function retrieved({ plan, context, login }: LdapSession, body: ByteSource): Retrieved<'ldap'> {
  return {
    outcome: 'retrieved',
    kind: plan.scope === 'base' ? 'object' : 'listing',
    mediaType: 'text/x-ldif',
    charset: 'utf-8',
    size: null,
    modified: null,
    completeness: 'terminated',
    metadata: { login },
    body,
    entries: (octets) => ldifEntries(octets, plan, context),
  }
}

/** A search without matches is an empty list, but a URL of one entry promises that entry. */
async function nothingFound(session: LdapSession): Promise<Retrieved<'ldap'>> {
  if (session.plan.scope === 'base') {
    const message = 'The entry does not match the filter, or the server hides it: 0 success'
    throw session.context.error('not-found', message, { reply: '0 success' })
  }
  await session.end()
  return retrieved(session, wholeSource(Buffer.from(ldifVersion)))
}
