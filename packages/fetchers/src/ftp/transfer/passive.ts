import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { Dialogue } from '../control/dialogue.ts'
import type { Step } from '../control/pipeline.ts'
import { isPermanent, type Reply, refusedByServer, violation } from '../control/replies.ts'
import { withReplyTimeout } from '../control/reply-timeout.ts'

/**
 * Data connections are opened passively (RFC 1579): by EPSV (RFC 2428), and by PASV where the server does not know it or its port is
 * dead. The host is the control connection's peer in any case: what 227 says may be a private address behind NAT, or a third host
 * that the server would have us connect to for it (RFC 2577).
 */
export function portStep(dialogue: Dialogue, asked: { port: number | null }): Step {
  const command = dialogue.session.quirks.passive
  const take = (reply: Reply): void => {
    asked.port = readPort(dialogue, command, reply)
  }
  // The port before is closed by it.
  return { phase: 'request', command, take, takeSecond: take }
}

/** Asks for a port by itself; by PASV where EPSV gives none. */
export async function askPort(dialogue: Dialogue): Promise<number> {
  const asked: { port: number | null } = { port: null }
  while (asked.port === null) {
    const { phase, command, take } = portStep(dialogue, asked)
    take(await dialogue.session.control.ask(phase, command))
  }
  return asked.port
}

/** How long a server may take to answer what it was asked during the transfer before, where that is new to it. */
const replyTimeout = 3000
const silence = 'The server does not answer what it was asked during a transfer.'

/** What was asked ahead, by the retrieval before. Null where the server has none to give, or cannot be relied upon. */
export async function takePrefetchedPort(
  { session, context }: Dialogue,
  ahead: Promise<Reply>,
): Promise<number | null> {
  const { control, quirks } = session
  const isTrial = quirks.prefetching === undefined
  const pending = isTrial ? withReplyTimeout(context, ahead, replyTimeout, silence) : ahead
  const reply = await control.wait('request', pending).catch((error: unknown) => {
    // Of a server that is still there: it throws away what comes during a transfer.
    if (isTrial && control.isUsable) quirks.prefetching = false
    throw error
  })
  const port = portIn(reply)
  if (port === undefined || quirks.prefetching === false) return null
  session.prefetchedPort = checkPort(context, port, control.said(reply))
  return session.prefetchedPort
}

/** Null: not by EPSV; PASV is to be tried, now and later. Throws where there is no port to be had. */
function readPort({ session, context }: Dialogue, command: 'EPSV' | 'PASV', reply: Reply): number | null {
  const isExtended = command === 'EPSV'
  const isRefusal = isExtended && isPermanent(reply)
  if (!isRefusal && reply.code !== (isExtended ? 229 : 227)) {
    // EPSV may have failed but once; and over IPv6 there is no PASV.
    session.quirks.passive = session.quirks.preferred
    throw refusedByServer(context, reply, 'a data connection')
  }
  const port = portIn(reply)
  const words = session.control.said(reply)
  if (port !== undefined) return checkPort(context, port, words)
  if (!isExtended) throw violation(context, `The server names no port in "${words}".`, words)
  session.quirks.passive = 'PASV'
  return null
}

function portIn({ code, text }: Reply): number | undefined {
  if (code === 229) return readExtendedPort(text)
  return code === 227 ? readPassivePort(text) : undefined
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
function checkPort(context: RetrievalContext, port: number, words: string): number {
  if (port >= 1024 && port <= 65_535) return port
  throw violation(context, `The server offers port ${port} for data; only 1024 to 65535 are dialled.`, words)
}
