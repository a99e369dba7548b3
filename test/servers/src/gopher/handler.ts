import { type Body, wholeBody } from '../body.ts'
import { type Check, wrong } from '../options.ts'
import type { RecordedRequest } from '../request.ts'
import type { RouteParams, Routes } from '../routes.ts'
import { dotBlock, octets } from '../text.ts'
import type { Address } from './session.ts'

/** One request, and the words of a search. */
export interface GopherQuery extends RecordedRequest {
  readonly search: string | undefined
}

/** An item of a menu. Without a host it belongs to this server. */
export interface GopherMenuItem {
  /** One character: `0` is a text, `1` a menu, `7` a search, `9` octets, `i` a line for people. */
  readonly type: string
  readonly name: string
  readonly selector: string
  readonly host?: string
  readonly port?: number
}

/** A text, which gets the line that ends it; octets, which are sent unchanged; or the items of a menu. */
export type GopherReply = string | Uint8Array | readonly GopherMenuItem[]

/** Answers a request. If it returns undefined, the next route or the files answer. */
export type GopherHandler = (
  request: GopherQuery,
  params: RouteParams,
) => GopherReply | undefined | Promise<GopherReply | undefined>

/** Accepts a function, or anything that it may return. */
export const gopherHandler: Check = (name, value) => {
  if (typeof value !== 'function' && !isReply(value)) {
    throw wrong(name, 'a function, a string, a Uint8Array or a list of menu items', value)
  }
}

function isReply(value: unknown): boolean {
  return typeof value === 'string' || value instanceof Uint8Array || (Array.isArray(value) && value.every(isItem))
}

function isItem(value: unknown): boolean {
  const { type, name, selector } = Object(value) as Partial<Record<keyof GopherMenuItem, unknown>>
  return [type, name, selector].every((member) => typeof member === 'string')
}

/**
 * The answer of the routes; for a Gopher+ request it has a status line (Gopher+ 2.3). Undefined if no route answers.
 */
export async function routedAnswer(
  routes: Routes<GopherHandler | GopherReply>,
  request: GopherQuery,
  plus: boolean,
  address: Address,
): Promise<Body | undefined> {
  for (const { handler, params, used } of routes.find(request.target)) {
    const reply = await replyOf(handler, request, params)
    if (reply === undefined) continue
    used()
    const octets = octetsOf(reply, address)
    const head = reply instanceof Uint8Array ? `+${octets.length}\r\n` : '+-1\r\n'
    return wholeBody(plus ? Buffer.concat([Buffer.from(head), octets]) : octets)
  }
  return undefined
}

async function replyOf(
  handler: GopherHandler | GopherReply,
  request: GopherQuery,
  params: RouteParams,
): Promise<GopherReply | undefined> {
  if (typeof handler !== 'function') return handler
  try {
    const reply = await handler(request, params)
    if (reply === undefined || isReply(reply)) return reply
    throw wrong('its result', 'a string, a Uint8Array, a list of menu items or undefined', reply)
  } catch (error) {
    return [{ type: '3', name: `The route threw: ${String(error)}`, selector: '', host: 'error.host', port: 1 }]
  }
}

function octetsOf(reply: GopherReply, address: Address): Uint8Array {
  if (reply instanceof Uint8Array) return reply
  if (typeof reply === 'string') return Buffer.from(dotBlock(octets(reply)), 'latin1')
  const lines = reply.map(({ type, name, selector, host, port }) => {
    const place = host === undefined ? address('+') : `${host}\t${port ?? 70}`
    return `${type}${octets(name)}\t${octets(selector)}\t${place}\r\n`
  })
  return Buffer.from(`${lines.join('')}.\r\n`, 'latin1')
}
