import type { AccessPlans } from '@retriever/core'
import type { Outcome } from '../../contract/fetcher.ts'
import { accessEntries } from './entries.ts'
import { followed, listed, moved } from './outcomes.ts'
import type { Link } from './replies.ts'
import type { Answered, Session } from './session.ts'
import { accessMethods } from './urls.ts'

/** In how many directories the rest of a name is looked for. */
const maxTries = 8

/**
 * Finds what a name means if no object of the server has it: a directory's name, and after it a path of links. The
 * server resolves as many components as it can, and names those that are left for another server (UNRESOLVED). Returns
 * null if there is no such path.
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
  // The components are one token, or one token each. They end as the path did.
  const left = answer.unresolved.length === 0 ? [] : answer.unresolved.join('/').split('/')
  const wanted = components[components.length - left.length - 1]
  // Names may be patterns, so the server may have found others, too. Union links come with them.
  const link = answer.links.find(({ type, name }) => type === 'L' && name === wanted)
  if (link !== undefined) return left.length > 0 ? further(link, left, session) : linkOutcome(link, hsoname, session)
  const union = answer.links.find(({ type }) => type === 'U')
  return union === undefined ? null : further(union, left.length > 0 ? left : components.slice(-1), session)
}

/** Makes the redirect to another server, which resolves the components that are left. */
function further(link: Link, left: readonly string[], session: Session): Outcome<'prospero'> {
  return moved({ ...link, hsoname: [link.hsoname, ...left].join('/'), version: '0' }, session)
}

function linkOutcome(link: Link, hsoname: string, session: Session): Outcome<'prospero'> | null {
  const { target, attributes } = link
  if (target !== 'EXTERNAL') return link.hsoname === hsoname ? null : moved(link, session)
  const methods = accessMethods(attributes, link, session.server)
  const redirect = session.context.request.prospero?.followAccess === true ? followed({ methods }, session) : null
  return redirect ?? listed({ object: link, attributes, methods }, accessEntries(methods), '')
}
