import type { GopherPlan } from '@retriever/core/internal'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { Fetcher, Handoff, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { ConnectionBody, plainOctets } from '../../wire/connection-body.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import { openConnection } from '../../wire/transport/socket.ts'
import { gopher } from './about.ts'

import { throwErrorAnswer } from './error-answer.ts'
import { attributedMenuType, isMenu, isMenuType, isText, mediaTypeOf } from './item-type.ts'
import { menuEntries } from './menu.ts'
import { MenuOctets } from './menu-octets.ts'
import { readPhoneBook } from './phone-book.ts'
import type { FormData } from './plus/answers.ts'
import { asksAttributes, attributeEntries } from './plus/attributes.ts'
import { gopherPlusBody, readStatus, throwGopherPlusError } from './plus/gopher-plus.ts'
import { submitForm } from './plus/submit-form.ts'
import { type Prepared, preparation } from './prepare.ts'
import { sendForm, sendRequest } from './request.ts'
import { TextOctets } from './text.ts'

export { parseCaps } from './caps.ts'
export type { Admin } from './plus/admin.ts'
export type { Attributes, Elsewhere } from './plus/attributes.ts'
export type { View } from './plus/views.ts'

/**
 * Makes a fetcher for Gopher (RFC 1436, RFC 4266) and Gopher+. Each request has its own connection, which the server
 * ends.
 */
export function gopherFetcher(): Fetcher<'gopher'> {
  return { ...gopher, retrieve, reread }
}

async function reread(
  answer: Retrieved<'gopher'>,
  plan: GopherPlan,
  context: RetrievalContext,
): Promise<Retrieved<'gopher'>> {
  // The programs that keep menus name their type in several ways.
  const { kind, entries } = retrievedFrom(plan, isMenuType(plan.gophertype) ? mediaTypeOf(plan) : null, context)
  return { ...answer, kind, ...(entries !== undefined && { entries }) }
}

async function retrieve(plan: GopherPlan, context: RetrievalContext): Promise<Retrieved<'gopher'> | Handoff> {
  // The item is a session (RFC 1436 3.8). We hand it off and connect nowhere.
  if (plan.gophertype === '8' || plan.gophertype === 'T') return context.handoff()
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'Gopher sends no parts of an item; retrieve the whole.', { phase: 'policy' })
  }
  // Most plans need no preparation, and awaiting undefined would cost a turn.
  const preparing = preparation(plan, context)
  const prepared = preparing === undefined ? undefined : await preparing
  const connection = await openConnection(context, plan)
  try {
    const retrieved = await (prepared === undefined
      ? answerTo(plan, connection, context)
      : answerToPrepared(prepared, connection, context))
    return { ...retrieved, body: new ConnectionBody(sourceOf(retrieved.body), connection) }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function answerTo(
  plan: GopherPlan,
  connection: Connection,
  context: RetrievalContext,
): Promise<Retrieved<'gopher'>> {
  await sendRequest(plan, connection, context)
  const source = new LineReader(connection, context)
  return plan.gophertype === '2' ? readPhoneBook(source, context) : readAnswer(plan, source, context)
}

async function answerToPrepared(
  { plan, form, metadata }: Prepared,
  connection: Connection,
  context: RetrievalContext,
): Promise<Retrieved<'gopher'>> {
  const submit = async (data: FormData): Promise<Retrieved<'gopher'>> => {
    await sendForm(plan, data, connection, context)
    return readAnswer(plan, new LineReader(connection, context), context)
  }
  const retrieved = await (form === null ? answerTo(plan, connection, context) : submitForm(form, () => submit(form)))
  return { ...retrieved, metadata: { ...retrieved.metadata, ...metadata } }
}

async function readAnswer(
  plan: GopherPlan,
  source: LineReader,
  context: RetrievalContext,
): Promise<Retrieved<'gopher'>> {
  await waitForOctets(source)
  if (plan.gopherPlus === null) return plainItem(plan, source, context)
  const status = await readStatus(source, context)
  // A server that is older than Gopher+ ignores that part of the request and sends the item.
  if (status === undefined) return itemInstead(plan, source, context)
  if (!status.success) return throwGopherPlusError(status, plan, source, context)
  const mediaType = mediaTypeOf(plan)
  return {
    ...retrievedFrom(plan, mediaType, context),
    size: status.length >= 0 ? status.length : null,
    completeness: status.length >= 0 ? 'verified' : status.length === -1 ? 'terminated' : 'eof-only',
    metadata: { gopherPlus: true },
    body: sourceOf(gopherPlusBody(status, source, context)),
  }
}

/**
 * Waits for the first octets under the time limit of a reply. Later octets have that of a body. An answer without
 * octets is an empty document.
 */
async function waitForOctets(source: LineReader): Promise<void> {
  const first = await source.read('request')
  if (first !== null) source.unread(first)
}

async function itemInstead(
  plan: GopherPlan,
  source: LineReader,
  context: RetrievalContext,
): Promise<Retrieved<'gopher'>> {
  const item = await plainItem({ ...plan, gopherPlus: null }, source, context)
  const message = 'The answer is not in the form of Gopher+, so it counts as the item itself.'
  context.emit({ type: 'remark', url: context.url, message })
  return { ...item, metadata: { gopherPlus: false } }
}

/** Retrieves a plain item (RFC 1436): all octets up to the end of the connection. */
async function plainItem(
  plan: GopherPlan,
  source: LineReader,
  context: RetrievalContext,
): Promise<Retrieved<'gopher'>> {
  await throwErrorAnswer(plan, source, context)
  const mediaType = mediaTypeOf(plan)
  return {
    ...retrievedFrom(plan, mediaType, context),
    size: null,
    completeness: 'eof-only',
    metadata: {},
    body: plainBody(plan, source, context),
  }
}

function plainBody({ gophertype }: GopherPlan, source: LineReader, context: RetrievalContext): ByteSource {
  if (!isText(gophertype)) return plainOctets(source)
  const text = new TextOctets(source, context.limits)
  return isMenuType(gophertype) ? new MenuOctets(text, context) : text
}

function retrievedFrom(
  plan: GopherPlan,
  mediaType: string | null,
  context: RetrievalContext,
): Pick<Retrieved<'gopher'>, 'outcome' | 'kind' | 'mediaType' | 'charset' | 'modified' | 'entries'> {
  const item = { outcome: 'retrieved', mediaType, charset: null, modified: null } as const
  if (asksAttributes(plan) || mediaType === attributedMenuType) {
    return { ...item, kind: 'listing', entries: (body) => attributeEntries(body, plan, context) }
  }
  if (!isMenu(mediaType)) return { ...item, kind: 'object' }
  return { ...item, kind: 'listing', entries: (body) => menuEntries(body, plan, context) }
}
