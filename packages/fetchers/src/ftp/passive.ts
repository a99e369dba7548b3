import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { DataConnection } from './data.ts'
import type { Dialogue } from './dialogue.ts'
import { isPermanent, type Reply, refused, violation, wordsOf } from './replies.ts'

/**
 * Opens a data connection, passively (RFC 1579): EPSV (RFC 2428), and PASV where the server does not know it or its port is dead.
 * The host is the control connection's peer in any case: what 227 says may be a private address behind NAT, or a third host
 * that the server would have us connect to for it (RFC 2577).
 */
export async function openData(dialogue: Dialogue): Promise<DataConnection> {
  const port = dialogue.epsv ? await extendedPort(dialogue) : undefined
  const opened = port === undefined ? undefined : await DataConnection.open(dialogue, port).catch(unlessUnreachable)
  if (opened !== undefined) return opened
  const passive = await passivePort(dialogue)
  const data = await DataConnection.open(dialogue, passive).catch(unlessUnreachable)
  if (data !== undefined) return data
  const message = `No data connection to port ${passive}, which the server offers; a firewall may be in the way.`
  throw dialogue.context.error('connect-failed', message, { phase: 'connect' })
}

function unlessUnreachable(error: unknown): undefined {
  if (!RetrievalError.is(error) || error.code !== 'connect-failed') throw error
}

/** Undefined where PASV is to be tried. */
async function extendedPort({ control, context }: Dialogue): Promise<number | undefined> {
  const reply = await control.ask('request', 'EPSV')
  if (isPermanent(reply)) return undefined
  if (reply.code !== 229) throw refused(context, reply, 'a data connection')
  const port = readExtendedPort(reply.text)
  return port === undefined ? undefined : checkPort(context, reply, port)
}

async function passivePort({ control, context }: Dialogue): Promise<number> {
  const reply = await control.ask('request', 'PASV')
  if (reply.code !== 227) throw refused(context, reply, 'a data connection')
  const port = readPassivePort(reply.text)
  if (port !== undefined) return checkPort(context, reply, port)
  throw violation(context, `The server names no port in "${wordsOf(reply)}".`, wordsOf(reply))
}

/** RFC 2428 3: `Entering Extended Passive Mode (|||6446|)`, with any delimiter; IBM i has `!`. */
export function readExtendedPort(text: string): number | undefined {
  const [, , port] = /\(([!-/:-~])\1\1(\d{1,5})\1\)/.exec(text) ?? []
  return port === undefined ? undefined : Number(port)
}

const sixOctets = /(\()?(?<![\d,])(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})(?![\d,])(\))?/

/** RFC 959 4.1.2, RFC 1123 4.1.2.6: six octets anywhere in the text, `(127,0,0,1,25,33)`; some servers leave the brackets out. */
export function readPassivePort(text: string): number | undefined {
  const [, open, h1, h2, h3, h4, p1, p2, close] = sixOctets.exec(text) ?? []
  const octets = [h1, h2, h3, h4, p1, p2].map(Number)
  // A bracket that is not closed belongs to a line that was cut.
  if (octets.some((octet) => !(octet <= 255)) || (open !== undefined && close === undefined)) return undefined
  return Number(p1) * 256 + Number(p2)
}

/** RFC 2577 3: nothing offers data below 1024; a server that says so aims us at another service. */
function checkPort(context: RetrievalContext, reply: Reply, port: number): number {
  if (port >= 1024 && port <= 65_535) return port
  throw violation(context, `The server offers port ${port} for data; only 1024 to 65535 are dialled.`, wordsOf(reply))
}
