import { type AccessPlans, octetsToText, printable } from '@retriever/core'
import type { Outcome, RetrievalContext } from '../../contract/fetcher.ts'
import { checkDate } from '../../kit/request-options.ts'
import { accessEntries, modifiedOf, sizeOf } from './entries.ts'
import type { Identity } from './exchange.ts'
import { listingOf } from './listing.ts'
import { type Found, file, followed, listed, moved, tellElsewhere } from './outcomes.ts'
import { resolvePath } from './path.ts'
import type { Attribute, Target } from './replies.ts'
import { type Answered, failureError, isMissing, Session } from './session.ts'
import { accessMethods, objectUrl } from './urls.ts'

type ProsperoPlan = AccessPlans['prospero']
type Result = Outcome<'prospero'>

/** Carries out a plan. `identity` is what the requests say of the client. */
export async function retrieveAs(identity: Identity, plan: ProsperoPlan, context: RetrievalContext): Promise<Result> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'Prospero sends no parts of a file; retrieve the whole.', { phase: 'policy' })
  }
  const session = await Session.open(plan, context, identity)
  try {
    return await retrieve(plan, session)
  } finally {
    session.close()
  }
}

async function retrieve(plan: ProsperoPlan, session: Session): Promise<Result> {
  const { context } = session
  const object = objectOf(plan)
  const info = await session.ask(commandsOf(plan), object)
  if (info.forwarded !== null) return moved(info.forwarded, session, plan.attributes)
  if (info.failure !== null && !isMissing(info)) throw failureError(context, info.failure)
  const { attributes } = info
  const found = { object, attributes, methods: accessMethods(attributes, object, session.server) }
  if (attributes.length > 0) checkFields(plan, attributes, context)
  const modified = modifiedOf(attributes)
  if (modified !== null) checkDate(context, modified)
  if (context.request.prospero?.followAccess === true) {
    const redirect = followed(found, session)
    if (redirect !== null) return redirect
  }
  return (await contentsOf(found, session)) ?? (await directoryOf(found, session, info, plan))
}

/** The object of the URL. */
function objectOf({ host, port, hsoname, attributes }: ProsperoPlan): Target {
  const version = attributes.find(({ field }) => field.toUpperCase() === 'OBJECT-VERSION')?.value ?? '0'
  return { hostType: 'INTERNET-D', host: `${host}(${port})`, hsoname, version }
}

/** Returns the commands of the plan's packets, without the lines before them. */
function commandsOf({ wire }: ProsperoPlan): string {
  const text = wire
    .slice(0, -1)
    .map((packet) => packet.replace(/^\x09<id>.{6}/s, ''))
    .join('')
  return text.slice(text.indexOf('GET-OBJECT-INFO'))
}

/** Throws `not-found` if a field of the URL has another value than the object's attribute (RFC 4157 2). */
function checkFields(plan: ProsperoPlan, attributes: readonly Attribute[], context: RetrievalContext): void {
  for (const { field, value } of plan.attributes) {
    const name = field.toUpperCase()
    if (name === 'OBJECT-VERSION') continue
    const values = attributes.filter((attribute) => attribute.name === name).map((each) => each.value.join(' '))
    if (values.includes(value)) continue
    const shown = (text: string): string => printable(octetsToText(text)).slice(0, 100)
    const there = values.length === 0 ? 'nothing' : values.slice(0, 5).map(shown).join(', ')
    const message = `The URL wants an object whose ${shown(name)} is ${shown(value)}, and the server's has ${there}.`
    throw context.error('not-found', message)
  }
}

/** Retrieves the data that the server itself has. Returns null if it has none, or the object is a directory. */
async function contentsOf(found: Found, session: Session): Promise<Result | null> {
  const { context } = session
  const { object, attributes, methods } = found
  if (isDirectory(attributes)) return null
  // Attributes that nobody asked for may come, too.
  const own = dataIn(attributes)
  if (own !== null) return file(found, own, context)
  if (!methods.some(({ method }) => method === 'PROSPERO-CONTENTS') || context.request.head === true) return null
  const { hsoname, version } = object
  const info = await session.attributes('CONTENTS', { hsoname, version }, 'body')
  if (info.forwarded !== null) return moved(info.forwarded, session)
  if (info.failure !== null) throw failureError(context, info.failure)
  const octets = dataIn(info.attributes)
  return octets === null ? null : file(found, octets, context)
}

/** Returns the octets in attributes CONTENTS. Null if there are none. */
function dataIn(attributes: readonly Attribute[]): string | null {
  const contents = attributes.filter(({ name, value: [first] }) => name === 'CONTENTS' && first === 'DATA')
  return contents.length === 0 ? null : contents.flatMap(({ value }) => value.slice(1)).join('')
}

function isDirectory(attributes: readonly Attribute[]): boolean {
  const types = attributes.filter(({ name }) => name === 'BASE-TYPE').flatMap(({ value }) => value.join('+').split('+'))
  return types.includes('DIRECTORY') && !types.includes('FILE')
}

/** Lists the links of a directory, or the access methods of an object that is none. */
async function directoryOf(found: Found, session: Session, info: Answered, plan: ProsperoPlan): Promise<Result> {
  const { context, server } = session
  const { object, attributes, methods } = found
  const answer = await session.list(object)
  if (answer.forwarded !== null) return moved(answer.forwarded, session, plan.attributes)
  if (answer.failure === null) {
    const listing = await listingOf(session, answer, objectUrl(object, server) ?? '')
    return listed(found, listing.entries, listing.text)
  }
  if (!isMissing(answer)) throw failureError(context, answer.failure)
  if (attributes.length === 0) {
    return (await resolvePath(plan, session)) ?? missing(context, info, answer)
  }
  const isOwn = methods.some(({ method }) => method === 'PROSPERO-CONTENTS')
  if (isOwn && (sizeOf(attributes) === 0 || context.request.head === true)) return file(found, '', context)
  if (methods.length === 1 && isOwn) throw context.error('not-found', 'The server has no contents of the object.')
  tellElsewhere(found, context)
  return listed(found, accessEntries(methods), info.text)
}

function missing(context: RetrievalContext, info: Answered, answer: Answered): never {
  const failure = info.failure ?? answer.failure
  throw failure === null ? context.error('not-found', 'The server has no such object.') : failureError(context, failure)
}
