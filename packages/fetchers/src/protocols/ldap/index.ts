import { RetrievalError } from '@retriever/core'
import { adviceText, bindnameOf, isLdapExternal, type LdapPlan } from '@retriever/core/internal'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf, wholeSource } from '../../kit/byte-source.ts'
import { DialogueSession } from '../../wire/pool/dialogue-session.ts'
import { inSession } from '../../wire/pool/in-session.ts'
import { LeasedBody } from '../../wire/pool/leased-body.ts'
import type { LoginTarget } from '../../wire/pool/pool-key.ts'
import { SessionPool, type SessionProtocol } from '../../wire/pool/session-pool.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { openSessionSocket } from '../../wire/transport/socket.ts'
import { ldap } from './about.ts'
import { LdifBody } from './body.ts'
import { isText, LdapDialogue } from './dialogue.ts'
import { ldifEntries } from './entries.ts'
import { ldifVersion } from './ldif.ts'
import { logIn, logInAsPlanned } from './login.ts'
import { searchError, wantsLogin } from './result-errors.ts'
import { Search } from './search.ts'

class LdapSession extends DialogueSession<LdapDialogue> {
  override get isUsable(): boolean {
    return super.isUsable && this.dialogue.isAsNew
  }
}

/** A plan, whose host may be a local socket, with the user that its URL names. */
type LdapTarget = LoginTarget & { readonly plan: LdapPlan }

/** True if the server closes the connection at a login by SASL, as ldapjs does. */
interface LdapQuirks {
  closesOnSasl: boolean
}

const sessions: SessionProtocol<LdapSession, LdapTarget, LdapQuirks> = {
  newQuirks: () => ({ closesOnSasl: false }),
  open: ({ plan }, context, quirks) => open(plan, context, quirks),
  capacity: () => 1,
  // If the server wanted a login for another search, it probably wants one for this, too.
  pick: (idle) => idle.find(({ dialogue }) => dialogue.login !== null) ?? idle[0],
}

/**
 * Makes a fetcher for directories over LDAP (RFC 4511, RFC 4516). It gives the entries of a search as LDIF (RFC 2849),
 * and keeps a session for some seconds, for the next retrieval with the same login.
 */
export function ldapFetcher(): Fetcher<'ldap'> {
  const pool = new SessionPool(sessions)
  return {
    ...ldap,
    async retrieve(plan, context) {
      checkPlan(plan, context)
      const target = { ...plan, host: plan.socket ?? plan.host, user: bindnameOf(plan), password: null, plan }
      return inSession(pool, target, context, async (lease) => {
        const { dialogue } = lease.session
        await logInAsPlanned(plan, dialogue)
        const retrieved = await search(plan, dialogue)
        return { ...retrieved, body: new LeasedBody(sourceOf(retrieved.body), lease, context) }
      })
    },
    async reread(answer, plan, context) {
      return answer.mediaType === 'text/x-ldif' ? { ...answer, ...readingOf(plan, context) } : answer
    },
    dispose: async () => pool.close(),
  }
}

/** Connects, over the local socket if the plan names one. Begins TLS and logs in by the socket if the plan says so. */
async function open(plan: LdapPlan, context: RetrievalContext, quirks: LdapQuirks): Promise<LdapSession> {
  const isExternal = isLdapExternal(plan, bindnameOf(plan)) && !quirks.closesOnSasl
  const connection = new Connection(await openSessionSocket(placeOf(plan, context), plan), context)
  try {
    const dialogue = new LdapDialogue(connection, context)
    if (plan.tls === 'explicit') await dialogue.startTls(plan)
    if (isExternal) await dialogue.bindExternal()
    return new LdapSession(dialogue, context)
  } catch (error) {
    connection.close()
    if (!isExternal || !RetrievalError.is(error) || error.code !== 'receive-failed') throw error
    quirks.closesOnSasl = true
    context.emit({ type: 'retried', url: context.url, error, delay: 0 })
    return open(plan, context, quirks)
  }
}

/** Makes the context that leads to the plan's local socket, if it names one. No proxy leads there. */
function placeOf({ socket }: LdapPlan, context: RetrievalContext): RetrievalContext {
  if (socket === null) return context
  const network = { ...(context.network ?? { connectTo: [], key: '' }), socketPath: socket }
  return { ...context, proxy: null, network }
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

/** Searches. If the server wants a login for it and the caller has one, logs in first. */
async function search(plan: LdapPlan, dialogue: LdapDialogue): Promise<Retrieved<'ldap'>> {
  const { context } = dialogue
  const asked = await Search.begin(plan, dialogue)
  const answer = await asked.result()
  if (answer === null) {
    if (context.request.head !== true) return retrieved(plan, dialogue, new LdifBody(asked))
    await asked.finish()
    return retrieved(plan, dialogue, wholeSource())
  }
  const { result } = answer
  if (result.code === 0) return nothingFound(plan, dialogue)
  const mayLogIn = dialogue.login === null && bindnameOf(plan) !== ''
  if (mayLogIn && wantsLogin(result) && (await logIn(plan, dialogue, null))) return search(plan, dialogue)
  throw searchError(context, result, dialogue.login)
}

function retrieved(plan: LdapPlan, { context, login, isExternal }: LdapDialogue, body: ByteSource): Retrieved<'ldap'> {
  return {
    outcome: 'retrieved',
    ...readingOf(plan, context),
    mediaType: 'text/x-ldif',
    charset: 'utf-8',
    size: null,
    modified: null,
    completeness: 'terminated',
    metadata: { login: login ?? (isExternal ? 'EXTERNAL' : null) },
    body,
  }
}

function readingOf(plan: LdapPlan, context: RetrievalContext): Required<Pick<Retrieved<'ldap'>, 'kind' | 'entries'>> {
  const kind = plan.scope === 'base' ? 'object' : 'listing'
  return { kind, entries: (octets) => ldifEntries(octets, plan, context) }
}

/** Handles a search without matches. It is an empty list, but a URL of one entry promises that entry. */
function nothingFound(plan: LdapPlan, dialogue: LdapDialogue): Retrieved<'ldap'> {
  if (plan.scope === 'base') {
    const message = 'The entry does not match the filter, or the server hides it: 0 success'
    throw dialogue.context.error('not-found', message, { reply: '0 success' })
  }
  return retrieved(plan, dialogue, wholeSource(Buffer.from(ldifVersion)))
}
