import { type Body, wholeBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import type { ServedFiles } from '../files/served-files.ts'
import { Incoming } from '../incoming.ts'
import type { Listener } from '../listener.ts'
import { recorded } from '../request.ts'
import type { Routes } from '../routes.ts'
import { dotBlock, latin1 } from '../text.ts'
import { attributes, directoryAttributes } from './attributes.ts'
import { formAnswer } from './form.ts'
import { type GopherHandler, type GopherReply, routedAnswer } from './handler.ts'
import { findItem, type GopherItem, menuItems, SEARCH, searchItems, VIEWS } from './item.ts'
import { type GopherRequest, parseRequest } from './request.ts'
import { plainView, viewAnswer } from './views.ts'

export interface GopherSettings {
  readonly tree: ServedFiles
  readonly gopherPlus: boolean
  readonly routes: Routes<GopherHandler | GopherReply>
}

/** Writes `host TAB port`, and `TAB +` if the server speaks Gopher+. */
export type Address = (mark: string) => string

/** Serves one connection: reads one line, sends one answer, closes (RFC 1436, 2). */
export async function serveGopher(connection: Connection, server: Listener, settings: GopherSettings): Promise<void> {
  const record = (line: string): void =>
    server.record(recorded(connection, { line, method: '', target: line.split('\t', 1)[0] ?? '' }))
  const incoming = new Incoming(connection.stream, record)
  const line = await incoming.line()
  if (line === undefined) return
  const { faults } = connection
  if (faults.stall === 'response' || faults.stall === 'greeting') return connection.stall()
  const request = parseRequest(line, line.split('\t', 1)[0] === SEARCH.selector)
  if (await connection.sendFault(line, request.selector)) return
  const address: Address = (mark) => `${server.host}\t${server.port}${settings.gopherPlus ? `\t${mark}` : ''}`
  const plain = settings.gopherPlus ? request : { ...request, plus: undefined, data: false }
  await connection.delay()
  const routed = await routedAnswer(
    settings.routes,
    { ...recorded(connection, { line, method: '', target: plain.selector }), search: plain.search },
    plain.plus !== undefined,
    address,
  )
  await connection.sendBody(routed ?? (await answer(plain, settings.tree, address, incoming)))
}

async function answer(request: GopherRequest, tree: ServedFiles, address: Address, incoming: Incoming): Promise<Body> {
  const item = findItem(tree, request.selector)
  const { plus } = request
  if (!item) return plus ? plusError() : wholeBody(notFound(request.selector))
  if (plus === undefined) return plainAnswer(item, request, tree, address)
  if (plus.startsWith('!')) return wholeBody(`+-1\r\n${attributes(item, address, plus)}.\r\n`)
  if (plus.startsWith('$')) return wholeBody(`+-1\r\n${directoryAttributes(tree, item, address, plus)}.\r\n`)
  if (item.form) return formAnswer(item.form, request, incoming)
  if (item === VIEWS) return viewAnswer(plus)
  const body = plainAnswer(item, request, tree, address)
  // Text and menus end with a line that is a dot, so they get `+-1`; other files get their length.
  const head = item.type === '9' ? `+${body.size}\r\n` : '+-1\r\n'
  return { size: body.size && body.size + head.length, chunks: withHead(head, body.chunks) }
}

function plainAnswer(item: GopherItem, request: GopherRequest, tree: ServedFiles, address: Address): Body {
  if (item.form) return wholeBody(oldStyleError())
  if (item === VIEWS) return plainView()
  if (item === SEARCH) return wholeBody(menu(searchItems(tree, request.search ?? ''), address))
  const { node } = item
  if (node?.kind !== 'file') return wholeBody(menu(menuItems(tree, node?.path ?? '/'), address))
  return node.text ? wholeBody(dotBlock(latin1(node.chunks()))) : { size: node.size, chunks: node.chunks() }
}

/** Menu lines: `0hello.txt TAB /pub/hello.txt TAB 127.0.0.1 TAB 7070 TAB +` */
function menu(items: readonly GopherItem[], address: Address): string {
  return `${items.map((item) => `${item.type}${item.name}\t${item.selector}\t${address(item.mark)}\r\n`).join('')}.\r\n`
}

function notFound(selector: string): string {
  return `3'${selector}' does not exist\t\terror.host\t1\r\n.\r\n`
}

/** The answer to a client that sends a plain request for a form (Gopher+ 2.8). */
function oldStyleError(): string {
  return '3This item is a form: a Gopher+ client is needed\t\terror.host\t1\r\n.\r\n'
}

/** An error of Gopher+ (2.3): code, administrator, text. */
function plusError(): Body {
  return wholeBody('--1\r\n1 <ann@example.net>\r\nItem is not available.\r\n.\r\n')
}

function* withHead(head: string, chunks: Iterable<Uint8Array>): Iterable<Uint8Array> {
  yield Buffer.from(head, 'latin1')
  yield* chunks
}
