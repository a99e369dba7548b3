import type { AccessPlans } from '@retriever/core'
import type { Outcome } from '../../contract/fetcher.ts'
import { accessEntries } from './entries.ts'
import { followed, listed, moved } from './outcomes.ts'
import type { Link } from './replies.ts'
import type { Answered, Session } from './session.ts'
import { accessMethods } from './urls.ts'

/** The most directories in which the rest of a name is looked for. */
const maxTries = 8

/**
 * Finds what a name means that no object of the server has: the path of links behind the name of a directory. The
 * server resolves as many components as it can, and tells which are left for another server (UNRESOLVED). Null: there
 * is no such path.
 */
export async function resolvePath(
  { hsoname }: AccessPlans['prospero'],
  session: Session,
): Promise<Outcome<'prospero'> | null> {
  const parts = hsoname.split('/')
  for (let tries = 1; tries <= maxTries && tries < parts.length; tries++) {
    const directory = parts.slice(0, -tries).join('/')
    const components = parts.slice(-tries)
    if (directory === '' || components.includes('')) return null
    const answer = await session.list({ hsoname: directory, version: '0' }, components)
    if (answer.forwarded !== null) {
      return moved({ ...answer.forwarded, hsoname: [answer.forwarded.hsoname, ...components].join('/') }, session)
    }
    if (answer.failure === null) return outcomeOf(answer, components, hsoname, session)
    if (answer.failure.words[0] !== 'NOT-A-DIRECTORY') return null
  }
  return null
}

function outcomeOf(
  answer: Answered,
  components: readonly string[],
  hsoname: string,
  session: Session,
): Outcome<'prospero'> | null {
  // The components are one token, or one each; they end as the path did.
  const left = answer.unresolved.length === 0 ? [] : answer.unresolved.join('/').split('/')
  const wanted = components[components.length - left.length - 1]
  // Names may be patterns, so the server may have found others, too. Union links come along.
  const link = answer.links.find(({ type, name }) => type === 'L' && name === wanted)
  if (link !== undefined) return left.length > 0 ? further(link, left, session) : linkOutcome(link, hsoname, session)
  const union = answer.links.find(({ type }) => type === 'U')
  return union === undefined ? null : further(union, left.length > 0 ? left : components.slice(-1), session)
}

/** Another server goes on with the components that are left. */
function further(link: Link, left: readonly string[], session: Session): Outcome<'prospero'> {
  return moved({ ...link, hsoname: [link.hsoname, ...left].join('/'), version: '0' }, session)
}

function linkOutcome(link: Link, hsoname: string, session: Session): Outcome<'prospero'> | null {
  const { target, attributes } = link
  if (target !== 'EXTERNAL') return link.hsoname === hsoname ? null : moved(link, session)
  const methods = accessMethods(attributes, link, session.server)
  const redirect = session.context.request.followAccess === true ? followed({ methods }, session) : null
  return redirect ?? listed({ object: link, attributes, methods }, accessEntries(methods), '')
}
